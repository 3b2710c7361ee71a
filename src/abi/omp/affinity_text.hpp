// Owns: what the routines about affinity formats do, for both families of programs. Fortran's
// character variables are filled to their end with blanks, without a zero.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "abi/omp/convert.hpp"
#include "omp/team/affinity_display.hpp"

namespace xylem::abi {

struct AffinityText {
  omp::Door door;

  // All but display() return the length of the whole text, whatever fits.
  std::size_t format(char* buffer, std::size_t room) const {
    return omp::get_affinity_format(buffer, room, door);
  }
  std::int32_t fortran_format(char* buffer, std::size_t room) const {
    std::vector<char> text(room + 1);
    return pad(buffer, room, text, omp::get_affinity_format(text.data(), text.size(), door));
  }
  std::size_t capture(char* buffer, std::size_t room, std::string_view wanted) const {
    return omp::capture_affinity(buffer, room, wanted, door);
  }
  std::int32_t fortran_capture(char* buffer, std::size_t room, std::string_view wanted) const {
    std::vector<char> text(room + 1);
    return pad(buffer, room, text, omp::capture_affinity(text.data(), text.size(), wanted, door));
  }
  void display(std::string_view wanted) const { omp::display_affinity(wanted, door); }

 private:
  static std::int32_t pad(char* buffer, std::size_t room, const std::vector<char>& text,
                          std::size_t length) {
    const std::size_t copied = std::min(length, room);
    std::memcpy(buffer, text.data(), copied);
    std::memset(buffer + copied, ' ', room - copied);
    return to_int(static_cast<std::int64_t>(length));
  }
};

}  // namespace xylem::abi
