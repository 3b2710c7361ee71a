// Owns: which fibers are gathered: go on on the PU of who wakes them.
//
// Threads that wait for each other again and again, and run for moments in between, write the same
// lines: the object that they wait at, what it guards, the list of those who wait. Where their runs
// alternate between PUs each run moves these lines, which takes several times as long as the run.
// So who has run briefly again and again is gathered when another such fiber wakes it. How long a
// run was is measured to the next call that waits, not to the wait itself, in which the contended
// lines are: else fibers that are spread would stay spread.
//
// Invariants:
// - Only a fiber that may run on any PU is gathered. It is pinned to a PU whose slot has a worker,
//   the one that runs the waker, or the idle home of an external thread's fiber that is woken with
//   it and cannot leave, and stands in that PU's queue: so it concerns that worker alone, as
//   parking.cpp proves for what is pinned.
// - Nobody stands there for long behind one that computes: while any stand there the monitor polls
//   every 50 us, and lets go who has stood there since its poll before (Monitor::poll_gathered).
// - A fiber that computes between two brief runs is not gathered: a run that is not brief halves
//   the count. Nor does a fiber gather others once its own run is not brief any more: they would
//   wait for its end.
#pragma once

#include <cstdint>

#include "os/ticks.hpp"
#include "sched/queue/fiber.hpp"

namespace xylem::sched {

constexpr int64_t brief_run_ns = 1000, interrupted_run_ns = 20 * brief_run_ns;
constexpr uint8_t most_brief_runs = 16, brief_runs_to_gather = 8;

inline bool has_waited(const Fiber& fiber) { return fiber.run_began != 0; }
inline bool ran_briefly(const Fiber& fiber) { return fiber.brief_runs > 0; }
inline bool runs_briefly(const Fiber& fiber) { return fiber.brief_runs >= brief_runs_to_gather; }

// Of the fiber that the caller runs: it is expected to wait in a moment. Who has run briefly for
// long may have been interrupted by the kernel: else all that it wakes would be spread then.
inline bool is_in_brief_run(const Fiber& fiber) {
  if (!runs_briefly(fiber)) return false;
  const uint32_t ran = static_cast<uint32_t>(os::read_ticks_early()) - fiber.run_began;
  const bool always = fiber.brief_runs == most_brief_runs;
  return ran < os::ticks_in(always ? interrupted_run_ns : brief_run_ns);
}

// The worker at whose PU the caller gathers whom it wakes; null: it gathers nobody. To be asked
// before the caller comes to lines that others write: they lengthen its run.
Worker* gathering_place();

// Makes all of the list ready: gathered on one PU, `place`'s or the idle home of one of them, but
// for those that may not run there.
void gather(EntityList& fibers, Worker& place);

// At the end of a wait in a call of libc's.
inline void begin_run(Fiber& fiber) {
  fiber.run_began = static_cast<uint32_t>(os::read_ticks_early());
}

// While one lives the caller's run stands still, if it is a fiber that `is_timed`: to wake others
// would make long runs of those of fibers that are spread. Of others the counter is not read.
class RunStandsStill {
 public:
  explicit RunStandsStill(bool (*is_timed)(const Fiber& fiber)) : fiber_(current_fiber()) {
    if (fiber_ && !is_timed(*fiber_)) fiber_ = nullptr;
    if (fiber_) since_ = os::read_ticks_early();
  }
  ~RunStandsStill() {
    if (fiber_) fiber_->run_began += static_cast<uint32_t>(os::read_ticks_early() - since_);
  }
  RunStandsStill(const RunStandsStill&) = delete;
  RunStandsStill& operator=(const RunStandsStill&) = delete;

 private:
  Fiber* fiber_;
  uint64_t since_ = 0;
};

// Before such a wait, in a call that began then; 0: it is not known. True if the fiber is to be
// gathered when it is woken. A wait that goes on in the same call ends no run.
inline bool end_run(Fiber& fiber, uint64_t called_at) {
  if (called_at == 0) return false;
  const auto ran = static_cast<int32_t>(static_cast<uint32_t>(called_at) - fiber.run_began);
  if (ran >= 0) {
    const bool brief = static_cast<uint64_t>(ran) < os::ticks_in(brief_run_ns);
    if (!brief)
      fiber.brief_runs /= 2;
    else if (fiber.brief_runs < most_brief_runs)
      ++fiber.brief_runs;
  }
  return runs_briefly(fiber);
}

}  // namespace xylem::sched
