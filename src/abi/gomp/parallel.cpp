// Owns: libgomp's entry points of parallel regions and barriers. Decodes, calls omp/, returns.
#include "base/export.hpp"
#include "omp/tasks/task_reduction.hpp"
#include "omp/team/team.hpp"

namespace {

using xylem::omp::ProcBind;

// The low three bits of `flags` are the proc_bind clause, 0 if there is none.
ProcBind clause(unsigned flags) { return static_cast<ProcBind>(flags & 7); }

}  // namespace

extern "C" {

XYLEM_EXPORT void GOMP_parallel(void (*fn)(void*), void* data, unsigned num_threads,
                                unsigned flags) {
  xylem::omp::parallel(fn, data, num_threads, clause(flags));
}

XYLEM_EXPORT void GOMP_parallel_start(void (*fn)(void*), void* data, unsigned num_threads) {
  xylem::omp::parallel_begin(fn, data, num_threads, ProcBind::none);
}

// Returns how many threads the region had.
XYLEM_EXPORT unsigned GOMP_parallel_reductions(void (*fn)(void*), void* data, unsigned num_threads,
                                               unsigned flags) {
  xylem::omp::ParallelReductions reductions{data, 0};
  xylem::omp::parallel_begin_with(fn, data, num_threads, clause(flags),
                                  xylem::omp::prepare_parallel_reductions, &reductions);
  fn(data);
  xylem::omp::parallel_end();
  return reductions.threads;
}

XYLEM_EXPORT void GOMP_parallel_end() { xylem::omp::parallel_end(); }

XYLEM_EXPORT void GOMP_barrier() { xylem::omp::team_barrier(xylem::omp::current_member()); }

XYLEM_EXPORT bool GOMP_barrier_cancel() {
  return xylem::omp::team_barrier_cancel(xylem::omp::current_member());
}

}  // extern "C"
