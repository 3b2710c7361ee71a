// Owns: the source `pmu`: the processor samples what threads access (Intel's load latency and
// stores, AMD's IBS), for programs as they are.
//
// Each kernel thread that runs members is sampled from its first member on, by itself, into rings
// that the engines read when an iteration ends; no thread is woken for it. A sample stands for the
// accesses since the one before. Samples are of the member that the kernel thread runs when they
// are read. At most `most_threads` kernel threads are sampled in the life of the process.
#pragma once

#include <cstdint>
#include <string_view>

#include "count/source/source.hpp"

namespace xylem::count {

struct PmuSettings {
  int samples_a_second = 1000;  // of each kernel thread and event
  std::string_view event;       // XYLEM_PMU_EVENT; empty: what the machine describes
};
struct PmuStatistics {
  int64_t samples = 0;
  int64_t dropped = 0;  // by the kernel, as nobody read them in time
};

// Why accesses cannot be sampled here, as the second half of a sentence; null: they can. Opens an
// event for a moment.
const char* pmu_obstacle(const PmuSettings& settings);
// Null, or why not. Once in a process.
const char* start_pmu_source(const PmuSettings& settings);
Source pmu_source();
PmuStatistics pmu_statistics();

}  // namespace xylem::count
