// Owns: kernel threads that stay on one processor though another one has none.
//
// The kernel wakes a thread where it ran last, and looks for an idle processor only where it
// expects one: on two processors, one of them busy, Linux 6 does not. Threads that have run a
// moment ago it does not move either. So two threads of a team that wake each other in each region
// share a processor for up to hundreds of milliseconds: each waits until the other sleeps.
//
// At each poll while a region is open the monitor reads where the threads that did something ran
// last, which the kernel writes into their memory (rseq). One that was seen on another's processor
// in some polls in a row is asked to go to a processor of its memory node that has none, and does
// so when it wakes next. Its affinity is what it was before. Other programs may use that processor:
// who has to wait for it is asked to go back. The program's own threads are not moved, nor threads
// in places. One whose fiber is held goes to its own PU, at once (home.hpp). Who is to have a
// processor for long goes to its own when it begins (ask_to_go_home): it would follow a request of
// the monitor's late, and is not watched.
#pragma once

#include <vector>

#include "sched/worker/worker.hpp"

namespace xylem::sched {

// Whether kernel threads are moved at all.
bool moves_threads(const Pool& pool);

class Parting {
 public:
  explicit Parting(Pool& pool);

  // One look at all threads. By the monitor alone. True if the next polls are to be steady: threads
  // met, or one was asked to go.
  bool poll(int64_t now);

 private:
  int count_threads();
  void ask(Worker& worker, int pu);
  void watch(int64_t now);
  void send_back();
  void judge(Worker& worker, int64_t now);
  int free_pu_for(const Worker& worker) const;
  int pu_of(const Worker& worker) const;

  Pool& pool_;
  std::vector<int> pus_;      // by the kernel's numbers of processors; -1: none of the machine's
  std::vector<int> threads_;  // that did something, by the PU where they ran last
  bool any_met_ = false;      // at the last poll, or at this
  // Polls in a row until one is asked to go: more each time, as the kernel may have its reasons;
  // few again after a time in which nobody met.
  int patience_;
  int64_t met_at_ = 0;
  // Who was asked to go last, one at a time, until it is known whether that was right.
  struct Away {
    int thread = 0;        // the kernel's number; 0: nobody
    int from = 0, to = 0;  // PUs
    int seen_at = -1;      // at the last poll
    int polls = 0;         // since it was asked, until it is there
    int64_t since = 0;     // when it was seen there first; 0: not yet
    int64_t waited = 0;    // for a processor, in all, then
    bool is(const Worker& worker) const {
      // relaxed: see Worker::show_thread()
      return thread != 0 && worker.kernel_thread.load(std::memory_order_relaxed) == thread;
    }
  };
  Away away_;
};

// Brings the worker's kernel thread to the processor, by the kernel's numbers; its affinity stays.
// By that thread, or by the monitor with its number. Two at once would each take the other's
// binding for what the affinity was: the second does nothing.
void bring_to(Worker& worker, int cpu, int tid = 0);

// By the worker's kernel thread, which has just woken.
void part(Worker& worker);
inline void part_if_asked(Worker& worker) {
  // relaxed: a number; it may be followed late
  if (worker.asked_to_go.load(std::memory_order_relaxed) >= 0) [[unlikely]]
    part(worker);
}

// The worker is asked to go to its own PU if it is elsewhere, where threads are moved at all. By
// its kernel thread.
void ask_to_go_home(Worker& worker);

}  // namespace xylem::sched
