// OpenMP locks, critical sections and the atomic fallback: one blocking primitive on a 4-byte word.
//
// Invariant of a LockWord: 0 free, 1 held, 2 held and perhaps waited for. A zeroed word is a free
// lock. A waiter sleeps (sched::wait_on) only while the word is 2, so the holder that turns 2 into
// 0 wakes one of them; a woken waiter takes the lock with 2, as it cannot know whether others
// sleep.
#pragma once

#include <atomic>
#include <cstdint>

namespace xylem::omp {

using LockWord = std::atomic<std::uint32_t>;
static_assert(sizeof(LockWord) == 4);

namespace detail {

inline constexpr std::uint32_t free_word = 0;
inline constexpr std::uint32_t held = 1;
inline constexpr std::uint32_t waited_for = 2;

struct alignas(64) WordOfItsOwnLine {
  LockWord word;
};
extern constinit WordOfItsOwnLine unnamed;
extern constinit WordOfItsOwnLine atomics;

// Of a word that is not free.
void lock_long(LockWord& word);
// Who held the word that was `waited_for` wakes one of its waiters.
void wake_waiter(LockWord& word);

}  // namespace detail

inline bool try_lock(LockWord& word) {
  std::uint32_t expected = detail::free_word;
  // Acquire pairs with the release in unlock. Relaxed on failure: nothing was read.
  return word.compare_exchange_strong(expected, detail::held, std::memory_order_acquire,
                                      std::memory_order_relaxed);
}

// May suspend the calling fiber. Not recursive.
inline void lock(LockWord& word) {
  if (!try_lock(word)) [[unlikely]]
    detail::lock_long(word);
}

inline void unlock(LockWord& word) {
  // Release pairs with the acquires in lock_long and try_lock. After it the word may be gone.
  if (word.exchange(detail::free_word, std::memory_order_release) == detail::waited_for)
      [[unlikely]]
    detail::wake_waiter(word);
}

// Owned by a task, which may take it again. Zeroed it is free.
struct NestLock {
  LockWord word;
  std::int32_t count;              // by the owner only
  std::atomic<const void*> owner;  // written by the holder; others only compare it with themselves
};

// `self` is current_task_identity(). Each answers the nesting count after it, 0 for a failed test.
int lock(NestLock& nested, const void* self);
int try_lock(NestLock& nested, const void* self);
void unlock(NestLock& nested);

// The words behind `critical` without a name and behind atomics without an instruction.
inline LockWord& unnamed_critical() { return detail::unnamed.word; }
inline LockWord& atomic_fallback() { return detail::atomics.word; }

// The word of a named critical section: the first bytes of the zeroed storage, 4 bytes or more,
// that compilers reserve for its name.
inline LockWord& named_critical(void* storage) { return *static_cast<LockWord*>(storage); }

}  // namespace xylem::omp
