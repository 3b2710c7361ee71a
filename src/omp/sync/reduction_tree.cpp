// Owns: making reduction trees, and waiting until a reduction is combined. See reduction_tree.hpp.
#include "omp/sync/reduction_tree.hpp"

#include <new>

#include "base/relax.hpp"
#include "omp/team/team.hpp"

namespace xylem::omp {

size_t ReductionTree::bytes_for(int n) {
  size_t lines = 0;
  for (int things = n; things > 1; lines += static_cast<size_t>(things)) things = lines_for(things);
  return sizeof(ReductionTree) + lines * sizeof(Line);
}

ReductionTree* ReductionTree::make(int n, const sched::Thread* self) {
  const size_t bytes = bytes_for(n);
  char* block = static_cast<char*>(sched::take_block(self, bytes));
  for (size_t at = sizeof(ReductionTree); at < bytes; at += sizeof(Line)) new (block + at) Line;
  return new (block) ReductionTree(n);
}

void ReductionTree::free(const sched::Thread* self) {
  const size_t bytes = bytes_for(n_);
  this->~ReductionTree();
  sched::put_block(self, this, bytes);
}

void ReductionTree::end_round() {
  rounds_.fetch_add(1, std::memory_order_release);
  waiting_.lock();
  sched::EntityList released = waiting_.take_all();
  waiting_.unlock();
  sched::make_all_ready(released);
}

void ReductionTree::wait(const sched::Thread& self, uint32_t round) {
  sched::InPlace in_place(self);
  for (int turn = 0; in_place.goes_on(turn); ++turn) {
    if (rounds() != round) return;
    base::relax();
  }
  waiting_.lock();
  // The end of the round takes the lock after it has counted: it finds who sleeps, or is seen here.
  if (rounds() == round)
    waiting_.wait(trace::Reason::barrier);
  else
    waiting_.unlock();
}

ReductionTree& reduction_tree(Team& team, const sched::Thread& self) {
  // acquire and release: whoever loses the race uses the winner's
  ReductionTree* there = team.reductions.load(std::memory_order_acquire);
  if (there) return *there;
  ReductionTree* made = ReductionTree::make(team.n, &self);
  if (team.reductions.compare_exchange_strong(there, made, std::memory_order_acq_rel)) return *made;
  made->free(&self);
  return *there;
}

}  // namespace xylem::omp
