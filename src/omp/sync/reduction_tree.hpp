// Owns: combining what members have of a reduction in an order that the team's size alone sets.
//
// Members are the leaves of a binary tree. Of the two that meet at a pair, who comes first leaves
// what it has there, and who comes second combines it with its own and goes up. Which parts are
// combined is the same however members come, and in which order of two only a combiner that does
// not commute sees. So a sum of floating-point numbers is the same to its last bit in each run.
// Three levels of pairs share a cache line: of eight neighbours, then of eight lines.
//
// Invariant: in each reduction two come to a pair, and the second empties it. So all pairs are
// empty when the construct's barrier opens, or its round ends.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sched/sched.hpp"

namespace xylem::omp {

struct Team;

class alignas(64) ReductionTree {
 public:
  static constexpr int fan = 8;  // members, or lines, that share a line

  // For a team of n; n > 1. From the cache of blocks that `self`, the calling thread, has (null:
  // from malloc), to which free() gives it back.
  static ReductionTree* make(int n, const sched::Thread* self);
  void free(const sched::Thread* self);

  // By each member once, with what it has of a reduction: true if what all have has been combined
  // into `own` by combine(into, from). Else others combine it, and it must stay as it is until the
  // construct's barrier, or until wait() returns.
  template <class Combine>
  bool combine(int member, void* own, const Combine& combine) {
    Line* row = lines();
    for (int at = member, things = n_; things > 1; at /= fan) {
      const int first = at / fan * fan;
      if (!meet(row[at / fan], at - first, std::min(fan, things - first), own, combine))
        return false;
      things = lines_for(things);
      row += things;
    }
    return true;
  }

  // Of reductions without a barrier: how many all members have combined. What it was before a
  // member's combine() is what that member waits for the end of.
  uint32_t rounds() const { return rounds_.load(std::memory_order_acquire); }
  // By the member that has it all: the others may go on.
  void end_round();
  // By the others; `self` is the calling thread.
  void wait(const sched::Thread& self, uint32_t round);

 private:
  // What who came first to a pair left there; null: nobody, or both have been. Four pairs of
  // neighbours, two pairs of these, one of those. acq_rel: who takes it reads it, and writes to it.
  struct alignas(64) Line {
    std::atomic<void*> pairs[fan - 1] = {};
  };

  explicit ReductionTree(int n) : n_(n) {}
  static constexpr int lines_for(int things) { return (things + fan - 1) / fan; }
  static size_t bytes_for(int n);
  Line* lines() { return reinterpret_cast<Line*>(this + 1); }

  template <class Combine>
  static bool meet(Line& line, int child, int children, void* own, const Combine& combine) {
    std::atomic<void*>* pairs = line.pairs;
    for (int level = 0, count = fan / 2; count > 0; ++level, pairs += count, count /= 2) {
      const int at = child >> level;
      if ((at ^ 1) << level >= children) continue;  // alone at the end of the row
      void* other = pairs[at / 2].exchange(own, std::memory_order_acq_rel);
      if (!other) return false;
      // relaxed: a barrier, or the end of the round, publishes it
      pairs[at / 2].store(nullptr, std::memory_order_relaxed);
      combine(own, other);
    }
    return true;
  }

  const int n_;
  std::atomic<uint32_t> rounds_{0};  // acquire and release: who was combined may free what it had
  sched::WaitList waiting_;
};

// The team's own. Made at first use; freed with the team. By a member that runs as `self`.
ReductionTree& reduction_tree(Team& team, const sched::Thread& self);

}  // namespace xylem::omp
