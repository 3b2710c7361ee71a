// Owns: what the fuzzed readers share. FUZZED(text) begins the function that libFuzzer calls with
// each text that it draws; expect() ends the program, whose text libFuzzer then keeps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

inline void expect(bool held) {
  if (!held) __builtin_trap();
}

inline bool is_text(const std::vector<char>& written, std::string_view text) {
  return std::ranges::equal(written, text);
}

#define FUZZED(text)                                                             \
  static void read_fuzzed(std::string_view text);                                \
  extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) { \
    read_fuzzed({reinterpret_cast<const char*>(data), size});                    \
    return 0;                                                                    \
  }                                                                              \
  static void read_fuzzed(std::string_view text)
