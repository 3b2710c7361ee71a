// Owns: waiting in lists and by address. See wait_list.hpp and wait_address.hpp.
#include "fiber/wait_list.hpp"

#include <new>

#include "fiber/guest.hpp"
#include "fiber/wait_address.hpp"

namespace xylem::fiber {

namespace {

void unlock_after(Worker&, void* lock) XYLEM_NO_THREAD_ANALYSIS {  // taken by the fiber that left
  static_cast<SpinLock*>(lock)->unlock();
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

// --- by address ----------------------------------------------------------------------------------

namespace {

struct alignas(64) Bucket {
  SpinLock lock;
  EntityList waiters XYLEM_GUARDED_BY(lock);
};

constexpr int bucket_bits = 8;
constinit Bucket buckets[1 << bucket_bits];

Bucket& bucket_of(const void* address) {
  const auto hash = reinterpret_cast<uint64_t>(address) * 0x9E3779B97F4A7C15u;
  return buckets[hash >> (64 - bucket_bits)];
}

// Lives in the waiter's frame.
struct AddressWaiter : Entity {
  Fiber* fiber = nullptr;
  const void* address = nullptr;
};

}  // namespace

void wait_on(const std::atomic<uint32_t>* word, uint32_t value) XYLEM_NO_THREAD_ANALYSIS {
  Bucket& bucket = bucket_of(word);
  AddressWaiter waiter;
  waiter.fiber = &this_fiber();
  waiter.address = word;
  bucket.lock.lock();
  if (word->load() != value) {
    bucket.lock.unlock();
    return;
  }
  bucket.waiters.push_back(waiter);
  suspend(unlock_after, &bucket.lock, trace::Reason::lock);
}

namespace {
int wake(const std::atomic<uint32_t>* word, int most) {
  Bucket& bucket = bucket_of(word);
  int woken = 0;
  while (woken < most) {
    Fiber* fiber = nullptr;
    {
      Locked locked(bucket.lock);
      for (Entity* e = bucket.waiters.front(); e && !fiber; e = e->next) {
        auto* waiter = static_cast<AddressWaiter*>(e);
        if (waiter->address != word) continue;
        fiber = waiter->fiber;
        bucket.waiters.remove(*e);
        break;
      }
    }
    if (!fiber) break;
    make_ready(*fiber);
    ++woken;
  }
  return woken;
}
}  // namespace

void wake_one(const std::atomic<uint32_t>* word) { wake(word, 1); }
void wake_all(const std::atomic<uint32_t>* word) { wake(word, 0x7fffffff); }

void reset_waits_in_child() {
  for (Bucket& bucket : buckets) new (&bucket) Bucket;
}

}  // namespace xylem::fiber
