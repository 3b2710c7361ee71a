// Owns: waiting for a number to grow. See progress.hpp for why no wake-up is lost.
#include "omp/loops/progress.hpp"

#include "base/relax.hpp"
#include "sched/sched.hpp"

namespace xylem::omp {

namespace {

constexpr int short_spin = 40;  // turns of base::relax(), about a microsecond

void unlock_after(void* lock) XYLEM_NO_THREAD_ANALYSIS {  // taken by who left
  static_cast<base::SpinLock*>(lock)->unlock();
}

}  // namespace

// Lives in the waiting thread's frame, in the list under the lock.
struct Sleepers::Waiter {
  sched::Thread* thread;
  uint64_t wanted;
  Waiter* next;
};

void Sleepers::sleep(const std::atomic<uint64_t>& value, uint64_t wanted)
    XYLEM_NO_THREAD_ANALYSIS {  // unlocked by the context that follows
  Waiter waiter{&sched::this_thread(), wanted, nullptr};
  lock_.lock();
  count_.fetch_add(1, std::memory_order_seq_cst);         // pairs with any()
  if (value.load(std::memory_order_seq_cst) >= wanted) {  // pairs with what an opener writes
    count_.fetch_sub(1, std::memory_order_relaxed);       // relaxed: too many is only slow
    lock_.unlock();
    return;
  }
  waiter.next = first_;
  first_ = &waiter;
  sched::suspend(unlock_after, &lock_, trace::Reason::ordered);
}

void Sleepers::wake(uint64_t value) {
  Waiter* woken = nullptr;
  {
    base::Locked locked(lock_);
    for (Waiter** at = &first_; *at;) {
      Waiter* waiter = *at;
      if (waiter->wanted > value) {
        at = &waiter->next;
        continue;
      }
      *at = waiter->next;
      waiter->next = woken;
      woken = waiter;
      count_.fetch_sub(1, std::memory_order_relaxed);  // relaxed: as in sleep()
    }
  }
  while (woken) {  // out of the list they are ours; ready, they end with their frames
    Waiter* next = woken->next;
    sched::make_ready(*woken->thread);
    woken = next;
  }
}

void Progress::wait_long(uint64_t wanted) {
  for (int turn = 0; turn < short_spin; ++turn) {
    if (reached(wanted)) return;
    base::relax();
  }
  while (!reached(wanted)) sleepers_.sleep(value_, wanted);
}

}  // namespace xylem::omp
