// Owns: the question whether the process hangs: a region is open, and nothing in it has moved for a
// given time (XYLEM_WATCHDOG).
//
// Progress is: a worker took a turn (a fiber began, ended or switched), a worker came or went, or
// the workers used processor time. So a long computation is no hang; neither are threads that spin.
// All functions but arm() are called by the monitor alone.
#pragma once

#include <cstdint>

namespace xylem::sched {

class Pool;

class HangWatch {
 public:
  explicit HangWatch(Pool& pool) : pool_(pool) {}

  // 0: never. Before the monitor starts.
  void arm(int seconds) { limit_ns_ = int64_t{seconds} * 1'000'000'000; }

  // While a region is open: true once nothing has moved for the time.
  bool poll(int64_t now);
  // No region is open.
  void forget() { moved_at_ = 0; }

 private:
  struct Sum {
    uint64_t turns = 0;
    int64_t cpu_ns = 0;
    int workers = 0;
  };
  Sum add_up();
  bool has_moved(const Sum& sum, int64_t now) const;

  Pool& pool_;
  int64_t limit_ns_ = 0;
  int64_t polled_at_ = 0;
  int64_t moved_at_ = 0;  // 0: no region was open at the last poll
  Sum seen_;
};

}  // namespace xylem::sched
