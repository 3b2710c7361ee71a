// Owns: LLVM's numbers of schedules, as compiled code passes them, and what omp/ is asked for.
//
// A number is a kind, in one of four ranges, and two bits of modifiers. The ranges differ by what
// is said besides: plain, ordered, and both once more for loops whose chunks come one by one though
// a team of one could run them all at once.
#pragma once

#include <cstdint>

#include "omp/loops/loop.hpp"

namespace xylem::abi::kmp {

namespace schedule_numbers {
// Plain, from `plain`; the first seven ordered, from `ordered`.
inline constexpr int32_t plain = 32;
inline constexpr int32_t ordered = 64;
inline constexpr int32_t static_chunked = 1;
inline constexpr int32_t static_even = 2;
inline constexpr int32_t dynamic_chunked = 3;
inline constexpr int32_t guided_chunked = 4;
inline constexpr int32_t runtime = 5;
inline constexpr int32_t automatic = 6;
inline constexpr int32_t trapezoidal = 7;
inline constexpr int32_t static_greedy = 8;    // equal blocks; the last ones may be shorter
inline constexpr int32_t static_balanced = 9;  // blocks that differ by one iteration at most
inline constexpr int32_t guided_iterative = 10;
inline constexpr int32_t guided_analytical = 11;
inline constexpr int32_t static_steal = 12;  // blocks; who is done takes from others
inline constexpr int32_t static_simd = 13;   // blocks of whole chunks
inline constexpr int32_t guided_simd = 14;   // likewise
inline constexpr int32_t runtime_simd = 15;  // the chunk is that of the simd modifier
// Among teams.
inline constexpr int32_t distribute_chunked = 91;
inline constexpr int32_t distribute_even = 92;
// Added to a plain or ordered number: chunks one by one, also in a team of one.
inline constexpr int32_t one_by_one = 128;
// Modifiers.
inline constexpr int32_t monotonic = 1 << 29;
inline constexpr int32_t nonmonotonic = 1 << 30;
}  // namespace schedule_numbers

struct DecodedSchedule {
  omp::Schedule schedule;
  bool ordered = false;
  bool one_by_one = false;
  bool among_teams = false;
  // schedule(runtime): `schedule` has the clause's order and chunk alone; see with_runtime().
  bool runtime = false;
  bool simd = false;       // of schedule(simd:runtime)
  bool automatic = false;  // schedule(auto)

  // Of loops whose chunks are asked for.
  bool may_have_owners() const { return (runtime && !simd) || automatic; }
};

// Clang passes nonmonotonic where the clause says nothing. Chunks that are not positive are none.
inline omp::ChunkOrder decode_order(int32_t number) {
  return number & schedule_numbers::monotonic ? omp::ChunkOrder::monotonic
                                              : omp::ChunkOrder::unsaid;
}

// schedule(simd:..): sizes are whole numbers of chunks.
inline omp::Schedule in_whole_chunks(omp::LoopKind kind, uint64_t chunk) {
  return {.kind = kind, .whole_chunks = true, .chunk = chunk == 0 ? 1 : chunk};
}

// The kind as a number from 1, without what its range says; chunk == 0: none was given.
inline omp::Schedule decode_kind(int32_t kind, uint64_t chunk, omp::ChunkOrder order) {
  using namespace schedule_numbers;
  using omp::ScheduleKind;
  switch (kind) {
    case static_chunked:
      return omp::make_schedule(ScheduleKind::static_schedule, chunk == 0 ? 1 : chunk);
    case static_greedy:
      return in_whole_chunks(omp::LoopKind::static_block, 1);
    case static_simd:
      return in_whole_chunks(omp::LoopKind::static_block, chunk);
    case dynamic_chunked:
      return omp::make_schedule(ScheduleKind::dynamic_schedule, chunk, order);
    case static_steal:
      return omp::make_schedule(ScheduleKind::dynamic_schedule, chunk, omp::ChunkOrder::any);
    case guided_chunked:
    case guided_iterative:
    case guided_analytical:
    case trapezoidal:  // its chunks get smaller too
    case automatic:    // as libomp takes it, for loops of unknown shape
      return omp::make_schedule(ScheduleKind::guided_schedule, chunk);
    case guided_simd:
      return in_whole_chunks(omp::LoopKind::guided, chunk);
    default:  // even, balanced
      return omp::make_schedule(ScheduleKind::static_schedule, 0);
  }
}

inline DecodedSchedule decode_schedule(int32_t number, int64_t chunk_or_none) {
  using namespace schedule_numbers;
  const uint64_t chunk = chunk_or_none > 0 ? static_cast<uint64_t>(chunk_or_none) : 0;
  const omp::ChunkOrder order = decode_order(number);
  int32_t kind = number & ~(monotonic | nonmonotonic);
  DecodedSchedule decoded;
  decoded.among_teams = kind == distribute_chunked || kind == distribute_even;
  if (decoded.among_teams) {
    kind = kind == distribute_chunked ? plain + static_chunked : plain + static_even;
  }
  decoded.one_by_one = kind > one_by_one;
  if (decoded.one_by_one) kind -= one_by_one;
  decoded.ordered = kind > ordered;
  kind -= decoded.ordered ? ordered : plain;
  decoded.simd = kind == runtime_simd;
  decoded.automatic = kind == automatic;
  decoded.runtime = kind == runtime || decoded.simd;
  if (decoded.runtime)
    decoded.schedule = {.kind = omp::LoopKind::none, .order = order, .chunk = chunk};
  else
    decoded.schedule = decode_kind(kind, chunk, order);
  return decoded;
}

// run-sched-var under the simd modifier: its chunk counts in chunks of the modifier's.
inline omp::Schedule in_simd_chunks(omp::Schedule schedule, uint64_t simd_chunk) {
  schedule.chunk *= simd_chunk == 0 ? 1 : simd_chunk;
  schedule.whole_chunks = true;
  return schedule;
}

// The schedule that the calling task's loop runs by: run-sched-var where the clause says so.
inline omp::Schedule with_runtime(const DecodedSchedule& decoded) {
  if (!decoded.runtime) return decoded.schedule;
  const omp::Schedule schedule = omp::runtime_schedule(decoded.schedule.order, omp::Door::llvm);
  return decoded.simd ? in_simd_chunks(schedule, decoded.schedule.chunk) : schedule;
}

}  // namespace xylem::abi::kmp
