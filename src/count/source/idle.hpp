// Owns: the source `idle`: which pages of the program's arrays are accessed in an iteration, and
// which are written, as the kernel tracks pages. For programs as they are. It does not see which
// thread accesses a page, nor how often.
//
// Invariant: an iteration is watched from its beginning to its end (page_scan.hpp), and the next
// one only when what it cost is at most `most_cost` of the time that passed since: the scans as
// they were timed, and a fault of measured length for each page that was written. At most
// `most_pages` pages are looked at in an iteration; the next scan goes on behind them.
#pragma once

#include <cstdint>

#include "count/source/source.hpp"

namespace xylem::count {

struct IdleSettings {
  double most_cost = 0.01;  // of the time that passes
};

struct IdleStatistics {
  int64_t scans = 0;
  int64_t pages = 0;  // that were looked at, in all scans
  int64_t told = 0;   // of them: were accessed
  int64_t spent_ns = 0;
};

// What of it cannot be had here, each as the second half of a sentence; null: it can. Without
// accesses, pages that are written are seen; there is no source if neither are. Asking forgets the
// process's soft-dirty bits.
struct IdleObstacles {
  const char* accesses = nullptr;
  const char* writes = nullptr;
};
IdleObstacles idle_obstacles();
// What a page costs that is looked at and written, by pages of the caller's own; 0: it cannot be
// had.
int64_t measure_idle_ns();

// Once in a process. Says what cannot be had; if that is both, nothing has started.
IdleObstacles start_idle_source(const IdleSettings& settings);
Source idle_source();
IdleStatistics idle_statistics();

}  // namespace xylem::count
