// Owns: how many workers a process runs beside programs that do not divide the processors with it,
// as those on other runtimes: a trial. It goes by the time and by what the kernel counts alone.
//
// Where another program takes the processor from a worker, all who wait for that worker's member
// wait for milliseconds. With fewer workers nobody is waited for; but where members do not wait for
// each other, that gives processors away. So where workers wait for a processor both are tried for
// a moment each, and what computes more is held:
//
//   watch -> all -> fewer -> hold -> all, if fewer workers computed more, else watch -> ...
//
// What workers compute is their processor time, less what it costs to sleep and to wake; during the
// trial none spins. They are fewer by as many as waited for a processor on an average.
#pragma once

#include <cstdint>

namespace xylem::sched {

// What the kernel counted of workers: since they began, or between two times.
struct WorkersUse {
  int64_t ran_ns = 0, delayed_ns = 0;  // had a processor; waited for one
  int64_t arrivals = 0;                // how often they got one
  WorkersUse operator-(const WorkersUse& before) const {
    return {ran_ns - before.ran_ns, delayed_ns - before.delayed_ns, arrivals - before.arrivals};
  }
  bool is_whole() const { return ran_ns >= 0 && delayed_ns >= 0 && arrivals >= 0; }
};

class Trial {
 public:
  enum class Phase : uint8_t { watch, all, fewer, hold };

  // At a poll of the monitor. `useful`: how many workers have something to run. read(phase, round):
  // what was used since the workers began, called where a phase begins and where it ends, with the
  // same round; where it watches a few of the workers will do.
  template <typename Read>
  void poll(int64_t now_ns, int useful, Read read) {
    if (now_ns < next_at_) return;
    if (!settles_) {
      const Phase before = phase_;
      phase_ = before == Phase::hold ? after_hold()
                                     : after_seen(now_ns, useful, read(before, round_) - begin_);
      next_at_ = now_ns + (phase_ == Phase::hold ? hold_ns_ : settle_ns);
      settles_ = changes_workers(before);
      if (settles_ || phase_ == Phase::hold) return;
    }
    settles_ = false;
    began_at_ = now_ns;
    next_at_ = now_ns + phase_ns;
    begin_ = read(phase_, ++round_);
  }
  // Others divide the processors, no region is open, or the monitor had to help: the next poll
  // begins anew.
  void stop() { *this = {}; }

  // How many workers are to run, of `useful` ones.
  int most(int useful) const { return runs_fewer() ? fewer_ : useful; }
  // Whether none is to spin.
  bool is_tried() const { return phase_ == Phase::all || phase_ == Phase::fewer; }

  // Long beside a time slice of the kernel's, and beside the polls. Where workers have come or gone
  // some time passes before, in which the kernel spreads threads over the processors.
  static constexpr int64_t phase_ns = 16'000'000, settle_ns = 12'000'000;
  // Fewer workers are held for less long, as the other programs may have ended; doubled each time
  // that a trial comes out as the one before.
  static constexpr int64_t hold_fewer_ns = 250'000'000, hold_all_ns = 1'000'000'000;
  static constexpr int64_t most_doubled = 4;
  // Processors' time that was waited for, in thousandths of the time, from which on it is tried.
  static constexpr int64_t delayed_least = 250;
  // To sleep and to be woken, with what the caches lose.
  static constexpr int64_t arrival_cost_ns = 5'000;

 private:
  bool runs_fewer() const {
    return phase_ == Phase::fewer || (phase_ == Phase::hold && fewer_were_better_);
  }
  bool changes_workers(Phase before) const {
    return phase_ == Phase::fewer || (phase_ == Phase::all && before == Phase::hold);
  }
  Phase after_hold() const { return fewer_were_better_ ? Phase::all : Phase::watch; }
  Phase after_seen(int64_t now_ns, int useful, const WorkersUse& use);
  Phase after_all(int useful, int64_t delayed, int64_t computed);
  Phase after_fewer(int64_t computed);

  Phase phase_ = Phase::watch;
  int round_ = 0;
  bool settles_ = false;                // the phase's counts have not begun
  int64_t began_at_ = 0, next_at_ = 0;  // 0: not begun
  WorkersUse begin_;
  int64_t all_computed_ = 0;  // in thousandths of a processor
  int fewer_ = 1;
  bool fewer_were_better_ = false;
  int64_t doubled_ = 1, hold_ns_ = 0;
};

}  // namespace xylem::sched
