// Owns: calling what Clang makes of a region, with the words that its entry points were called
// with.
#pragma once

#include "abi/kmp/kmp.hpp"

namespace xylem::abi::kmp {

// Words that an entry point of this family has in registers.
inline constexpr int words_in_registers = 3;

// A microtask and what it is called with: so many words, of which the first stand here, defined or
// not, and the others where the maker's caller put them.
struct Invocation {
  Microtask microtask;
  int count;
  void* first[words_in_registers];
  void* const* others;  // not read if there are none
};

// Where the words are of an entry point with any number of arguments that the registers have no
// room for. The entry point is written as a function of the arguments in registers, as a list of
// arguments (va_list) would be copied word by word. In the entry point, and in what is always
// inlined there; until it returns.
[[gnu::always_inline]] inline void* const* words_on_stack() {
  constexpr int saved_frame_and_return_address = 2;
  return static_cast<void* const*>(__builtin_frame_address(0)) + saved_frame_and_return_address;
}

// Calls microtask(in_process, in_team, first[0], first[1], first[2], others[0], ...) with as many
// words as the Invocation says. By assembly.
extern "C" void xylem_call_microtask(Microtask microtask, ThreadNumber* in_process,
                                     ThreadNumber* in_team, const Invocation* invocation);

// Calls an Invocation's microtask by `member`, which is the calling thread.
[[gnu::always_inline]] inline void run_microtask(const Invocation& invocation,
                                                 const omp::Member& member) {
  ThreadNumber in_process = number_of(member);
  ThreadNumber in_team = member.num;
  // Words that it does not have it does not look at.
  using WithWordsInRegisters = void (*)(ThreadNumber*, ThreadNumber*, void*, void*, void*);
  const auto& [first, second, third] = invocation.first;
  if (invocation.count > words_in_registers) [[unlikely]]
    xylem_call_microtask(invocation.microtask, &in_process, &in_team, &invocation);
  else
    reinterpret_cast<WithWordsInRegisters>(invocation.microtask)(&in_process, &in_team, first,
                                                                 second, third);
}

// Calls an Invocation's microtask by the calling thread, as what it is now in its team.
void run_microtask(void* invocation);
// The same while a tool listens.
void run_told_microtask(void* invocation);

}  // namespace xylem::abi::kmp
