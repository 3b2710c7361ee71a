// Owns: the source `fault`: pages of the program's arrays are taken away for a moment, one here and
// one there, and whoever touches one is recorded (mem::watch_touches), reads and writes
// alike. For programs as they are: nothing is compiled for it.
//
// Invariant: spent_ns <= most_cost * the time that passed + what one page costs, where spent_ns is
// the processor time of the two threads that the source has (this one, and the one that gives pages
// back) and the time for which touchers slept. So a program whose threads all wait for the one that
// is kept from its processor loses no more than that share. The next page is watched only when what
// pages cost so far in this process has been earned. At most `pages_a_second` are watched. A page
// that nobody touches for `patience_ns` is given back.
#pragma once

#include <cstdint>

#include "count/source/source.hpp"

namespace xylem::count {

struct FaultSettings {
  int pages_a_second = 1000;
  double most_cost = 0.01;  // of the time that passes
};

struct FaultStatistics {
  int64_t watched = 0;  // pages so far
  int64_t told = 0;     // touches that came back
  int64_t spent_ns = 0;
  int64_t page_ns = 0;  // what one page costs: the marking, the touch, the sleep of who touches
};

// Starts the source's own kernel thread, once in a process. False: `obstacle` says why, as the
// second half of a sentence.
bool start_fault_source(const FaultSettings& settings, const char*& obstacle);
Source fault_source();
FaultStatistics fault_statistics();
// What a watched page costs here, by some pages of the caller's own that it touches itself.
struct FaultCost {
  int64_t page_ns = 0;   // in all; 0: it cannot be had
  int64_t touch_ns = 0;  // for which the toucher sleeps
};
FaultCost measure_fault();

}  // namespace xylem::count
