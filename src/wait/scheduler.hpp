// Owns: the agreement between the two libraries. libxylem.so offers a Scheduler; libxylem-wait.so,
// if it is in the process, takes it and lets calls that block a kernel thread wait there instead.
// Neither library is linked against the other.
#pragma once

#include <cstdint>

namespace xylem::wait {

inline constexpr int64_t no_deadline = INT64_MAX;
inline constexpr uint32_t everyone = UINT32_MAX;

// What one fiber waits for; lives in that fiber's frame.
struct Wait {
  const void* address;  // by which it is woken
  // How many of those who wait at this address may go on now; 0: this one may not. Called with a
  // spin lock held, by any thread, while the fiber waits: reads the object, calls nothing.
  uint32_t (*room)(const Wait& wait);
  const void* object;
  uint32_t value = 0;
  // Scheduler::ticks() when the program's call began to wait; 0: not known.
  uint64_t called_at = 0;
  // room() is about this waiter alone, and cannot know of a wake-up that was sent around this
  // library: the wait ends early now and then. Else room() is about all at the address.
  bool alone = false;
  // Who takes the object gives it back, and wakes then: while one that was woken has not tried yet,
  // nobody else need be woken.
  bool in_turn = false;
  // It stands before all others at the address.
  bool starves = false;
};

// Every function keeps errno. Deadlines are times of CLOCK_MONOTONIC in nanoseconds.
struct Scheduler {
  // True if the caller is a fiber, in code of the program, and may be suspended.
  bool (*on_fiber)();
  // True if libc takes each fiber for a thread of its own, so that locks know their owner.
  bool (*own_identity)();
  void (*yield)();
  // The processor's time counter.
  uint64_t (*ticks)();
  // Suspends the calling fiber until it is woken; returns at once if there is room, and may return
  // early. False if the deadline came first.
  bool (*wait)(const Wait& wait, int64_t deadline);
  // By who has waited, when the program's call ends.
  void (*waited)();
  // Makes ready those who wait at the address and for whom there is room.
  void (*wake)(const void* address);
  // The same, soon: for signal handlers. Takes no lock.
  void (*wake_soon)(const void* address);
  // For kernel threads that are no fibers: sleeps while *word == value, wakes all who do.
  void (*sleep_in_kernel)(const uint32_t* word, uint32_t value);
  void (*wake_in_kernel)(const uint32_t* word);
};

// The function of libxylem-wait.so that takes a Scheduler, which lives as long as the process. A
// forked child calls it again: nobody waits there.
inline constexpr char install_name[] = "xylem_wait_install_3";
using Install = void (*)(const Scheduler* scheduler);

}  // namespace xylem::wait
