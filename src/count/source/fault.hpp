// Owns: the source `fault`: pages of the program's arrays are taken away for a moment, one here and
// one there, and whoever touches one is recorded (mem::watch_touches), reads and writes
// alike. For programs as they are: nothing is compiled for it.
//
// Invariant: the process spends at most `most_cost` of its time on it: each page costs what pages
// were measured to cost (on this machine, in this process), and the next is watched only when that
// has been earned. At most `pages_a_second` are watched. A page that nobody touches for
// `patience_ns` is given back.
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
// What a watched page costs here, by some pages of the caller's own; 0: it cannot be had.
int64_t measure_fault_ns();

}  // namespace xylem::count
