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

// True if this library is built with a sanitizer, which is then told of each switch of stacks.
#if defined(XYLEM_TSAN) || defined(XYLEM_ASAN)
inline constexpr bool sanitizer_follows_switches = true;
#else
inline constexpr bool sanitizer_follows_switches = false;
#endif

// Whether handlers of signals are called after the signals came, where the thread is by then.
#if defined(XYLEM_TSAN)
inline constexpr bool sanitizer_delays_signals = true;
#else
inline constexpr bool sanitizer_delays_signals = false;
#endif

// Whether a switch to a stack tells its bounds to anybody.
#if defined(XYLEM_ASAN)
inline constexpr bool sanitizer_reads_bounds = true;
#else
inline constexpr bool sanitizer_reads_bounds = false;
#endif

// What the sanitizers keep for one stack.
struct SanitizerStack {
  void* tsan_fiber = nullptr;
  int tsan_fiber_left = 0;  // how often the stack was left for ever since the fiber was made
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

#if defined(XYLEM_ASAN)
// AddressSanitizer keeps locals of a stack in its fake stack, and destroys that only for who leaves
// it. The stack's last frames have locals that the arriving side reads, so they are left like any
// others, and destroyed here: by who enters the fake stack once more, on its own stack, and leaves.
__attribute__((no_sanitize("address"))) inline void sanitizer_destroy_fake_stack(
    SanitizerStack& dead) {
  if (!dead.asan_fake_stack) return;
  void* mine = nullptr;
  const void* low = nullptr;
  size_t bytes = 0;
  __sanitizer_start_switch_fiber(&mine, nullptr, 0);
  __sanitizer_finish_switch_fiber(dead.asan_fake_stack, &low, &bytes);
  __sanitizer_start_switch_fiber(nullptr, low, bytes);
  __sanitizer_finish_switch_fiber(mine, nullptr, nullptr);
  dead.asan_fake_stack = nullptr;
}
#endif

// The stack was left for ever: what lies from `used` up to `high` are frames that never ended.
inline void sanitizer_destroy([[maybe_unused]] SanitizerStack& stack,
                              [[maybe_unused]] const char* used,
                              [[maybe_unused]] const char* high) {
#if defined(XYLEM_TSAN)
  // Half a millisecond and more to make one, so it goes on with the stack's next use; but not for
  // ever, as the frames that never ended stand on its own list of calls.
  constexpr int most_left = 500;
  if (stack.tsan_fiber && ++stack.tsan_fiber_left == most_left) {
    __tsan_destroy_fiber(stack.tsan_fiber);
    stack.tsan_fiber = nullptr;
    stack.tsan_fiber_left = 0;
  }
#endif
#if defined(XYLEM_ASAN)
  sanitizer_destroy_fake_stack(stack);
  __asan_unpoison_memory_region(used, static_cast<size_t>(high - used));
#endif
}

// Just before the switch from one stack to the other.
[[gnu::always_inline]] inline void sanitizer_leave([[maybe_unused]] SanitizerStack& from,
                                                   [[maybe_unused]] const SanitizerStack& to,
                                                   [[maybe_unused]] const char* to_low,
                                                   [[maybe_unused]] size_t to_bytes) {
#if defined(XYLEM_ASAN)
  __sanitizer_start_switch_fiber(&from.asan_fake_stack, to_low, to_bytes);
#endif
#if defined(XYLEM_TSAN)
  // 0: what the one stack did before the switch happens before what the other does after it, as
  // both are on one kernel thread: the other runs the AfterSwitch of the first on its worker.
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
