// Owns: the monitor's kernel thread: when it polls, sleeps, and ends. See monitor.hpp.
#include "sched/worker/monitor.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/report.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/thread.hpp"
#include "sched/worker/address_waits.hpp"
#include "sched/worker/monitor_watch.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

namespace {
constexpr int64_t awake_without_region_ns = 50'000'000;
}  // namespace

Monitor::Monitor(Pool& pool)
    : pool_(pool),
      watches_(new Watch[static_cast<size_t>(pool.pu_count())]),
      levels_(new LevelWatch[pool.machine().levels().size()]),
      gathered_(pool.machine().levels()),
      hang_watch_(pool),
      parting_(pool),
      pace_(poll_period(pool.settings().time_slice_ns)) {}
Monitor::~Monitor() = default;

void Monitor::wake() {
  const uint32_t before = asleep_.exchange(0);
  if (before == 1) os::futex_wake(&asleep_, 1);
  if (before != 2) return;
  const auto start = refused_ ? os::start_thread : os::start_needed_thread;  // patient once
  if (start(entry, this, os::all_signals, 0) == 0) {
    runs_.store(true, std::memory_order_relaxed);  // relaxed: see runs()
    return;
  }
  base::warn_once("cannot start the monitor: threads that spin on each other may hang");
  refused_ = true;
  asleep_.store(2);  // the next region asks again; publishes `refused_`
}

void Monitor::record_deadline(int64_t deadline) {
  if (deadline < planned_.load()) poke();
}

void Monitor::end_rare_polls() {
  if (pace_.end()) poke();
}

void Monitor::poke() {
  pokes_.fetch_add(1);
  os::futex_wake(&pokes_, 1);
}

// Until then, the first deadline, or a poke.
void Monitor::sleep_until(int64_t poll_at) {
  const uint32_t seen = pokes_.load();
  planned_.store(poll_at);
  const int64_t until = std::min({poll_at, next_poll_of_gathered(), first_deadline()});
  planned_.store(until);
  const int64_t left = until - os::now_ns();
  if (left > 0) os::futex_wait(&pokes_, seen, left);
}

void Monitor::wait_until_ended() {
  if (!runs()) return;
  poke();
  // acquire: pairs with entry()
  while (ended_.load(std::memory_order_acquire) == 0) os::futex_wait(&ended_, 0);
}

void Monitor::entry(void* self) {
  auto& monitor = *static_cast<Monitor*>(self);
  monitor.run();
  monitor.ended_.store(1, std::memory_order_release);  // pairs with wait_until_ended()
  os::futex_wake(&monitor.ended_, 1);
}

void Monitor::arm_watchdog(int without_progress, int after_start) {
  hang_watch_.arm(without_progress);
  if (after_start <= 0) return;
  dump_at_ = os::now_ns() + int64_t{after_start} * 1'000'000'000;
  wake();
}

void Monitor::dump_and_abort(const char* why) {
  base::warn("%s", why);
  pool_.dump();
  abort();
}

void Monitor::run() {
  int64_t last_region = os::now_ns();
  int64_t poll_at = pace_.next_after(last_region, PollNeed::steady);
  for (;;) {
    sleep_until(std::min(poll_at, soon_at_));
    if (pool_.stopping()) return;
    const int64_t now = os::now_ns();
    if (dump_at_ && now > dump_at_) dump_and_abort("the time of XYLEM_DUMP_AFTER is over");
    wake_those_due(now);
    if (has_posts()) serve_posts();
    if (now >= soon_at_) poll_soon(now);
    if (now >= next_poll_of_gathered()) poll_gathered(now);
    poll_between(now);
    if (pace_.was_ended()) poll_at = now;
    if (now < poll_at) continue;
    // relaxed: an old value costs a tick
    if (pool_.open_regions.load(std::memory_order_relaxed) > 0) {
      last_region = now;
      poll_at = pace_.next_after(now, poll_in_region(now));
    } else if (now - last_region <= awake_without_region_ns) {
      poll_at = pace_.next_after(now, poll_between_regions(now));
    } else {
      if (pool_.settings().at_rest) pool_.settings().at_rest(pool_);
      rest();
      last_region = os::now_ns();
      poll_at = pace_.next_after(last_region, PollNeed::steady);
    }
  }
}

PollNeed Monitor::poll_in_region(int64_t now) {
  monitor_ticks.fetch_add(1, std::memory_order_relaxed);
  bool steady = recheck_waits();
  const bool soon = poll(now);
  if (!pool_.machine().synthetic()) steady |= parting_.poll(now);
  if (hang_watch_.poll(now)) dump_and_abort("no progress for the time of XYLEM_WATCHDOG");
  if (pool_.settings().each_poll) steady |= pool_.settings().each_poll(pool_, now);
  if (soon) return PollNeed::soon;
  return steady ? PollNeed::steady : PollNeed::none;
}

PollNeed Monitor::poll_between_regions(int64_t now) {
  hang_watch_.forget();
  soon_at_ = never;
  const auto also = pool_.settings().between_regions;
  return also && also(pool_, now) ? PollNeed::steady : PollNeed::none;
}

// relaxed: who pokes the monitor is in the region
void Monitor::poll_between(int64_t now) {
  const auto poll = pool_.settings().between_polls;
  if (poll && pool_.open_regions.load(std::memory_order_relaxed) > 0) poll(pool_, now);
}

// asleep_ = 1, then a poll of open_regions; record_region() is called after open_regions went up:
// one of the two sees the other.
void Monitor::rest() {
  asleep_.store(1);
  while (pool_.open_regions.load() == 0 && asleep_.load() == 1 && !pool_.stopping()) {
    const int64_t left = dump_at_ ? dump_at_ - os::now_ns() : -1;
    if (dump_at_ && left <= 0) break;
    os::futex_wait(&asleep_, 1, left);
  }
  asleep_.store(0);
}

}  // namespace xylem::sched
