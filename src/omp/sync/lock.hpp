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

// May suspend the calling fiber. Not recursive.
void lock(LockWord& word);
bool try_lock(LockWord& word);
void unlock(LockWord& word);

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
LockWord& unnamed_critical();
LockWord& atomic_fallback();

// The word of a named critical section: the first bytes of the zeroed storage, 4 bytes or more,
// that compilers reserve for its name.
LockWord& named_critical(void* storage);

}  // namespace xylem::omp
