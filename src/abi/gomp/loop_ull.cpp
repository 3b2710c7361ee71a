// libgomp's entry points of worksharing loops with `unsigned long long` bounds. All schedules go on
// through one function: the construct's record knows which it is.
#include "abi/gomp/loop_decode.hpp"
#include "base/export.hpp"

using namespace xylem::abi;
using xylem::omp::ScheduleKind;

namespace {

[[gnu::always_inline]] inline bool start(bool up, Unsigned start, Unsigned end, Unsigned incr,
                                         xylem::omp::Schedule schedule, Unsigned* istart,
                                         Unsigned* iend) {
  xylem::omp::LoopRequest request = loop_request(up, start, end, incr, schedule);
  name_loop(request, xylem::omp::tool::here().code);
  return start_loop(request, istart, iend);
}

[[gnu::always_inline]] inline bool start_ordered(bool up, Unsigned start, Unsigned end,
                                                 Unsigned incr, xylem::omp::Schedule schedule,
                                                 Unsigned* istart, Unsigned* iend) {
  return start_loop(loop_request(up, start, end, incr, schedule, true), istart, iend);
}

}  // namespace

extern "C" {

XYLEM_EXPORT bool GOMP_loop_ull_static_start(bool up, Unsigned start, Unsigned end, Unsigned incr,
                                             Unsigned chunk, Unsigned* istart, Unsigned* iend) {
  return ::start(up, start, end, incr,
                 make_schedule(ScheduleKind::static_schedule, chunk_size(chunk)), istart, iend);
}

XYLEM_EXPORT bool GOMP_loop_ull_dynamic_start(bool up, Unsigned start, Unsigned end, Unsigned incr,
                                              Unsigned chunk, Unsigned* istart, Unsigned* iend) {
  return ::start(up, start, end, incr,
                 make_schedule(ScheduleKind::dynamic_schedule, chunk_size(chunk)), istart, iend);
}

XYLEM_EXPORT bool GOMP_loop_ull_guided_start(bool up, Unsigned start, Unsigned end, Unsigned incr,
                                             Unsigned chunk, Unsigned* istart, Unsigned* iend) {
  return ::start(up, start, end, incr,
                 make_schedule(ScheduleKind::guided_schedule, chunk_size(chunk)), istart, iend);
}

XYLEM_EXPORT bool GOMP_loop_ull_runtime_start(bool up, Unsigned start, Unsigned end, Unsigned incr,
                                              Unsigned* istart, Unsigned* iend) {
  return start_loop(runtime_loop(up, start, end, incr, xylem::omp::tool::here().code), istart,
                    iend);
}

XYLEM_EXPORT bool GOMP_loop_ull_start(bool up, Unsigned start, Unsigned end, Unsigned incr,
                                      long sched, Unsigned chunk, Unsigned* istart, Unsigned* iend,
                                      uintptr_t* reductions, void** mem) {
  auto request = loop_request(up, start, end, incr, decode_schedule(sched, chunk_size(chunk)));
  if (istart) name_loop(request, xylem::omp::tool::here().code);
  if (xylem::omp::loop_affinity.on && is_runtime(sched) && istart) [[unlikely]]
    xylem::omp::add_affinity(request, xylem::omp::tool::here().code);
  return start_loop_with_extras(request, istart, iend, reductions, mem);
}

XYLEM_EXPORT bool GOMP_loop_ull_ordered_static_start(bool up, Unsigned start, Unsigned end,
                                                     Unsigned incr, Unsigned chunk,
                                                     Unsigned* istart, Unsigned* iend) {
  return ::start_ordered(up, start, end, incr,
                         make_schedule(ScheduleKind::static_schedule, chunk_size(chunk)), istart,
                         iend);
}

XYLEM_EXPORT bool GOMP_loop_ull_ordered_dynamic_start(bool up, Unsigned start, Unsigned end,
                                                      Unsigned incr, Unsigned chunk,
                                                      Unsigned* istart, Unsigned* iend) {
  return ::start_ordered(up, start, end, incr,
                         make_schedule(ScheduleKind::dynamic_schedule, chunk_size(chunk)), istart,
                         iend);
}

XYLEM_EXPORT bool GOMP_loop_ull_ordered_guided_start(bool up, Unsigned start, Unsigned end,
                                                     Unsigned incr, Unsigned chunk,
                                                     Unsigned* istart, Unsigned* iend) {
  return ::start_ordered(up, start, end, incr,
                         make_schedule(ScheduleKind::guided_schedule, chunk_size(chunk)), istart,
                         iend);
}

XYLEM_EXPORT bool GOMP_loop_ull_ordered_runtime_start(bool up, Unsigned start, Unsigned end,
                                                      Unsigned incr, Unsigned* istart,
                                                      Unsigned* iend) {
  return ::start_ordered(up, start, end, incr, xylem::omp::runtime_schedule(), istart, iend);
}

XYLEM_EXPORT bool GOMP_loop_ull_ordered_start(bool up, Unsigned start, Unsigned end, Unsigned incr,
                                              long sched, Unsigned chunk, Unsigned* istart,
                                              Unsigned* iend, uintptr_t* reductions, void** mem) {
  const auto request =
      loop_request(up, start, end, incr, decode_schedule(sched, chunk_size(chunk)), true);
  return start_loop_with_extras(request, istart, iend, reductions, mem);
}

XYLEM_EXPORT bool GOMP_loop_ull_nonmonotonic_dynamic_start(bool up, Unsigned start, Unsigned end,
                                                           Unsigned incr, Unsigned chunk,
                                                           Unsigned* istart, Unsigned* iend) {
  return ::start(
      up, start, end, incr,
      make_schedule(ScheduleKind::dynamic_schedule, chunk_size(chunk), ChunkOrder::unsaid), istart,
      iend);
}

XYLEM_EXPORT bool GOMP_loop_ull_nonmonotonic_runtime_start(bool up, Unsigned start, Unsigned end,
                                                           Unsigned incr, Unsigned* istart,
                                                           Unsigned* iend) {
  return start_loop(
      runtime_loop(up, start, end, incr, xylem::omp::tool::here().code, ChunkOrder::unsaid), istart,
      iend);
}

// Guided schedules are monotonic here, which nonmonotonic allows.
XYLEM_EXPORT bool GOMP_loop_ull_nonmonotonic_guided_start(bool up, Unsigned, Unsigned, Unsigned,
                                                          Unsigned, Unsigned*, Unsigned*)
    __attribute__((alias("GOMP_loop_ull_guided_start")));
XYLEM_EXPORT bool GOMP_loop_ull_maybe_nonmonotonic_runtime_start(bool up, Unsigned, Unsigned,
                                                                 Unsigned, Unsigned*, Unsigned*)
    __attribute__((alias("GOMP_loop_ull_nonmonotonic_runtime_start")));

XYLEM_EXPORT bool GOMP_loop_ull_static_next(Unsigned* istart, Unsigned* iend) {
  return next_bounds(xylem::omp::current_member(), istart, iend);
}

XYLEM_EXPORT bool GOMP_loop_ull_dynamic_next(Unsigned*, Unsigned*)
    __attribute__((alias("GOMP_loop_ull_static_next")));
XYLEM_EXPORT bool GOMP_loop_ull_guided_next(Unsigned*, Unsigned*)
    __attribute__((alias("GOMP_loop_ull_static_next")));
XYLEM_EXPORT bool GOMP_loop_ull_runtime_next(Unsigned*, Unsigned*)
    __attribute__((alias("GOMP_loop_ull_static_next")));
XYLEM_EXPORT bool GOMP_loop_ull_ordered_static_next(Unsigned*, Unsigned*)
    __attribute__((alias("GOMP_loop_ull_static_next")));
XYLEM_EXPORT bool GOMP_loop_ull_ordered_dynamic_next(Unsigned*, Unsigned*)
    __attribute__((alias("GOMP_loop_ull_static_next")));
XYLEM_EXPORT bool GOMP_loop_ull_ordered_guided_next(Unsigned*, Unsigned*)
    __attribute__((alias("GOMP_loop_ull_static_next")));
XYLEM_EXPORT bool GOMP_loop_ull_ordered_runtime_next(Unsigned*, Unsigned*)
    __attribute__((alias("GOMP_loop_ull_static_next")));
XYLEM_EXPORT bool GOMP_loop_ull_nonmonotonic_dynamic_next(Unsigned*, Unsigned*)
    __attribute__((alias("GOMP_loop_ull_static_next")));
XYLEM_EXPORT bool GOMP_loop_ull_nonmonotonic_guided_next(Unsigned*, Unsigned*)
    __attribute__((alias("GOMP_loop_ull_static_next")));
XYLEM_EXPORT bool GOMP_loop_ull_nonmonotonic_runtime_next(Unsigned*, Unsigned*)
    __attribute__((alias("GOMP_loop_ull_static_next")));
XYLEM_EXPORT bool GOMP_loop_ull_maybe_nonmonotonic_runtime_next(Unsigned*, Unsigned*)
    __attribute__((alias("GOMP_loop_ull_static_next")));

}  // extern "C"
