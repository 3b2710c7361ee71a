// Owns: waiting in lists. See wait_list.hpp.
#include "sched/worker/wait_list.hpp"

#include "sched/worker/external_thread.hpp"

namespace xylem::sched {

namespace {

void unlock_after(Worker&, void* lock) XYLEM_NO_THREAD_ANALYSIS {  // taken by the fiber that left
  static_cast<base::SpinLock*>(lock)->unlock();
}

}  // namespace

void WaitList::wait(trace::Reason reason)
    XYLEM_NO_THREAD_ANALYSIS {  // unlocked by the context that follows
  fibers_.push_back(this_fiber());
  suspend(unlock_after, &lock_, reason);
}

EntityList WaitList::take_all() {
  const EntityList all = fibers_;
  fibers_ = {};
  return all;
}

Fiber* WaitList::take_one() {
  auto* first = static_cast<Fiber*>(fibers_.front());
  if (first) fibers_.remove(*first);
  return first;
}

}  // namespace xylem::sched
