// Owns: timing streams of several threads at once (paper 000, Table 1).
#pragma once

#include <span>
#include <vector>

#include "mem/cost/costs.hpp"
#include "os/numa.hpp"

namespace xylem::mem {

// A thread of a crowd: the processor that it runs on, and where its memory comes from.
struct Streamer {
  int processor = 0;      // the kernel's number
  os::NodeSet memory;     // pages come from these in turn
  bool anywhere = false;  // from wherever the kernel takes them: the machine has one node
  bool counts = true;     // false: it only loads the machine
};

struct CrowdTimes {
  double read_ns_per_byte = 0;  // 0: not measured
  double write_ns_per_byte = 0;
};

// All stream at once, each through pages of its own, bound to its processor. The mean over those
// that count, each the least of several runs. All 0 if a thread or its memory is not to be had.
// The caller sleeps meanwhile. Takes 64 MiB in all, or 256 KiB a thread where that is more.
CrowdTimes time_crowd(std::span<const Streamer> streamers);

// What is known of each node's streams: measured, on the first nodes that have memory and
// processors, until `deadline_ns` (os::now_ns); the others are taken to be like the first one. Of a
// measurement that was not finished nothing is kept. Empty: no node was measured.
std::vector<plan::NodeStreams> measure_streams(const topo::Machine& machine, int64_t deadline_ns);

}  // namespace xylem::mem
