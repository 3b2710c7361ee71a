// Owns: the place beyond all frames. See thread_end.hpp.
// Nothing of libc's is assumed: that the place is kept and stored as below is tried first.
#include "os/thread_end.hpp"

#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

namespace xylem::os {

namespace {

// As pthread_cleanup_push makes it: registers, of which the unwinding reads the stack pointer only.
constinit __pthread_unwind_buf_t beyond_all_frames = {};

constexpr size_t stack_pointer_word = 6;  // of a jmp_buf on x86-64
constexpr int bits_turned = 17;           // glibc stores it exclusive-or the guard, and turned
constexpr size_t words_of_a_block = 1024 / sizeof(void*);  // it has more than twice as many

uintptr_t stored(uintptr_t stack_pointer) {
  uintptr_t guard;
  asm("movq %%fs:48, %0" : "=r"(guard));
  const uintptr_t mixed = stack_pointer ^ guard;
  return mixed << bits_turned | mixed >> (64 - bits_turned);
}

uintptr_t stack_pointer_in(const __pthread_unwind_buf_t& place) {
  uintptr_t word;
  memcpy(&word, reinterpret_cast<const char*>(&place) + stack_pointer_word * sizeof word,
         sizeof word);
  return word;
}

// True if a real jmp_buf holds this frame's stack pointer as stored() has it. A frame is small.
bool stored_as_expected() {
  __pthread_unwind_buf_t here = {};
  if (__sigsetjmp_cancel(here.__cancel_jmp_buf, 0) != 0) return false;
  const auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  constexpr uintptr_t most = 1024;
  for (uintptr_t at = frame - most; at <= frame; at += 8)
    if (stored(at) == stack_pointer_in(here)) return true;
  return false;
}

}  // namespace

size_t find_end_place() {
  if (!stored_as_expected()) return 0;
  __pthread_unwind_buf_t known = {};
  auto* const block = reinterpret_cast<void* const*>(pthread_self());
  __pthread_register_cancel(&known);
  size_t word = 0;
  while (word < words_of_a_block && block[word] != &known) ++word;
  __pthread_unregister_cancel(&known);
  return word < words_of_a_block ? word * sizeof(void*) : 0;
}

void put_end_place(void* block, size_t at) {
  if (at == 0) return;
  const uintptr_t highest = stored(UINTPTR_MAX);
  memcpy(reinterpret_cast<char*>(&beyond_all_frames) + stack_pointer_word * sizeof highest,
         &highest, sizeof highest);
  void* const place = &beyond_all_frames;
  memcpy(static_cast<char*>(block) + at, &place, sizeof place);
}

}  // namespace xylem::os
