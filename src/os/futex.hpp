// Owns: sleeping on and waking by the address of a 32-bit word.
// Invariant: never changes errno; a wait may always return early, callers look again.
#pragma once

#include <atomic>
#include <cstdint>

namespace xylem::os {

// Sleeps while *word == expected, at most timeout_ns nanoseconds (negative: no limit).
void futex_wait(const std::atomic<uint32_t>* word, uint32_t expected, int64_t timeout_ns = -1);

// Wakes at most `count` sleepers of this process. The word may already be unmapped or reused:
// the call then does nothing or wakes a sleeper early, which every waiter must stand.
void futex_wake(const std::atomic<uint32_t>* word, int count);

}  // namespace xylem::os
