// Owns: Hash, by which things that are kept in files are told apart. Not against somebody who wants
// two things to have one hash.
#pragma once

#include <cstdint>
#include <string_view>

namespace xylem::base {

// FNV-1a of 64 bits, over all that was added, in its order.
class Hash {
 public:
  void add(std::string_view text) {
    for (const char letter : text) add_byte(static_cast<unsigned char>(letter));
    add(static_cast<int64_t>(text.size()));
  }
  void add(int64_t number) {
    for (int byte = 0; byte < 8; ++byte)
      add_byte(static_cast<unsigned char>(static_cast<uint64_t>(number) >> (8 * byte)));
  }
  // Never 0.
  uint64_t value() const { return value_ != 0 ? value_ : 1; }

 private:
  void add_byte(unsigned char byte) {
    value_ ^= byte;
    value_ *= 0x100000001b3;
  }

  uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace xylem::base
