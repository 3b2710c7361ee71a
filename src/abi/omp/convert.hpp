// Conversions shared by the omp_* entry points.
//
// Naming in this folder: omp_f is C; omp_f_ is Fortran with default integers, arguments by address;
// omp_f_8_ is Fortran compiled with 8-byte integers (-fdefault-integer-8).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace xylem::abi {

// A number out of range becomes the nearest int.
inline int to_int(std::int64_t value) {
  if (value > std::numeric_limits<int>::max()) return std::numeric_limits<int>::max();
  if (value < std::numeric_limits<int>::min()) return std::numeric_limits<int>::min();
  return static_cast<int>(value);
}

// A Fortran character argument, trailing blanks and all: they may be meant. A zero ends it, as
// programs write that pass the same text to C.
inline std::string_view fortran_text(const char* text, std::size_t length) {
  const std::string_view whole(text, length);
  return whole.substr(0, whole.find('\0'));
}

// A C argument that may be null.
inline std::string_view c_text(const char* text) {
  return text != nullptr ? std::string_view(text) : std::string_view();
}

}  // namespace xylem::abi
