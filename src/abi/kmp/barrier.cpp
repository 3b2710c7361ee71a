// Owns: LLVM's entry points of barriers, and of constructs that one thread runs: single, master,
// masked. Decodes, calls omp/, returns.
#include <atomic>

#include "abi/kmp/kmp.hpp"
#include "base/export.hpp"
#include "omp/loops/ordered.hpp"
#include "omp/loops/single.hpp"
#include "omp/tool/mutexes.hpp"
#include "omp/tool/synchronization.hpp"
#include "omp/tool/work.hpp"

using namespace xylem::abi::kmp;
using xylem::omp::current_member;
using xylem::omp::Member;
using xylem::omp::team_barrier;
namespace tool = xylem::omp::tool;

namespace {

tool::SyncKind kind_of_barrier(const Location* location) {
  return location && location->flags & location_flags::implicit_barrier
             ? tool::SyncKind::barrier_implicit_workshare
             : tool::SyncKind::barrier_explicit;
}

// Inlined in the entry points: a tool is told where they were called.
[[gnu::always_inline]] inline int32_t runs_masked(int32_t filter) {
  if (current_member().num != filter) return 0;
  if (tool::on()) [[unlikely]]
    tool::begin_masked(tool::here());
  return 1;
}

void copy_told(tool::Call call, Member& member, void* variables, void (*copy)(void*, void*),
               bool ran) {
  if (ran)
    tool::single_copy_leave(call, member, variables);
  else
    copy(variables, tool::single_copy_take(call, member));
  tool::barrier(call, tool::SyncKind::barrier_implementation);
}

}  // namespace

extern "C" {

XYLEM_EXPORT void __kmpc_barrier(const Location* location, ThreadNumber) {
  if (tool::on()) [[unlikely]]
    return tool::barrier(tool::here(), kind_of_barrier(location));
  team_barrier(current_member());
}

// Member 0 goes on when all have come, the others when it has called the end.
XYLEM_EXPORT int32_t __kmpc_barrier_master(const Location*, ThreadNumber) {
  Member& member = current_member();
  team_barrier(member);
  if (member.num == 0) return 1;
  team_barrier(member);
  return 0;
}
XYLEM_EXPORT void __kmpc_end_barrier_master(const Location*, ThreadNumber) {
  team_barrier(current_member());
}

XYLEM_EXPORT int32_t __kmpc_barrier_master_nowait(const Location*, ThreadNumber) {
  Member& member = current_member();
  team_barrier(member);
  return member.num == 0;
}

XYLEM_EXPORT int32_t __kmpc_single(const Location*, ThreadNumber) {
  if (tool::on()) [[unlikely]]
    return tool::single_enter(tool::here(), current_member());
  return xylem::omp::single_enter(current_member());
}
XYLEM_EXPORT void __kmpc_end_single(const Location*, ThreadNumber) {
  if (tool::on()) [[unlikely]]
    tool::end_divided(tool::here());
}

// By all members behind the single construct; `ran` is set for the one that ran its body. `copy`
// takes what the second list of variables has into the first.
XYLEM_EXPORT void __kmpc_copyprivate(const Location*, ThreadNumber, size_t, void* variables,
                                     void (*copy)(void* to, void* from), int32_t ran) {
  Member& member = current_member();
  if (tool::on()) [[unlikely]]
    return copy_told(tool::here(), member, variables, copy, ran);
  if (ran)
    xylem::omp::single_copy_leave(member, variables);
  else
    copy(variables, xylem::omp::single_copy_take(member));
  team_barrier(member);
}

// The same where the compiled code copies, and has the second barrier. Null: the member has not run
// the body.
XYLEM_EXPORT void* __kmpc_copyprivate_light(const Location*, ThreadNumber, void* variables) {
  Member& member = current_member();
  if (tool::on()) [[unlikely]] {
    if (!variables) return tool::single_copy_take(tool::here(), member);
    tool::single_copy_leave(tool::here(), member, variables);
    return variables;
  }
  if (!variables) return xylem::omp::single_copy_take(member);
  xylem::omp::single_copy_leave(member, variables);
  return variables;
}

XYLEM_EXPORT int32_t __kmpc_master(const Location*, ThreadNumber) { return runs_masked(0); }
XYLEM_EXPORT void __kmpc_end_master(const Location*, ThreadNumber) {
  if (tool::on()) [[unlikely]]
    tool::end_masked(tool::here());
}

XYLEM_EXPORT int32_t __kmpc_masked(const Location*, ThreadNumber, int32_t filter) {
  return runs_masked(filter);
}
XYLEM_EXPORT void __kmpc_end_masked(const Location*, ThreadNumber) {
  if (tool::on()) [[unlikely]]
    tool::end_masked(tool::here());
}

// Around the body of a scope construct, for tools; its barrier and reduction have calls of their
// own.
XYLEM_EXPORT void __kmpc_scope(const Location*, ThreadNumber, void*) {
  if (tool::on()) [[unlikely]]
    tool::begin_divided(tool::here(), tool::WorkKind::scope, 0);
}
XYLEM_EXPORT void __kmpc_end_scope(const Location*, ThreadNumber, void*) {
  if (tool::on()) [[unlikely]]
    tool::end_divided(tool::here());
}

XYLEM_EXPORT void __kmpc_ordered(const Location*, ThreadNumber) {
  if (tool::on()) [[unlikely]]
    return tool::ordered_enter(tool::here(), current_member());
  xylem::omp::ordered_enter(current_member());
}
XYLEM_EXPORT void __kmpc_end_ordered(const Location*, ThreadNumber) {
  xylem::omp::Member& member = current_member();
  if (tool::on()) [[unlikely]]
    tool::ordered_leave(tool::here(), member);
  xylem::omp::ordered_leave(member);
}

XYLEM_EXPORT void __kmpc_flush(const Location*) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (tool::on()) [[unlikely]]
    tool::flush(tool::here());
}

}  // extern "C"
