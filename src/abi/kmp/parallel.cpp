// Owns: LLVM's entry points of parallel regions, and of threads' numbers. Decodes, calls omp/,
// returns.
#include <algorithm>
#include <utility>

#include "abi/kmp/microtask.hpp"
#include "base/export.hpp"
#include "omp/team/threads_clause.hpp"
#include "omp/tool/regions.hpp"

using namespace xylem::abi::kmp;
using xylem::omp::current_member;
using xylem::omp::Member;
using xylem::omp::ProcBind;
using xylem::omp::Region;
using xylem::omp::RegionClauses;
using xylem::omp::ThreadsClause;
namespace tool = xylem::omp::tool;

namespace {

constexpr int32_t fatal_severity = 2;  // 1: a warning

void drop_clauses(Member& member) {
  delete member.clauses.threads;
  member.clauses = {};
}

void push_threads_clause(uint32_t length, const int32_t* list, bool strict, int32_t severity,
                         const char* message) {
  Member& member = current_member();
  drop_clauses(member);
  auto* clause = new ThreadsClause{{}, strict, severity == fatal_severity, message};
  for (uint32_t i = 0; i < length; ++i) clause->threads.push_back(std::max(list[i], 1));
  member.clauses.wanted = static_cast<unsigned>(clause->threads.front());
  member.clauses.threads = clause;
}

void take_clauses(Member& maker, Region& region) {
  const RegionClauses clauses = std::exchange(maker.clauses, {});
  region.wanted = clauses.wanted;
  region.bind = clauses.bind;
  region.threads = clauses.threads;
}

// omp::parallel(), but that the maker's own share is called without a look at who calls: that was
// most of what a region cost more by this door than by GCC's. Inlined in the entry points, as a
// tool is told where they were called.
[[gnu::always_inline]] inline void run_region(Member& maker, Region& region,
                                              const Invocation& invocation) {
  if (tool::on()) [[unlikely]] {
    region.function = run_told_microtask;
    tool::parallel(tool::here(), region);
    return;
  }
  Member& master = xylem::omp::parallel_begin(maker, region);
  run_microtask(invocation, master);
  xylem::omp::parallel_end(master);
}

// Inlined, too: program_begins_above() must be said in a function of its own.
[[gnu::always_inline]] inline void open_region(Invocation invocation) {
  xylem::sched::program_begins_above();
  Member& maker = current_member();
  Region region{.function = run_microtask,
                .data = &invocation,
                .door = xylem::omp::Door::llvm,
                .code = reinterpret_cast<void (*)(void*)>(invocation.microtask)};
  if (!maker.clauses.any()) return run_region(maker, region, invocation);
  take_clauses(maker, region);
  run_region(maker, region, invocation);
  delete region.threads;
}

// The numbers of omp_proc_bind_t, and Clang's number of `primary`, which differs from that of
// `master`; those behind are LLVM's own, for none.
ProcBind decode_bind(int32_t number) {
  constexpr int32_t clang_primary = 5;
  if (number == clang_primary) return ProcBind::primary;
  const bool named = number >= 0 && number <= static_cast<int32_t>(ProcBind::spread);
  return named ? static_cast<ProcBind>(number) : ProcBind::none;
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

// Called with so many words.
XYLEM_EXPORT void __kmpc_fork_call(const Location*, int32_t count, Microtask microtask, void* first,
                                   void* second, void* third) {
  open_region({microtask, count, {first, second, third}, words_on_stack()});
}

// The region has one word at most; one that has none does not look.
XYLEM_EXPORT void __kmpc_fork_call_if(const Location*, int32_t, Microtask microtask,
                                      int32_t condition, void* word) {
  if (!condition) current_member().clauses.wanted = 1;
  open_region({microtask, 1, {word}, nullptr});
}

// The clauses of the next region. num_threads(0) and less means nothing.
XYLEM_EXPORT void __kmpc_push_num_threads(const Location*, ThreadNumber, int32_t threads) {
  RegionClauses& clauses = current_member().clauses;
  delete std::exchange(clauses.threads, nullptr);
  clauses.wanted = threads > 0 ? static_cast<unsigned>(threads) : 0;
}

// The clause of OpenMP 6.0: a list, `strict`, or both; which Clang 19 does not know.
XYLEM_EXPORT void __kmpc_push_num_threads_list(const Location*, ThreadNumber, uint32_t length,
                                               const int32_t* list) {
  if (length > 0) push_threads_clause(length, list, false, 0, nullptr);
}
XYLEM_EXPORT void __kmpc_push_num_threads_strict(const Location*, ThreadNumber, int32_t threads,
                                                 int32_t severity, const char* message) {
  push_threads_clause(1, &threads, true, severity, message);
}
XYLEM_EXPORT void __kmpc_push_num_threads_list_strict(const Location*, ThreadNumber,
                                                      uint32_t length, const int32_t* list,
                                                      int32_t severity, const char* message) {
  if (length > 0) push_threads_clause(length, list, true, severity, message);
}

XYLEM_EXPORT void __kmpc_pop_num_threads(const Location*, ThreadNumber) {}

XYLEM_EXPORT void __kmpc_push_proc_bind(const Location*, ThreadNumber, int32_t bind) {
  current_member().clauses.bind = decode_bind(bind);
}

// The region's code is in the caller, between the two.
XYLEM_EXPORT void __kmpc_serialized_parallel(const Location*, ThreadNumber) {
  drop_clauses(current_member());
  if (tool::on()) [[unlikely]]
    return tool::parallel_begin(tool::here(), {.wanted = 1, .door = xylem::omp::Door::llvm});
  xylem::omp::parallel_begin({.wanted = 1, .door = xylem::omp::Door::llvm});
}

XYLEM_EXPORT void __kmpc_end_serialized_parallel(const Location*, ThreadNumber) {
  if (tool::on()) [[unlikely]] {
    tool::parallel_end(tool::here());
    return;
  }
  xylem::omp::parallel_end();
}

}  // extern "C"
