// Owns: LLVM's entry points of parallel regions, and of threads' numbers. Decodes, calls omp/,
// returns.
#include <utility>

#include "abi/kmp/microtask.hpp"
#include "base/export.hpp"
#include "omp/tool/regions.hpp"

using namespace xylem::abi::kmp;
using xylem::omp::current_member;
using xylem::omp::ProcBind;
using xylem::omp::RegionClauses;
namespace tool = xylem::omp::tool;

namespace {

void run(void* invocation) { call_microtask(*static_cast<const Invocation*>(invocation)); }

// Inlined in the entry points: a tool is told where they were called.
[[gnu::always_inline]] inline void open_region(Invocation invocation) {
  const RegionClauses clauses = std::exchange(current_member().clauses, {});
  const xylem::omp::Region region{.function = run,
                                  .data = &invocation,
                                  .wanted = clauses.wanted,
                                  .bind = clauses.bind,
                                  .code = reinterpret_cast<void (*)(void*)>(invocation.microtask)};
  if (tool::on()) [[unlikely]]
    tool::parallel(tool::here(), region);
  else
    xylem::omp::parallel(region);
}

}  // namespace

extern "C" {

XYLEM_EXPORT ThreadNumber __kmpc_global_thread_num(const Location*) {
  return number_of(current_member());
}

XYLEM_EXPORT int32_t __kmpc_bound_thread_num(const Location*) { return current_member().num; }

XYLEM_EXPORT int32_t __kmpc_bound_num_threads(const Location*) { return current_member().team->n; }

XYLEM_EXPORT int32_t __kmpc_in_parallel(const Location*) {
  return current_member().team->active_level > 0;
}

XYLEM_EXPORT void __kmpc_fork_call(const Location*, int32_t count, Microtask microtask, ...) {
  auto** words = static_cast<void**>(__builtin_alloca(room_for(count) * sizeof(void*)));
  va_list rest;
  va_start(rest, microtask);
  for (int i = 0; i < count; ++i) words[i] = va_arg(rest, void*);
  va_end(rest);
  open_region({microtask, count, words});
}

// The region has one word at most; one that has none does not look.
XYLEM_EXPORT void __kmpc_fork_call_if(const Location*, int32_t, Microtask microtask,
                                      int32_t condition, void* word) {
  void* words[words_in_registers] = {word};
  if (!condition) current_member().clauses.wanted = 1;
  open_region({microtask, 1, words});
}

// The clauses of the next region. num_threads(0) and less means nothing.
XYLEM_EXPORT void __kmpc_push_num_threads(const Location*, ThreadNumber, int32_t threads) {
  current_member().clauses.wanted = threads > 0 ? static_cast<unsigned>(threads) : 0;
}

XYLEM_EXPORT void __kmpc_pop_num_threads(const Location*, ThreadNumber) {}

// `bind` has the numbers of omp_proc_bind_t; those behind are LLVM's own, for none.
XYLEM_EXPORT void __kmpc_push_proc_bind(const Location*, ThreadNumber, int32_t bind) {
  const bool named = bind >= 0 && bind <= static_cast<int32_t>(ProcBind::spread);
  current_member().clauses.bind = named ? static_cast<ProcBind>(bind) : ProcBind::none;
}

// The region's code is in the caller, between the two.
XYLEM_EXPORT void __kmpc_serialized_parallel(const Location*, ThreadNumber) {
  current_member().clauses = {};
  if (tool::on()) [[unlikely]]
    return tool::parallel_begin(tool::here(), {.wanted = 1});
  xylem::omp::parallel_begin({.wanted = 1});
}

XYLEM_EXPORT void __kmpc_end_serialized_parallel(const Location*, ThreadNumber) {
  if (tool::on()) [[unlikely]] {
    tool::parallel_end(tool::here());
    return;
  }
  xylem::omp::parallel_end();
}

}  // extern "C"
