// Owns: libgomp's entry points of parallel regions and barriers. Decodes, calls omp/, returns.
#include "abi/gomp/clause_decode.hpp"
#include "abi/gomp/reduction_decode.hpp"
#include "base/export.hpp"
#include "omp/tool/regions.hpp"
#include "omp/tool/synchronization.hpp"

namespace tool = xylem::omp::tool;

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

using xylem::omp::Region;

}  // namespace

extern "C" {

XYLEM_EXPORT void GOMP_parallel(void (*fn)(void*), void* data, unsigned num_threads,
                                unsigned flags) {
  const Region region{
      .function = fn, .data = data, .wanted = num_threads, .bind = xylem::abi::proc_bind(flags)};
  if (tool::on()) [[unlikely]] {
    tool::parallel(tool::here(), region);
    return;
  }
  xylem::omp::parallel(region);
}

XYLEM_EXPORT void GOMP_parallel_start(void (*fn)(void*), void* data, unsigned num_threads) {
  const Region region{.function = fn, .data = data, .wanted = num_threads};
  if (tool::on()) [[unlikely]]
    return tool::parallel_begin(tool::here(), region);
  xylem::omp::parallel_begin(region);
}

// Returns how many threads the region had. The compiled code frees the copies by
// GOMP_taskgroup_reduction_unregister().
XYLEM_EXPORT unsigned GOMP_parallel_reductions(void (*fn)(void*), void* data, unsigned num_threads,
                                               unsigned flags) {
  RegionReductions reductions{*static_cast<uintptr_t**>(data), 0};
  const Region region{.function = fn,
                      .data = data,
                      .wanted = num_threads,
                      .bind = xylem::abi::proc_bind(flags),
                      .prepare = begin_reductions,
                      .argument = &reductions};
  if (tool::on()) [[unlikely]] {
    tool::parallel(tool::here(), region);
    return reductions.threads;
  }
  xylem::omp::parallel_begin(region);
  fn(data);
  xylem::omp::parallel_end();
  return reductions.threads;
}

XYLEM_EXPORT void GOMP_parallel_end() {
  if (tool::on()) [[unlikely]] {
    tool::parallel_end(tool::here());
    return;
  }
  xylem::omp::parallel_end();
}

// GCC calls it for the implicit barriers of single and of loops that it divides itself too.
XYLEM_EXPORT void GOMP_barrier() {
  if (tool::on()) [[unlikely]]
    return tool::barrier(tool::here(), tool::SyncKind::barrier_explicit);
  xylem::omp::team_barrier(xylem::omp::current_member());
}

XYLEM_EXPORT bool GOMP_barrier_cancel() {
  if (tool::on()) [[unlikely]]
    return tool::barrier_cancel(tool::here(), tool::SyncKind::barrier_explicit);
  return xylem::omp::team_barrier_cancel(xylem::omp::current_member());
}

}  // extern "C"
