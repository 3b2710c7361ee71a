// Owns: what libxylem-instrument.so offers to the runtime that it finds itself beside. Neither
// library is linked against the other.
#pragma once

#include <cstdint>

namespace xylem::os {

// Called once for each pair of a page (address / page size) and a thread that accessed it.
using AccessSink = void (*)(void* to, uint64_t page, int thread, uint64_t reads, uint64_t writes);

// Gives `sink` all that was counted since the last call. Any thread, one at a time.
using TakeAccesses = void (*)(AccessSink sink, void* to);

// The function of this type that the library exports.
inline constexpr char take_accesses_name[] = "xylem_instrument_take_1";

}  // namespace xylem::os
