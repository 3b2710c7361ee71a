// Taking and giving locks; see the header for the three values of a word.
#include "omp/sync/lock.hpp"

#include "base/relax.hpp"
#include "omp/env/icv.hpp"
#include "sched/sched.hpp"

namespace xylem::omp {
namespace {

using detail::free_word;
using detail::waited_for;

// Of base::relax() between two polls: the last wait of who spins, 13 microseconds, half of all.
// Most critical sections are shorter than a microsecond, but a thread that comes to one again and
// again runs on alone meanwhile, which is worth more than that the other gets it at once.
constexpr int most_relaxes = 512;
// With one processor the holder does not run.
constexpr int most_relaxes_alone = 32;

// Each poll takes the word's cache line from the holder, so polls become rarer.
bool spin_for(LockWord& word) {
  const int most = globals().usable_threads > 1 ? most_relaxes : most_relaxes_alone;
  for (int relaxes = 1; relaxes <= most; relaxes *= 2) {
    for (int i = 0; i < relaxes; ++i) base::relax();
    // Relaxed: a hint; try_lock decides. A word that is waited for has sleepers before us.
    std::uint32_t seen = word.load(std::memory_order_relaxed);
    if (seen == waited_for) return false;
    if (seen == free_word && try_lock(word)) return true;
  }
  return false;
}

}  // namespace

namespace detail {

constinit WordOfItsOwnLine unnamed;
constinit WordOfItsOwnLine atomics;

void lock_long(LockWord& word) {
  if (spin_for(word)) return;
  // Acquire pairs with the release in unlock.
  while (word.exchange(waited_for, std::memory_order_acquire) != free_word)
    sched::wait_on(&word, waited_for);
}

// Uses the word's address only.
void wake_waiter(LockWord& word) { sched::wake_one(&word); }

}  // namespace detail

int lock(NestLock& nested, const void* self) {
  // Relaxed: only the task itself can have written its own identity.
  if (nested.owner.load(std::memory_order_relaxed) == self) return ++nested.count;
  lock(nested.word);
  nested.owner.store(self, std::memory_order_relaxed);
  return nested.count = 1;
}

int try_lock(NestLock& nested, const void* self) {
  // Relaxed: as in lock.
  if (nested.owner.load(std::memory_order_relaxed) == self) return ++nested.count;
  if (!try_lock(nested.word)) return 0;
  nested.owner.store(self, std::memory_order_relaxed);
  return nested.count = 1;
}

void unlock(NestLock& nested) {
  if (--nested.count > 0) return;
  // Relaxed: cleared before the release of the word, so the next holder's store comes after it.
  nested.owner.store(nullptr, std::memory_order_relaxed);
  unlock(nested.word);
}

}  // namespace xylem::omp
