// Owns: the buckets of waiters, the timers of those with a deadline, the wake-ups that were posted.
// See address_waits.hpp.
//
// A deadline and a wake-up race for a waiter. Both take it out of its bucket's list under the
// bucket's lock, and only who did so makes the fiber ready. Order of locks: timers, then bucket.
// A waiter is in the heap before it looks at its condition; a deadline that comes before that marks
// it, and the poll sees the mark. It leaves the heap before its frame goes.
#include "sched/worker/address_waits.hpp"

#include <climits>
#include <new>

#include "sched/queue/fiber.hpp"
#include "sched/worker/external_thread.hpp"
#include "sched/worker/gathering.hpp"
#include "sched/worker/pool.hpp"
#include "sched/worker/timers.hpp"
#include "sched/worker/wait_address.hpp"

namespace xylem::sched {

namespace {

using wait::Wait;

// Lives in the waiter's frame. All by the bucket's lock but the timer.
struct Waiter : Entity, Timer {
  const Wait* wait = nullptr;
  Fiber* fiber = nullptr;
  bool stands = false;   // in the bucket's list
  bool expired = false;  // its deadline came
  bool recheck = false;
  bool is_old = false;   // has stood there at a whole recheck
  bool gathers = false;  // it is to go on beside who wakes it (gathering.hpp)
};

struct alignas(64) Bucket {
  base::SpinLock lock{{30, "Bucket::lock"}};
  EntityList waiters XYLEM_GUARDED_BY(lock);
  // Those the monitor is to look at. Written under the lock; relaxed: it looks again at each tick.
  std::atomic<int> to_recheck{0};
  // An address whose object one may take (Wait::in_turn) and whose next taker is on the way: woken,
  // and has not looked yet. It goes on soon, as any worker may run it. Null: that is not known.
  // Written under the lock by who wakes, and without it by who was woken.
  std::atomic<const void*> next_comes_to{nullptr};
};

constexpr int bucket_bits = 8;
constexpr int bucket_count = 1 << bucket_bits;
constinit Bucket buckets[bucket_count];
constinit Timers timers;
constexpr int others_at_once = 64;  // a whole recheck finds whoever stands behind them

int index_of(const void* address) {
  const auto hash = reinterpret_cast<uint64_t>(address) * 0x9E3779B97F4A7C15u;
  return static_cast<int>(hash >> (64 - bucket_bits));
}

void unlock_after(Worker&, void* lock) XYLEM_NO_THREAD_ANALYSIS {  // taken by the fiber that left
  static_cast<base::SpinLock*>(lock)->unlock();
}

void enter(Bucket& bucket, Waiter& waiter) XYLEM_REQUIRES(bucket.lock) {
  waiter.stands = true;
  if (waiter.recheck) {
    bucket.to_recheck.fetch_add(1, std::memory_order_relaxed);
    waiter.fiber->worker->pool->monitor().record_waiting();
  }
  if (waiter.wait->starves)
    bucket.waiters.push_front(waiter);
  else
    bucket.waiters.push_back(waiter);
}

// The caller makes the fiber ready: until then the waiter's frame lives.
Fiber& leave(Bucket& bucket, Waiter& waiter) XYLEM_REQUIRES(bucket.lock) {
  waiter.stands = false;
  if (waiter.recheck) bucket.to_recheck.fetch_sub(1, std::memory_order_relaxed);
  bucket.waiters.remove(waiter);
  return *waiter.fiber;
}

void start_timer(Waiter& waiter, int64_t deadline) {
  if (timers.add(waiter, deadline)) waiter.fiber->worker->pool->monitor().record_deadline(deadline);
}

enum class Step : uint8_t { pass, take, stop };

// Takes out of the bucket and makes ready whom `judge(waiter)` says to take. Inlined: a call would
// copy the references that the judge holds.
template <typename Judge>
[[gnu::always_inline]] inline void wake_in(Bucket& bucket, Judge judge) {
  Worker* const place = gathering_place();
  EntityList woken, gathered;
  {
    base::Locked locked(bucket.lock);
    for (Entity* e = bucket.waiters.front(); e;) {
      Entity* next = e->next;
      auto& waiter = static_cast<Waiter&>(*e);
      const Step step = judge(waiter);
      if (step == Step::stop) break;
      if (step == Step::take)
        (place && waiter.gathers ? gathered : woken).push_back(leave(bucket, waiter));
      e = next;
    }
  }
  if (!woken.empty()) make_all_ready(woken);
  if (!gathered.empty()) gather(gathered, *place);
}

// Of a bucket in which some object has changed: whoever there is room for. Most often all wait for
// the same object, so once that has no room, at most so many of the others are looked at.
void wake_all_with_room(Bucket& bucket, int others) {
  const void* full = nullptr;  // the address that has no room any more
  const void* address = nullptr;
  uint32_t woken = 0;
  wake_in(bucket, [&](Waiter& waiter) {
    const Wait& wait = *waiter.wait;
    if (wait.address == full) return others-- > 0 ? Step::pass : Step::stop;
    if (wait.address != address) woken = 0;
    address = wait.address;
    if (wait.room(wait) > woken) {
      ++woken;
      return Step::take;
    }
    if (!wait.alone) full = address;
    return Step::pass;
  });
}

// Before the caller looks at the object. Perhaps it was not the one that comes: then one more is
// woken than need be.
void record_arrival(Bucket& bucket, const void* address) {
  // relaxed: the caller's own mark, or another's. The store pairs with the load in next_comes().
  if (bucket.next_comes_to.load(std::memory_order_relaxed) == address)
    bucket.next_comes_to.store(nullptr);
}

// True: who comes to the object looks at it after what the caller has changed in it.
bool next_comes(const Bucket& bucket, const void* address) {
  return bucket.next_comes_to.load() == address;
}

}  // namespace

bool wait_for_room(const Wait& wait, int64_t deadline, bool interposed) XYLEM_NO_THREAD_ANALYSIS {
  Fiber& fiber = this_fiber();
  // Perhaps whom the caller has woken goes on in its place.
  if (has_posts_for(*fiber.worker)) serve_posts_for(*fiber.worker);
  Waiter waiter;
  waiter.wait = &wait;
  waiter.fiber = &fiber;
  waiter.recheck = interposed;
  if (interposed) waiter.gathers = end_run(fiber, wait.called_at);
  const bool timed = deadline != wait::no_deadline;
  if (timed) start_timer(waiter, deadline);
  Bucket& bucket = buckets[index_of(wait.address)];
  bucket.lock.lock();
  if (waiter.expired || wait.room(wait) > 0) {
    bucket.lock.unlock();
  } else {
    enter(bucket, waiter);
    suspend(unlock_after, &bucket.lock, trace::Reason::lock);
    if (wait.in_turn) record_arrival(bucket, wait.address);
  }
  if (timed) timers.remove(waiter);
  if (interposed) begin_run(fiber);
  return !waiter.expired;
}

void wake_with_room(const void* address, uint32_t most) {
  Bucket& bucket = buckets[index_of(address)];
  if (next_comes(bucket, address)) return;
  uint32_t woken = 0;
  wake_in(bucket, [&](Waiter& waiter) {
    const Wait& wait = *waiter.wait;
    if (wait.address != address) return Step::pass;
    if (woken == most) return Step::stop;
    if (wait.room(wait) > woken) {
      ++woken;
      if (wait.in_turn && goes_anywhere(*waiter.fiber)) bucket.next_comes_to.store(address);
      return Step::take;
    }
    return wait.alone ? Step::pass : Step::stop;
  });
}

// --- posts ---------------------------------------------------------------------------------------

namespace {

constexpr int word_bits = 64;
// Buckets that serve_posts() is to look at. The bit is set before `posts_wait`, which is cleared
// before the bits are read; all sequentially consistent, so no bit is left behind unseen.
constinit std::atomic<uint64_t> posted[bucket_count / word_bits];
constinit std::atomic<bool> posts_wait{false};

}  // namespace

// A worker that looks for work would be sooner than the poster, and let who waits go on on another
// PU. The poster's own worker serves what a brief run has posted, when that ends.
void post_wake(const void* address) {
  Worker* const its_own = gathering_place();
  // relaxed: its kernel thread reads it; for the monitor the bit's operation is between
  if (its_own) its_own->has_posted.store(true, std::memory_order_relaxed);
  const int index = index_of(address);
  posted[index / word_bits].fetch_or(uint64_t{1} << (index % word_bits));
  if (its_own) return its_own->pool->monitor().record_gathering(its_own->pu);
  posts_wait.store(true);
  if (Pool* pool = Pool::instance()) pool->nudge();
}

bool has_posts() { return posts_wait.load(); }

bool has_posts_for(const Worker& worker) {
  return worker.has_posted.load(std::memory_order_relaxed) || has_posts();  // relaxed: post_wake()
}

void serve_posts() {
  posts_wait.store(false);
  for (int word = 0; word < bucket_count / word_bits; ++word) {
    if (posted[word].load() == 0) continue;
    for (uint64_t bits = posted[word].exchange(0); bits != 0; bits &= bits - 1)
      wake_all_with_room(buckets[word * word_bits + __builtin_ctzll(bits)], others_at_once);
  }
}

void serve_posts_for(Worker& worker) {
  worker.has_posted.store(false, std::memory_order_relaxed);  // before the bits are read
  serve_posts();
}

// --- the monitor's part --------------------------------------------------------------------------

int64_t first_deadline() { return timers.first_deadline(); }

void wake_those_due(int64_t now) {
  EntityList due;
  timers.take_due(now, [&due](Timer& timer) {
    auto& waiter = static_cast<Waiter&>(timer);
    Bucket& bucket = buckets[index_of(waiter.wait->address)];
    base::Locked locked(bucket.lock);
    waiter.expired = true;
    if (waiter.stands) due.push_back(leave(bucket, waiter));
  });
  if (!due.empty()) make_all_ready(due);
}

namespace {

constexpr uint32_t ticks_between_whole_rechecks = 64;

// Ends waits of whom nobody can say whether a wake-up has passed them by.
void wake_the_old(Bucket& bucket) {
  wake_in(bucket, [](Waiter& waiter) {
    const bool end = waiter.is_old && waiter.wait->alone;
    waiter.is_old = true;
    return end ? Step::take : Step::pass;
  });
}

}  // namespace

bool recheck_waits() {
  const uint32_t tick = monitor_ticks.load(std::memory_order_relaxed);
  const bool whole = tick % ticks_between_whole_rechecks == 0;
  bool any = false;
  for (Bucket& bucket : buckets) {
    if (bucket.to_recheck.load(std::memory_order_relaxed) == 0) continue;
    any = true;
    wake_all_with_room(bucket, whole ? INT_MAX : others_at_once);
    if (whole) wake_the_old(bucket);
  }
  return any;
}

// --- the runtime's own words (wait_address.hpp) --------------------------------------------------

namespace {

uint32_t room_if_changed(const Wait& wait) {
  const auto* word = static_cast<const std::atomic<uint32_t>*>(wait.object);
  return word->load() != wait.value ? wait::everyone : 0;
}

}  // namespace

void wait_on(const std::atomic<uint32_t>* word, uint32_t value) {
  wait_for_room({word, room_if_changed, word, value}, wait::no_deadline, false);
}

void wake_one(const std::atomic<uint32_t>* word) { wake_with_room(word, 1); }
void wake_all(const std::atomic<uint32_t>* word) { wake_with_room(word, wait::everyone); }

void reset_waits_in_child() {
  for (Bucket& bucket : buckets) new (&bucket) Bucket;
  new (&timers) Timers;
  for (std::atomic<uint64_t>& word : posted) word.store(0);
  posts_wait.store(false);
}

}  // namespace xylem::sched
