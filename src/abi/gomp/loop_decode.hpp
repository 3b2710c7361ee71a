// Owns: what the entry points of loops have in common: libgomp's way to write schedules, and
// starting and going on with `long` or `unsigned long long` bounds.
#pragma once

#include <cstdint>

#include "abi/gomp/reduction_decode.hpp"
#include "omp/loops/affinity.hpp"
#include "omp/loops/loop.hpp"
#include "omp/loops/repeated.hpp"
#include "omp/tool/work.hpp"

namespace xylem::abi {

using Unsigned = unsigned long long;
using omp::ChunkOrder;

// A chunk size that is not positive counts as none.
inline uint64_t chunk_size(long chunk) { return chunk > 0 ? static_cast<uint64_t>(chunk) : 0; }
inline uint64_t chunk_size(Unsigned chunk) { return chunk; }

// Whether the sched argument of GOMP_loop_start and the like is schedule(runtime).
inline bool is_runtime(long sched) {
  return (sched & 7) == 0 ||
         static_cast<omp::ScheduleKind>(sched & 7) == omp::ScheduleKind::auto_schedule;
}

// The sched argument of GOMP_loop_start and the like: an omp_sched_t; 0 or auto for
// schedule(runtime); the high bit is the monotonic modifier.
inline omp::Schedule decode_schedule(long sched, uint64_t chunk) {
  const auto kind = static_cast<omp::ScheduleKind>(sched & 7);
  const auto order = sched & 0x80000000L ? ChunkOrder::monotonic : ChunkOrder::unsaid;
  if (is_runtime(sched)) return omp::runtime_schedule(order);
  return omp::make_schedule(kind, chunk, order);
}

// What entry points call, and these call, is inlined in them: a tool is told where they were
// called.
template <typename Int>
[[gnu::always_inline]] inline bool next_bounds(omp::Member& member, Int* istart, Int* iend) {
  omp::ChunkBounds bounds;
  const bool any = omp::tool::on() ? omp::tool::loop_next(omp::tool::here(), member, bounds)
                                   : omp::loop_next(member, bounds);
  if (!any) return false;
  *istart = static_cast<Int>(bounds.start);
  *iend = static_cast<Int>(bounds.end);
  return true;
}

// Enters the loop and takes the first chunk. Without istart the caller divides the iterations
// itself and only wants the construct's extras.
[[gnu::always_inline]] inline void enter_loop(omp::Member& member,
                                              const omp::LoopRequest& request) {
  if (omp::tool::on()) [[unlikely]]
    return omp::tool::loop_start(omp::tool::here(), member, request);
  omp::loop_start(member, request);
}

template <typename Int>
[[gnu::always_inline]] inline bool start_loop(const omp::LoopRequest& request, Int* istart,
                                              Int* iend) {
  omp::Member& member = omp::current_member();
  enter_loop(member, request);
  return istart == nullptr || next_bounds(member, istart, iend);
}

inline omp::LoopRequest loop_request(long start, long end, long incr, omp::Schedule schedule,
                                     bool ordered = false) {
  omp::LoopRequest request;
  request.ordered = ordered;
  request.space = omp::signed_space(start, end, incr);
  request.schedule = schedule;
  return request;
}

inline omp::LoopRequest loop_request(bool up, Unsigned start, Unsigned end, Unsigned incr,
                                     omp::Schedule schedule, bool ordered = false) {
  omp::LoopRequest request;
  request.ordered = ordered;
  request.space = omp::unsigned_space(up, start, end, incr);
  request.schedule = schedule;
  return request;
}

// A loop with schedule(runtime) whose chunks the compiled code asks for, which calls from `code` or
// is the function `code`.
[[gnu::always_inline]] inline omp::LoopRequest runtime_loop(
    long start, long end, long incr, const void* code, ChunkOrder order = ChunkOrder::monotonic) {
  omp::LoopRequest request = loop_request(start, end, incr, omp::runtime_schedule(order));
  omp::name_loop(request, code);
  if (omp::loop_affinity.on) [[unlikely]]
    omp::add_affinity(request, code);
  return request;
}
[[gnu::always_inline]] inline omp::LoopRequest runtime_loop(
    bool up, Unsigned start, Unsigned end, Unsigned incr, const void* code,
    ChunkOrder order = ChunkOrder::monotonic) {
  omp::LoopRequest request = loop_request(up, start, end, incr, omp::runtime_schedule(order));
  omp::name_loop(request, code);
  if (omp::loop_affinity.on) [[unlikely]]
    omp::add_affinity(request, code);
  return request;
}

// What a construct may want besides its iterations. Word `*memory`: the bytes that it wants.
inline omp::Extras decode_extras(const uintptr_t* reductions, void* const* memory) {
  return {reductions ? decode_reductions(reductions) : nullptr,
          memory ? reinterpret_cast<size_t>(*memory) : 0};
}

// The member has entered the construct: `*memory` is the address from now on.
inline void answer_extras(const omp::Member& member, const omp::Extras& extras,
                          uintptr_t* reductions, void** memory) {
  if (reductions) answer_reductions(reductions, extras.reductions);
  if (memory) *memory = omp::construct_memory(member);
}

template <typename Int>
[[gnu::always_inline]] inline bool start_loop_with_extras(omp::LoopRequest request, Int* istart,
                                                          Int* iend, uintptr_t* reductions,
                                                          void** memory) {
  omp::Member& member = omp::current_member();
  request.extras = decode_extras(reductions, memory);
  enter_loop(member, request);
  answer_extras(member, request.extras, reductions, memory);
  return istart == nullptr || next_bounds(member, istart, iend);
}

}  // namespace xylem::abi
