// libgomp's entry points of `parallel for`: regions that are one loop. The older ones end with
// _start and leave running the function and GOMP_parallel_end() to the compiled code.
#include "abi/gomp/clause_decode.hpp"
#include "abi/gomp/loop_decode.hpp"
#include "base/export.hpp"
#include "omp/tool/regions.hpp"
#include "omp/tool/work.hpp"

using namespace xylem::abi;
using xylem::omp::ProcBind;
using xylem::omp::ScheduleKind;

namespace {

using Function = void (*)(void*);
namespace tool = xylem::omp::tool;

const void* code_of(Function fn) { return reinterpret_cast<const void*>(fn); }

[[gnu::always_inline]] inline void begin(Function fn, void* data, unsigned num_threads,
                                         xylem::omp::LoopRequest request) {
  request.code = code_of(fn);  // whoever asks for it: the runtime may start with this region
  if (tool::on()) [[unlikely]]
    return tool::parallel_loop_begin(tool::here(),
                                     {.function = fn, .data = data, .wanted = num_threads}, request,
                                     tool::work_of(tool::here(), request));
  xylem::omp::parallel_loop_begin(fn, data, num_threads, ProcBind::none, request);
}

[[gnu::always_inline]] inline void run(Function fn, void* data, unsigned num_threads,
                                       xylem::omp::LoopRequest request, unsigned flags) {
  request.code = code_of(fn);  // whoever asks for it: the runtime may start with this region
  if (tool::on()) [[unlikely]] {
    tool::parallel_loop(
        tool::here(),
        {.function = fn, .data = data, .wanted = num_threads, .bind = proc_bind(flags)}, request,
        tool::work_of(tool::here(), request));
    return;
  }
  xylem::omp::parallel_loop_begin(fn, data, num_threads, proc_bind(flags), request);
  fn(data);
  xylem::omp::parallel_end();
}

}  // namespace

extern "C" {

XYLEM_EXPORT void GOMP_parallel_loop_static_start(Function fn, void* data, unsigned num_threads,
                                                  long start, long end, long incr, long chunk) {
  begin(fn, data, num_threads,
        loop_request(start, end, incr,
                     make_schedule(ScheduleKind::static_schedule, chunk_size(chunk))));
}

XYLEM_EXPORT void GOMP_parallel_loop_static(Function fn, void* data, unsigned num_threads,
                                            long start, long end, long incr, long chunk,
                                            unsigned flags) {
  run(fn, data, num_threads,
      loop_request(start, end, incr,
                   make_schedule(ScheduleKind::static_schedule, chunk_size(chunk))),
      flags);
}

XYLEM_EXPORT void GOMP_parallel_loop_dynamic_start(Function fn, void* data, unsigned num_threads,
                                                   long start, long end, long incr, long chunk) {
  begin(fn, data, num_threads,
        loop_request(start, end, incr,
                     make_schedule(ScheduleKind::dynamic_schedule, chunk_size(chunk))));
}

XYLEM_EXPORT void GOMP_parallel_loop_dynamic(Function fn, void* data, unsigned num_threads,
                                             long start, long end, long incr, long chunk,
                                             unsigned flags) {
  run(fn, data, num_threads,
      loop_request(start, end, incr,
                   make_schedule(ScheduleKind::dynamic_schedule, chunk_size(chunk))),
      flags);
}

XYLEM_EXPORT void GOMP_parallel_loop_guided_start(Function fn, void* data, unsigned num_threads,
                                                  long start, long end, long incr, long chunk) {
  begin(fn, data, num_threads,
        loop_request(start, end, incr,
                     make_schedule(ScheduleKind::guided_schedule, chunk_size(chunk))));
}

XYLEM_EXPORT void GOMP_parallel_loop_guided(Function fn, void* data, unsigned num_threads,
                                            long start, long end, long incr, long chunk,
                                            unsigned flags) {
  run(fn, data, num_threads,
      loop_request(start, end, incr,
                   make_schedule(ScheduleKind::guided_schedule, chunk_size(chunk))),
      flags);
}

XYLEM_EXPORT void GOMP_parallel_loop_runtime_start(Function fn, void* data, unsigned num_threads,
                                                   long start, long end, long incr) {
  begin(fn, data, num_threads, runtime_loop(start, end, incr, code_of(fn)));
}

XYLEM_EXPORT void GOMP_parallel_loop_runtime(Function fn, void* data, unsigned num_threads,
                                             long start, long end, long incr, unsigned flags) {
  run(fn, data, num_threads, runtime_loop(start, end, incr, code_of(fn)), flags);
}

XYLEM_EXPORT void GOMP_parallel_loop_nonmonotonic_dynamic(Function fn, void* data,
                                                          unsigned num_threads, long start,
                                                          long end, long incr, long chunk,
                                                          unsigned flags) {
  run(fn, data, num_threads,
      loop_request(
          start, end, incr,
          make_schedule(ScheduleKind::dynamic_schedule, chunk_size(chunk), ChunkOrder::unsaid)),
      flags);
}

XYLEM_EXPORT void GOMP_parallel_loop_nonmonotonic_runtime(Function fn, void* data,
                                                          unsigned num_threads, long start,
                                                          long end, long incr, unsigned flags) {
  run(fn, data, num_threads, runtime_loop(start, end, incr, code_of(fn), ChunkOrder::unsaid),
      flags);
}

// Guided schedules are monotonic here, which nonmonotonic allows.
XYLEM_EXPORT void GOMP_parallel_loop_nonmonotonic_guided(Function, void*, unsigned, long, long,
                                                         long, long, unsigned)
    __attribute__((alias("GOMP_parallel_loop_guided")));
XYLEM_EXPORT void GOMP_parallel_loop_maybe_nonmonotonic_runtime(Function, void*, unsigned, long,
                                                                long, long, unsigned)
    __attribute__((alias("GOMP_parallel_loop_nonmonotonic_runtime")));

}  // extern "C"
