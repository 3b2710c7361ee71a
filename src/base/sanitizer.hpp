// Owns: the sanitizers' fiber hooks behind one small face; nothing at all in ordinary builds.
// Invariant: every switch of stacks calls leave() on the old stack and arrive() on the new one;
// both are part of their callers' frames, because a frame of their own would begin on the one
// stack's books and end on the other's.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_THREAD__)
#define XYLEM_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define XYLEM_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define XYLEM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define XYLEM_ASAN 1
#endif
#endif

#if defined(XYLEM_TSAN)
extern "C" {
void* __tsan_get_current_fiber(void);
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
}
#endif
#if defined(XYLEM_ASAN)
extern "C" {
void __sanitizer_start_switch_fiber(void** fake_stack_save, const void* bottom, size_t size);
void __sanitizer_finish_switch_fiber(void* fake_stack, const void** old_bottom, size_t* old_size);
void __asan_unpoison_memory_region(void const volatile* start, size_t size);
}
#endif

namespace xylem::base {

// What the sanitizers keep for one stack.
struct SanitizerStack {
  void* tsan_fiber = nullptr;
  void* asan_fake_stack = nullptr;
};

inline void sanitizer_adopt_this_thread([[maybe_unused]] SanitizerStack& stack) {
#if defined(XYLEM_TSAN)
  stack.tsan_fiber = __tsan_get_current_fiber();
#endif
}

inline void sanitizer_create(SanitizerStack& stack) {
#if defined(XYLEM_TSAN)
  if (!stack.tsan_fiber) stack.tsan_fiber = __tsan_create_fiber(0);
#endif
  stack.asan_fake_stack = nullptr;
}

// The stack was left for ever: what lies from `used` up to `high` are frames that never ended.
inline void sanitizer_destroy([[maybe_unused]] SanitizerStack& stack,
                              [[maybe_unused]] const char* used,
                              [[maybe_unused]] const char* high) {
#if defined(XYLEM_TSAN)
  if (stack.tsan_fiber) __tsan_destroy_fiber(stack.tsan_fiber);
  stack.tsan_fiber = nullptr;
#endif
#if defined(XYLEM_ASAN)
  __asan_unpoison_memory_region(used, static_cast<size_t>(high - used));
#endif
}

// Just before the switch from one stack to the other. `for_ever`: nobody comes back to `from`.
[[gnu::always_inline]] inline void sanitizer_leave([[maybe_unused]] SanitizerStack& from,
                                                   [[maybe_unused]] bool for_ever,
                                                   [[maybe_unused]] const SanitizerStack& to,
                                                   [[maybe_unused]] const char* to_low,
                                                   [[maybe_unused]] size_t to_bytes) {
#if defined(XYLEM_ASAN)
  __sanitizer_start_switch_fiber(for_ever ? nullptr : &from.asan_fake_stack, to_low, to_bytes);
#endif
#if defined(XYLEM_TSAN)
  // 0: what the one stack did before the switch happens before what the other does after it, as
  // both are on one kernel thread.
  __tsan_switch_to_fiber(to.tsan_fiber, 0);
#endif
}

// Just after it, on the stack that was switched to.
[[gnu::always_inline]] inline void sanitizer_arrive([[maybe_unused]] SanitizerStack& here) {
#if defined(XYLEM_ASAN)
  __sanitizer_finish_switch_fiber(here.asan_fake_stack, nullptr, nullptr);
#endif
}

}  // namespace xylem::base
