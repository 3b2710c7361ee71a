// Owns: the scheduler that was offered, and the counters. See waiting.hpp.
#include "wait/waiting.hpp"

#include <cerrno>

#include "base/relax.hpp"
#include "wait/condition.hpp"
#include "wait/libc.hpp"

namespace xylem::wait {

namespace {

// Written by install() (release); pairs with the acquire in scheduler().
constinit std::atomic<const Scheduler*> the_scheduler{nullptr};

constexpr int hash_bits = 8;
struct alignas(64) Counter {
  std::atomic<uint32_t> count{0};
  // The address at which a fiber starves; null: at none. Written by that fiber; sequentially
  // consistent.
  std::atomic<const void*> starved{nullptr};
};
constinit Counter counters[1 << hash_bits];

Counter& counter_at(const void* address) {
  const auto hash = reinterpret_cast<uint64_t>(address) * 0x9E3779B97F4A7C15u;
  return counters[hash >> (64 - hash_bits)];
}
std::atomic<uint32_t>& count_at(const void* address) { return counter_at(address).count; }

// After so many ticks, about a millisecond, who finds the object taken once more starves.
constexpr uint64_t patience_ticks = 2'000'000;

// True: nobody else does at an address of this hash.
bool begin_to_starve(const void* address) {
  const void* nobody = nullptr;
  return counter_at(address).starved.compare_exchange_strong(nobody, address);
}

// Whether a fiber may wait there. Relaxed: the fence has put the change before it.
bool is_waited_for(const void* address) {
  std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with that in Interest
  return count_at(address).load(std::memory_order_relaxed) != 0;
}

int64_t in_ns(const timespec& time) {
  constexpr int64_t second = 1'000'000'000;
  if (time.tv_sec >= no_deadline / second - 1) return no_deadline;
  return int64_t{time.tv_sec} * second + time.tv_nsec;
}

int64_t now(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return in_ns(time);
}

int64_t later(int64_t start, int64_t span) {
  return span >= no_deadline - start ? no_deadline : start + span;
}

}  // namespace

const Scheduler* scheduler() { return the_scheduler.load(std::memory_order_acquire); }

const Scheduler* scheduler_of_fiber(const void* caller) {
  const Scheduler* offered = scheduler();
  return offered && offered->on_fiber() && !is_allocator(caller) ? offered : nullptr;
}

Interest::Interest(const void* address) : count_(count_at(address)) {
  count_.fetch_add(1, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with that in is_waited_for()
}
Interest::~Interest() {
  count_.fetch_sub(1, std::memory_order_relaxed);  // relaxed: who still sees the fiber wakes nobody
  if (const Scheduler* offered = scheduler()) offered->waited();
}

bool has_interest(const void* address) {
  return scheduler() && count_at(address).load(std::memory_order_relaxed) != 0;
}

void wake(const void* address) {
  const Scheduler* offered = scheduler();
  if (offered && is_waited_for(address)) offered->wake(address);
}

void wake_soon(const void* address) {
  const Scheduler* offered = scheduler();
  if (offered && is_waited_for(address)) offered->wake_soon(address);
}

bool is_starved(const void* address) { return counter_at(address).starved.load() == address; }

bool must_queue(const Wait& wait) {
  return wait.in_turn && !wait.starves && is_starved(wait.address);
}

namespace {

// Who may not try passes on the wake-up that it may have been sent.
int try_in_turn(const Wait& wait, const Attempt& attempt) {
  if (!must_queue(wait)) return attempt.take(attempt.object);
  wake(wait.address);
  return attempt.busy;
}

// Till it has taken the object, or has an error of the attempt's, or the deadline came. Then it may
// try whoever starves: POSIX knows no time that is over for an object that is free.
int wait_to_take(const Scheduler& scheduler, Wait& wait, const Attempt& attempt, int64_t deadline) {
  for (bool in_time = true;;) {
    const int result = in_time ? try_in_turn(wait, attempt) : attempt.take(attempt.object);
    if (result != attempt.busy) return result;
    if (!in_time) return ETIMEDOUT;
    if (wait.in_turn && !wait.starves && scheduler.ticks() - wait.called_at > patience_ticks)
      wait.starves = begin_to_starve(wait.address);
    in_time = scheduler.wait(wait, deadline);
  }
}

// Of base::relax() between the last two polls: a microsecond or two in all, as long as it takes to
// suspend a fiber and wake it.
constexpr int most_relaxes = 32;

// A holder on another processor often gives the object back sooner, and need not wake who does not
// stand in its list yet. Each poll takes the object's cache line from the holder, so polls become
// rarer.
int spin_to_take(const Wait& wait, const Attempt& attempt) {
  for (int relaxes = 1; relaxes <= most_relaxes; relaxes *= 2) {
    for (int i = 0; i < relaxes; ++i) base::relax();
    if (wait.room(wait) == 0) continue;
    const int result = attempt.take(attempt.object);
    if (result != attempt.busy) return result;
  }
  return attempt.busy;
}

}  // namespace

int take_on_fiber(const Scheduler& scheduler, Wait wait, const Attempt& attempt, int64_t deadline) {
  int result = try_in_turn(wait, attempt);
  if (result != attempt.busy) return result;
  wait.called_at = scheduler.ticks();
  if (wait.in_turn && !must_queue(wait)) result = spin_to_take(wait, attempt);
  if (result != attempt.busy) return result;
  const Interest interest(wait.address);
  result = wait_to_take(scheduler, wait, attempt, deadline);
  if (wait.starves) counter_at(wait.address).starved.store(nullptr);
  if (wait.starves && result != 0) wake(wait.address);  // those who queued behind it
  return result;
}

bool is_valid(const timespec& time) { return time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000; }

int64_t deadline_at(clockid_t clock, const timespec& time) {
  if (time.tv_sec < 0) return 0;
  if (clock == CLOCK_MONOTONIC) return in_ns(time);
  const int64_t left = in_ns(time) - now(clock);
  return left <= 0 ? 0 : later(now(CLOCK_MONOTONIC), left);
}

int64_t deadline_after(const timespec& span) { return later(now(CLOCK_MONOTONIC), in_ns(span)); }

}  // namespace xylem::wait

extern "C" [[gnu::visibility("default")]] void xylem_wait_install_3(
    const xylem::wait::Scheduler* offered) {
  using namespace xylem::wait;
  // relaxed: a process's first call, or a forked child's, where no other thread is
  for (Counter& counter : counters) {
    counter.count.store(0, std::memory_order_relaxed);
    counter.starved.store(nullptr, std::memory_order_relaxed);
  }
  forget_conditions();
  the_scheduler.store(offered, std::memory_order_release);
}
