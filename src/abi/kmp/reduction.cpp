// Owns: LLVM's entry points of the reduction clause of worksharing constructs and regions.
//
// The compiled code can combine in three ways, and the answer says which: 1, one after the other,
// until the end is called; 2, each variable by an atomic operation, if the location's flag says so;
// 0, not at all, as somebody else has done it.
#include "abi/kmp/kmp.hpp"
#include "base/export.hpp"
#include "omp/tool/mutexes.hpp"
#include "omp/tool/synchronization.hpp"

using namespace xylem::abi::kmp;
using namespace xylem::omp;

namespace {

enum Way : int32_t { one_by_one = 1, by_atomics = 2 };

// So many atomic operations on what others write too cost less than to wait for who holds the lock.
constexpr int32_t most_atomics = 4;

// no_end: after atomics the compiled code does not call the end.
// What is called by entry points is inlined in them: a tool is told where they were called.
[[gnu::always_inline]] inline Way begin(const Location* location, int32_t variables, void* storage,
                                        bool no_end) {
  Member& member = current_member();
  if (tool::on()) [[unlikely]]
    tool::begin_reduction(tool::here());
  if (member.team->n == 1) return one_by_one;
  const bool atomics = (location->flags & location_flags::atomic_reduce) != 0;
  if (atomics && variables <= most_atomics) {
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

}  // namespace

extern "C" {

XYLEM_EXPORT int32_t __kmpc_reduce_nowait(const Location* location, ThreadNumber, int32_t variables,
                                          size_t, void*, void (*)(void*, void*), void* storage) {
  return begin(location, variables, storage, true);
}
// Not called after atomics.
XYLEM_EXPORT void __kmpc_end_reduce_nowait(const Location*, ThreadNumber, void* storage) {
  end(current_member(), storage);
}

XYLEM_EXPORT int32_t __kmpc_reduce(const Location* location, ThreadNumber, int32_t variables,
                                   size_t, void*, void (*)(void*, void*), void* storage) {
  return begin(location, variables, storage, false);
}
// Called after atomics too; the barrier of the construct.
XYLEM_EXPORT void __kmpc_end_reduce(const Location*, ThreadNumber, void* storage) {
  Member& member = current_member();
  end(member, storage);
  if (tool::on()) [[unlikely]]
    return tool::barrier(tool::here(), tool::SyncKind::barrier_implicit_workshare);
  team_barrier(member);
}

}  // extern "C"
