// Owns: the loads that a program told for the members of a contention group's outermost teams
// (xylem_set_load, the papers' marcel_set_load, paper 002 section 2.6.2), and where members of such
// loads go.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/spin_lock.hpp"
#include "sched/place/engine.hpp"

namespace xylem::sched {

class ToldLoads {
 public:
  // Remembers the load of a member, in any unit; 0 forgets it, less counts as 0. Any thread.
  void tell(int member, int64_t load) XYLEM_EXCLUDES(lock_);

  // Of the members of a team of n; empty when none was told. 0, which is not known, counts as 1.
  std::vector<int64_t> of_team(int n) const XYLEM_EXCLUDES(lock_);

  // Where the members of an outermost team of n go; null when no load was told. Valid until the
  // next call, which the group's thread makes before each of its outermost regions.
  const plan::Placement* placement(int n, Engine& engine) XYLEM_EXCLUDES(lock_);

 private:
  mutable base::SpinLock lock_{{60, "ToldLoads::lock_"}};
  std::vector<int64_t> loads_ XYLEM_GUARDED_BY(lock_);  // by member; 0: not told
  std::atomic<int> told_{0};                      // how many are not 0; written under the lock
  bool changed_ XYLEM_GUARDED_BY(lock_) = false;  // since the placement was made
  plan::Placement placement_;                     // by the group's thread
};

}  // namespace xylem::sched
