// Owns: waiting by the address of a word, for locks whose size a compiler fixed.
#pragma once

#include <atomic>
#include <cstdint>

namespace xylem::sched {

// Suspends the calling fiber if *word == value, until a wake of that address. May return early.
void wait_on(const std::atomic<uint32_t>* word, uint32_t value);

// The caller has changed *word before. The word's memory need not live any longer.
void wake_one(const std::atomic<uint32_t>* word);
void wake_all(const std::atomic<uint32_t>* word);

// A forked child has none of the waiters.
void reset_waits_in_child();

}  // namespace xylem::sched
