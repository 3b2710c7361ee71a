// Owns: yielding and sleeping. A fiber that sleeps is woken by its deadline alone: no signal ends
// its sleep early.
#include <cerrno>

#include "wait/libc.hpp"
#include "wait/waiting.hpp"

namespace xylem::wait {

namespace {

uint32_t no_room(const Wait&) { return 0; }

void sleep_until(const Scheduler& scheduler, int64_t deadline) {
  const Wait wait{&wait, no_room, nullptr};
  while (scheduler.wait(wait, deadline)) {
  }
  scheduler.waited();
}

void sleep_for(const Scheduler& scheduler, const timespec& span) {
  sleep_until(scheduler, deadline_after(span));
}

bool is_span(const timespec& span) { return span.tv_sec >= 0 && is_valid(span); }

// Apart from the wait: errno's address must not be kept over it.
[[gnu::noinline]] int invalid() {
  errno = EINVAL;
  return -1;
}

int yield_here(const void* caller) {
  const Scheduler* here = scheduler_of_fiber(caller);
  if (!here) return libc().sched_yield();
  here->yield();
  return 0;
}

}  // namespace
}  // namespace xylem::wait

#pragma GCC visibility push(default)
extern "C" {

using namespace xylem::wait;

int sched_yield() noexcept { return yield_here(__builtin_return_address(0)); }
// Today's header calls it sched_yield(); older programs still ask for it.
int yield_by_old_name() noexcept __asm__("pthread_yield");
int yield_by_old_name() noexcept { return yield_here(__builtin_return_address(0)); }
void thrd_yield() { yield_here(__builtin_return_address(0)); }

int nanosleep(const timespec* span, timespec* left) {
  const Scheduler* here = scheduler_of_fiber(__builtin_return_address(0));
  if (!here) return libc().nanosleep(span, left);
  if (!is_span(*span)) return invalid();
  sleep_for(*here, *span);
  return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  const Scheduler* here =
      is_known(clock) ? scheduler_of_fiber(__builtin_return_address(0)) : nullptr;
  if (!here) return libc().clock_nanosleep(clock, flags, time, left);
  if (!is_span(*time)) return EINVAL;
  if ((flags & TIMER_ABSTIME) != 0)
    sleep_until(*here, deadline_at(clock, *time));
  else
    sleep_for(*here, *time);
  return 0;
}

int thrd_sleep(const timespec* span, timespec* left) {
  const Scheduler* here = scheduler_of_fiber(__builtin_return_address(0));
  if (!here) return libc().thrd_sleep(span, left);
  if (!is_span(*span)) return -2;  // C11: negative, and not the -1 of an interrupted sleep
  sleep_for(*here, *span);
  return 0;
}

int usleep(unsigned microseconds);
int usleep(unsigned microseconds) {
  const Scheduler* here = scheduler_of_fiber(__builtin_return_address(0));
  if (!here) return libc().usleep(microseconds);
  sleep_for(*here, {static_cast<time_t>(microseconds / 1'000'000),
                    static_cast<long>(microseconds % 1'000'000) * 1'000});
  return 0;
}

unsigned sleep(unsigned seconds);
unsigned sleep(unsigned seconds) {
  const Scheduler* here = scheduler_of_fiber(__builtin_return_address(0));
  if (!here) return libc().sleep(seconds);
  sleep_for(*here, {static_cast<time_t>(seconds), 0});
  return 0;
}
}
#pragma GCC visibility pop
