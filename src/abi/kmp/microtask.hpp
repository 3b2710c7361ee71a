// Owns: calling what Clang makes of a region, with the words that its entry points were called
// with.
#pragma once

#include <cstdarg>
#include <cstddef>

#include "abi/kmp/kmp.hpp"

namespace xylem::abi::kmp {

// Words that an Invocation has room for at least, as call_microtask() reads so many.
inline constexpr int words_in_registers = 4;

// A microtask and what it is called with; `words` live in the frame of the maker.
struct Invocation {
  Microtask microtask;
  int count;
  void** words;
};

// So many pointers are to be reserved for the words of an invocation.
constexpr size_t room_for(int count) {
  return static_cast<size_t>(count > words_in_registers ? count : words_in_registers);
}

// Of an entry point with any number of arguments, which has put the words' room into its frame.
[[gnu::always_inline]] inline Invocation invocation_of(Microtask microtask, int count, void** words,
                                                       va_list rest) {
  for (int i = 0; i < count; ++i) words[i] = va_arg(rest, void*);
  return {microtask, count, words};
}

// Calls the microtask by the calling thread, as what it is now in its team.
void call_microtask(const Invocation& invocation);

}  // namespace xylem::abi::kmp
