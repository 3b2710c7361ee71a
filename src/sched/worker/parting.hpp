// Owns: kernel threads that stay on one processor though another one has none.
//
// The kernel wakes a thread where it ran last, and looks for an idle processor only where it
// expects one: on two processors, one of them busy, Linux 6 does not. Threads that have run a
// moment ago it does not move either. So two threads of a team that wake each other in each region
// share a processor for up to hundreds of milliseconds: each waits until the other sleeps.
//
// At each poll while a region is open the monitor reads where the threads that took turns ran last,
// which the kernel writes into their memory (rseq). One that was seen on another's processor in
// some polls in a row is asked to go to a free processor of its memory node, and does so when it
// wakes next. Its affinity is what it was before. The program's own threads are not moved, nor
// threads in places.
#pragma once

#include <vector>

#include "sched/worker/worker.hpp"

namespace xylem::sched {

class Parting {
 public:
  explicit Parting(Pool& pool);

  // One look at all threads. By the monitor alone.
  void poll();

 private:
  bool applies() const;
  int count_threads();
  void judge(Worker& worker);
  int free_pu_for(const Worker& worker) const;

  int pu_of(const Worker& worker) const;

  Pool& pool_;
  std::vector<int> pus_;      // by the kernel's numbers of processors; -1: none of the machine's
  std::vector<int> threads_;  // that took turns, by the PU where they ran last
  bool any_met_ = false;      // at the last poll, or at this
  // Polls in a row until one is asked to go: more each time, as the kernel may have its reasons;
  // few again after many polls that saw nobody meet.
  int patience_;
  int calm_polls_ = 0;
};

// By the worker's kernel thread, which has just woken.
void part(Worker& worker);
inline void part_if_asked(Worker& worker) {
  // relaxed: a number; it may be followed late
  if (worker.asked_to_go.load(std::memory_order_relaxed) >= 0) [[unlikely]]
    part(worker);
}

}  // namespace xylem::sched
