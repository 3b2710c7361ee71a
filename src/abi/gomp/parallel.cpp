// Owns: libgomp's entry points of parallel regions and barriers. Decodes, calls omp/, returns.
#include "base/export.hpp"
#include "omp/team.hpp"

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

XYLEM_EXPORT void GOMP_parallel_end() { xylem::omp::parallel_end(); }

XYLEM_EXPORT void GOMP_barrier() { xylem::omp::team_barrier(xylem::omp::current_member()); }

XYLEM_EXPORT bool GOMP_barrier_cancel() {
  return xylem::omp::team_barrier_cancel(xylem::omp::current_member());
}

}  // extern "C"
