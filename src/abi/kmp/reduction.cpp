// Owns: LLVM's entry points of the reduction clause of worksharing constructs and regions.
//
// The compiled code can combine in three ways, and the answer says which: 1, one after the other,
// until the end is called; 2, each variable by an atomic operation, if the location's flag says so;
// 0, not at all, as somebody else has done it.
//
// By the tree (omp/sync/reduction_tree.hpp) members combine what they have in an order that does
// not depend on who comes first, and one adds it to the program's variables. What the others have
// ends with their frames, so they wait until it is combined. With a barrier at its end they wait
// anyhow. Where there is none (`nowait`, and regions' own reductions) only larger teams use the
// tree, as on libomp; members of small ones combine for themselves, in the order in which they
// come.
#include "abi/kmp/kmp.hpp"
#include "base/export.hpp"
#include "omp/sync/reduction_tree.hpp"
#include "omp/tool/mutexes.hpp"
#include "omp/tool/synchronization.hpp"

using namespace xylem::abi::kmp;
using namespace xylem::omp;

namespace {

enum Way : int32_t { by_others = 0, one_by_one = 1, by_atomics = 2 };

// So many atomic operations on what others write too cost less than to wait for who holds the lock.
constexpr int32_t most_atomics = 4;
// Threads of teams that use no tree where they need not wait; as on libomp.
constexpr int small_team = 4;

bool uses_atomics(const Location* location, int32_t variables) {
  const ReductionWay forced = globals().reduction_way;
  if ((location->flags & location_flags::atomic_reduce) == 0) return false;
  return forced == ReductionWay::by_atomics ||
         (forced != ReductionWay::one_by_one && variables <= most_atomics);
}

// Whether members that need wait for nobody, or wait at a barrier anyhow, use the tree. Not where
// they may leave early, so that some may never come.
bool uses_tree(const Member& member, bool has_barrier) {
  if (member.team->n == 1 || globals().cancellation) return false;
  const ReductionWay forced = globals().reduction_way;
  if (forced != ReductionWay::any) return forced == ReductionWay::by_tree;
  return has_barrier || member.team->n > small_team;
}

// no_end: after atomics the compiled code does not call the end.
// What is called by entry points is inlined in them: a tool is told where they were called.
[[gnu::always_inline]] inline Way begin(const Location* location, int32_t variables, void* storage,
                                        bool no_end) {
  Member& member = current_member();
  if (tool::on()) [[unlikely]]
    tool::begin_reduction(tool::here());
  if (member.team->n == 1) return one_by_one;
  if (uses_atomics(location, variables)) {
    if (tool::on() && no_end) tool::end_reduction(tool::here());
    return by_atomics;
  }
  lock(named_critical(storage));
  member.holds_reduction = true;
  return one_by_one;
}

[[gnu::always_inline]] inline void end(Member& member, void* storage) {
  if (tool::on()) [[unlikely]]
    tool::end_reduction(tool::here());
  if (!member.holds_reduction) return;
  member.holds_reduction = false;
  unlock(named_critical(storage));
}

[[gnu::always_inline]] inline void end_with_barrier(Member& member, void* storage) {
  end(member, storage);
  if (tool::on()) [[unlikely]]
    return tool::barrier(tool::here(), tool::SyncKind::barrier_implicit_workshare);
  team_barrier(member);
}

// Its frame, and what it has there, may end when this returns by_others.
[[gnu::always_inline]] inline Way combine_nowait(Member& member, void* own,
                                                 void (*combine)(void*, void*)) {
  if (tool::on()) [[unlikely]]
    tool::begin_reduction(tool::here());
  ReductionTree& tree = reduction_tree(*member.team, *member.thread);
  const uint32_t round = tree.rounds();
  if (tree.combine(member.num, own, combine)) {
    tree.end_round();
    return one_by_one;
  }
  tree.wait(*member.thread, round);
  if (tool::on()) [[unlikely]]
    tool::end_reduction(tool::here());
  return by_others;
}

}  // namespace

extern "C" {

XYLEM_EXPORT int32_t __kmpc_reduce_nowait(const Location* location, ThreadNumber, int32_t variables,
                                          size_t, void* own, void (*combine)(void*, void*),
                                          void* storage) {
  Member& member = current_member();
  if (uses_tree(member, false)) return combine_nowait(member, own, combine);
  return begin(location, variables, storage, true);
}
// Not called after atomics.
XYLEM_EXPORT void __kmpc_end_reduce_nowait(const Location*, ThreadNumber, void* storage) {
  end(current_member(), storage);
}

XYLEM_EXPORT int32_t __kmpc_reduce(const Location* location, ThreadNumber, int32_t variables,
                                   size_t, void* own, void (*combine)(void*, void*),
                                   void* storage) {
  Member& member = current_member();
  if (!uses_tree(member, true)) return begin(location, variables, storage, false);
  if (tool::on()) [[unlikely]]
    tool::begin_reduction(tool::here());
  ReductionTree& tree = reduction_tree(*member.team, *member.thread);
  if (tree.combine(member.num, own, combine)) return one_by_one;
  end_with_barrier(member, storage);
  return by_others;
}
// Called after atomics too; the barrier of the construct.
XYLEM_EXPORT void __kmpc_end_reduce(const Location*, ThreadNumber, void* storage) {
  end_with_barrier(current_member(), storage);
}

}  // extern "C"
