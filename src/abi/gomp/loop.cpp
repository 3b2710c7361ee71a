// libgomp's entry points of worksharing loops with `long` bounds. All schedules go on through
// one function: the construct's record knows which it is.
#include "abi/gomp/loop_decode.hpp"
#include "base/export.hpp"

using namespace xylem::abi;
using xylem::omp::ScheduleKind;
namespace tool = xylem::omp::tool;

namespace {

[[gnu::always_inline]] inline bool start(long start, long end, long incr,
                                         xylem::omp::Schedule schedule, long* istart, long* iend) {
  xylem::omp::LoopRequest request = loop_request(start, end, incr, schedule);
  name_loop(request, tool::here().code);
  return start_loop(request, istart, iend);
}

[[gnu::always_inline]] inline bool start_ordered(long start, long end, long incr,
                                                 xylem::omp::Schedule schedule, long* istart,
                                                 long* iend) {
  return start_loop(loop_request(start, end, incr, schedule, true), istart, iend);
}

}  // namespace

extern "C" {

XYLEM_EXPORT bool GOMP_loop_static_start(long start, long end, long incr, long chunk, long* istart,
                                         long* iend) {
  return ::start(start, end, incr, make_schedule(ScheduleKind::static_schedule, chunk_size(chunk)),
                 istart, iend);
}

XYLEM_EXPORT bool GOMP_loop_dynamic_start(long start, long end, long incr, long chunk, long* istart,
                                          long* iend) {
  return ::start(start, end, incr, make_schedule(ScheduleKind::dynamic_schedule, chunk_size(chunk)),
                 istart, iend);
}

XYLEM_EXPORT bool GOMP_loop_guided_start(long start, long end, long incr, long chunk, long* istart,
                                         long* iend) {
  return ::start(start, end, incr, make_schedule(ScheduleKind::guided_schedule, chunk_size(chunk)),
                 istart, iend);
}

XYLEM_EXPORT bool GOMP_loop_runtime_start(long start, long end, long incr, long* istart,
                                          long* iend) {
  return start_loop(runtime_loop(start, end, incr, tool::here().code), istart, iend);
}

XYLEM_EXPORT bool GOMP_loop_start(long start, long end, long incr, long sched, long chunk,
                                  long* istart, long* iend, uintptr_t* reductions, void** mem) {
  auto request = loop_request(start, end, incr, decode_schedule(sched, chunk_size(chunk)));
  if (istart) name_loop(request, tool::here().code);
  if (xylem::omp::loop_affinity.on && is_runtime(sched) && istart) [[unlikely]]
    xylem::omp::add_affinity(request, tool::here().code);
  return start_loop_with_extras(request, istart, iend, reductions, mem);
}

XYLEM_EXPORT bool GOMP_loop_ordered_static_start(long start, long end, long incr, long chunk,
                                                 long* istart, long* iend) {
  return ::start_ordered(start, end, incr,
                         make_schedule(ScheduleKind::static_schedule, chunk_size(chunk)), istart,
                         iend);
}

XYLEM_EXPORT bool GOMP_loop_ordered_dynamic_start(long start, long end, long incr, long chunk,
                                                  long* istart, long* iend) {
  return ::start_ordered(start, end, incr,
                         make_schedule(ScheduleKind::dynamic_schedule, chunk_size(chunk)), istart,
                         iend);
}

XYLEM_EXPORT bool GOMP_loop_ordered_guided_start(long start, long end, long incr, long chunk,
                                                 long* istart, long* iend) {
  return ::start_ordered(start, end, incr,
                         make_schedule(ScheduleKind::guided_schedule, chunk_size(chunk)), istart,
                         iend);
}

XYLEM_EXPORT bool GOMP_loop_ordered_runtime_start(long start, long end, long incr, long* istart,
                                                  long* iend) {
  return ::start_ordered(start, end, incr, xylem::omp::runtime_schedule(), istart, iend);
}

XYLEM_EXPORT bool GOMP_loop_ordered_start(long start, long end, long incr, long sched, long chunk,
                                          long* istart, long* iend, uintptr_t* reductions,
                                          void** mem) {
  const auto request =
      loop_request(start, end, incr, decode_schedule(sched, chunk_size(chunk)), true);
  return start_loop_with_extras(request, istart, iend, reductions, mem);
}

XYLEM_EXPORT bool GOMP_loop_nonmonotonic_dynamic_start(long start, long end, long incr, long chunk,
                                                       long* istart, long* iend) {
  return ::start(
      start, end, incr,
      make_schedule(ScheduleKind::dynamic_schedule, chunk_size(chunk), ChunkOrder::unsaid), istart,
      iend);
}

XYLEM_EXPORT bool GOMP_loop_nonmonotonic_runtime_start(long start, long end, long incr,
                                                       long* istart, long* iend) {
  return start_loop(runtime_loop(start, end, incr, tool::here().code, ChunkOrder::unsaid), istart,
                    iend);
}

// Guided schedules are monotonic here, which nonmonotonic allows.
XYLEM_EXPORT bool GOMP_loop_nonmonotonic_guided_start(long, long, long, long, long*, long*)
    __attribute__((alias("GOMP_loop_guided_start")));
XYLEM_EXPORT bool GOMP_loop_maybe_nonmonotonic_runtime_start(long, long, long, long*, long*)
    __attribute__((alias("GOMP_loop_nonmonotonic_runtime_start")));

XYLEM_EXPORT bool GOMP_loop_static_next(long* istart, long* iend) {
  return next_bounds(xylem::omp::current_member(), istart, iend);
}

XYLEM_EXPORT bool GOMP_loop_dynamic_next(long*, long*)
    __attribute__((alias("GOMP_loop_static_next")));
XYLEM_EXPORT bool GOMP_loop_guided_next(long*, long*)
    __attribute__((alias("GOMP_loop_static_next")));
XYLEM_EXPORT bool GOMP_loop_runtime_next(long*, long*)
    __attribute__((alias("GOMP_loop_static_next")));
XYLEM_EXPORT bool GOMP_loop_ordered_static_next(long*, long*)
    __attribute__((alias("GOMP_loop_static_next")));
XYLEM_EXPORT bool GOMP_loop_ordered_dynamic_next(long*, long*)
    __attribute__((alias("GOMP_loop_static_next")));
XYLEM_EXPORT bool GOMP_loop_ordered_guided_next(long*, long*)
    __attribute__((alias("GOMP_loop_static_next")));
XYLEM_EXPORT bool GOMP_loop_ordered_runtime_next(long*, long*)
    __attribute__((alias("GOMP_loop_static_next")));
XYLEM_EXPORT bool GOMP_loop_nonmonotonic_dynamic_next(long*, long*)
    __attribute__((alias("GOMP_loop_static_next")));
XYLEM_EXPORT bool GOMP_loop_nonmonotonic_guided_next(long*, long*)
    __attribute__((alias("GOMP_loop_static_next")));
XYLEM_EXPORT bool GOMP_loop_nonmonotonic_runtime_next(long*, long*)
    __attribute__((alias("GOMP_loop_static_next")));
XYLEM_EXPORT bool GOMP_loop_maybe_nonmonotonic_runtime_next(long*, long*)
    __attribute__((alias("GOMP_loop_static_next")));

XYLEM_EXPORT void GOMP_loop_end() {
  if (tool::on()) [[unlikely]]
    return tool::construct_end(tool::here());
  xylem::omp::team_barrier(xylem::omp::current_member());
}

XYLEM_EXPORT bool GOMP_loop_end_cancel() {
  if (tool::on()) [[unlikely]]
    return tool::construct_end_cancel(tool::here());
  return xylem::omp::team_barrier_cancel(xylem::omp::current_member());
}

XYLEM_EXPORT void GOMP_loop_end_nowait() {
  if (tool::on()) [[unlikely]]
    return tool::construct_end_nowait(tool::here());
  end_nowait(xylem::omp::current_member().work);
}

}  // extern "C"
