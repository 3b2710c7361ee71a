// Owns: by which events this machine's processors sample data accesses, as Linux describes them
// below /sys/bus/event_source/devices. Pure but for the files that are read, below a root that
// tests choose.
//
// Known: Intel's load latency and stores (cpu, or cpu_core where cores are of two kinds) and AMD's
// IBS (ibs_op). Arm's SPE has records of its own and is not known.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "os/access_samples.hpp"

namespace xylem::count {

// Of one thread; all of them are to be sampled. Empty: the machine describes none. `rate`: samples
// a second of each.
std::vector<os::SampledEvent> memory_events(std::string_view root, uint64_t rate);

// "TYPE:CONFIG[:CONFIG1]", numbers as the kernel takes them, decimal or 0x...: XYLEM_PMU_EVENT,
// and XYLEM_MISSES without CONFIG1.
// Each event of it is a sample.
bool parse_event(std::string_view text, os::SampledEvent& event);

// Puts `value` where `format` says, as "config:0-7", "config1:0-15" or "config:0-7,32-35". False:
// it is no format, or the value has more bits.
bool put_term(std::string_view format, uint64_t value, os::SampledEvent& event);

}  // namespace xylem::count
