// Owns: libgomp's entry points of parallel regions and barriers. Decodes, calls omp/, returns.
#include "abi/gomp/clause_decode.hpp"
#include "abi/gomp/reduction_decode.hpp"
#include "base/export.hpp"
#include "omp/team/team.hpp"

namespace {

// GOMP_parallel_reductions: `data` begins with the address of the region's arrays.
struct RegionReductions {
  uintptr_t* arrays;
  unsigned threads;  // out: the team's size
};

// The members read from the arrays where their copies are.
void begin_reductions(xylem::omp::Team& team, void* argument) {
  auto& reductions = *static_cast<RegionReductions*>(argument);
  auto* blocks = xylem::abi::decode_reductions(reductions.arrays);
  xylem::omp::begin_region_reductions(team, blocks);
  xylem::abi::answer_reductions(reductions.arrays, blocks);
  reductions.threads = static_cast<unsigned>(team.n);
}

}  // namespace

extern "C" {

XYLEM_EXPORT void GOMP_parallel(void (*fn)(void*), void* data, unsigned num_threads,
                                unsigned flags) {
  xylem::omp::parallel(
      {.function = fn, .data = data, .wanted = num_threads, .bind = xylem::abi::proc_bind(flags)});
}

XYLEM_EXPORT void GOMP_parallel_start(void (*fn)(void*), void* data, unsigned num_threads) {
  xylem::omp::parallel_begin({.function = fn, .data = data, .wanted = num_threads});
}

// Returns how many threads the region had. The compiled code frees the copies by
// GOMP_taskgroup_reduction_unregister().
XYLEM_EXPORT unsigned GOMP_parallel_reductions(void (*fn)(void*), void* data, unsigned num_threads,
                                               unsigned flags) {
  RegionReductions reductions{*static_cast<uintptr_t**>(data), 0};
  xylem::omp::parallel_begin({.function = fn,
                              .data = data,
                              .wanted = num_threads,
                              .bind = xylem::abi::proc_bind(flags),
                              .prepare = begin_reductions,
                              .argument = &reductions});
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
