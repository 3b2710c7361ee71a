// Owns: initialising and combining copies of task reductions. See task_combine.hpp.
#include "omp/tasks/task_combine.hpp"

#include <cstdlib>
#include <cstring>

#include "omp/tasks/taskgroup.hpp"
#include "omp/team/team.hpp"

namespace xylem::omp {

namespace {

void combine_one(const ReductionItem& item, void* copy) {
  item.combine(const_cast<void*>(item.address), copy);
  if (item.destroy) item.destroy(copy);
}

// No task uses the copies any more.
void combine(const ReductionBlock& block, int threads) {
  const bool* begun = block.begun;
  for (int thread = 0; thread < threads; ++thread) {
    char* copies = block.copies + static_cast<size_t>(thread) * block.thread_bytes;
    for (const ReductionItem& item : block.items())
      if (*begun++) combine_one(item, copies + item.offset);
  }
}

std::atomic<ReductionBlock*>& shared_by(Team& team, SharedBy construct) {
  return team.tasks.shared_reductions[static_cast<int>(construct)];
}

// The block of the member that came first: `own`, or that of another, whose copies it then has.
ReductionBlock& join_first(Team& team, ReductionBlock& own, SharedBy construct) {
  provide_unbegun_copies(own, team.n);
  own.users.store(static_cast<uint32_t>(team.n), std::memory_order_relaxed);  // before it is shared
  ReductionBlock* first = nullptr;
  // acq_rel: pairs with that of the member that came first
  if (shared_by(team, construct)
          .compare_exchange_strong(first, &own, std::memory_order_acq_rel,
                                   std::memory_order_acquire))
    return own;
  free_copies(own);
  own.copies = first->copies;
  own.copies_end = first->copies_end;
  own.begun = first->begun;
  return *first;
}

}  // namespace

void begin_combining(Member& member, ReductionBlock& block) {
  if (member.team->n == 1) return free_reductions(&block);
  provide_unbegun_copies(block, member.team->n);
  Taskgroup& group = *member.task->taskgroup;
  block.next = group.reductions;
  group.reductions = &block;
}

void begin_combining(Member& member, ReductionBlock& block, SharedBy construct) {
  Taskgroup& group = taskgroup_start(member);
  group.workshare = true;
  if (member.team->n == 1) return free_reductions(&block);
  block.first = &join_first(*member.team, block, construct);
  group.reductions = &block;
}

void end_taskgroup_combining(Member& member) {
  Taskgroup* group = member.task->taskgroup;
  ReductionBlock* blocks = group ? group->reductions : nullptr;
  taskgroup_end(member);
  for (const ReductionBlock* block = blocks; block; block = block->next)
    combine(*block, member.team->n);
  free_reductions(blocks);
}

void end_combining(Member& member, SharedBy construct) {
  ReductionBlock* own = member.task->taskgroup->reductions;
  taskgroup_end(member);
  if (!own) return;  // a team of one
  ReductionBlock* first = own->first;
  // acq_rel: the last to end sees what the tasks of all wrote
  if (first->users.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    combine(*own, member.team->n);
    // relaxed: a barrier is between this construct and the next
    shared_by(*member.team, construct).store(nullptr, std::memory_order_relaxed);
    if (own != first) free_reduction_blocks(own);
    free_reductions(first);
  } else if (own != first) {
    free_reduction_blocks(own);
  }
}

void* copy_to_combine(Member& member, Taskgroup* innermost, const void* address) {
  if (member.team->n == 1) return const_cast<void*>(address);
  return reduction_copy(member, innermost ? innermost : member.task->taskgroup, address).own;
}

void drop_shared_reductions(Team& team) {
  for (auto& first : team.tasks.shared_reductions) {
    // relaxed: all members have departed
    if (ReductionBlock* left = first.exchange(nullptr, std::memory_order_relaxed))
      free_reductions(left);
  }
}

}  // namespace xylem::omp
