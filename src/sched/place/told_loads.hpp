// Owns: the loads that the program told for the members of a contention group's outermost teams,
// and of the teams inside (paper 002, section 2.6.2).
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "base/spin_lock.hpp"
#include "plan/team_tree.hpp"

namespace xylem::sched {

// A thread of the tree: its number in the outermost team; or the number there of the maker of the
// team inside, and so on to its own number.
using ThreadPath = std::span<const int>;

class ToldLoads {
 public:
  // Remembers the load of a thread, in any unit; 0 forgets it, less counts as 0. Any thread.
  void tell(ThreadPath path, int64_t load) XYLEM_EXCLUDES(lock_);

  // 0: none was ever told. Else it changes whenever one of them does. relaxed: who reads it without
  // the lock may be a region late
  uint32_t version() const { return version_.load(std::memory_order_relaxed); }

  // Writes what was told into the teams of the tree. True if there was something.
  bool write_to(plan::TeamTree& tree) const XYLEM_EXCLUDES(lock_);
  // Of all members of an outermost team of n, what was not told as 1; 0 if nothing was.
  int64_t of_team(int n) const XYLEM_EXCLUDES(lock_);

 private:
  // 0: not told. Of a member that makes teams, with the loads of their members.
  struct Told {
    int64_t load = 0;
    std::vector<Told> inner;
  };

  mutable base::SpinLock lock_{{60, "ToldLoads::lock_"}};
  Told all_ XYLEM_GUARDED_BY(lock_);  // of the outermost teams' maker
  std::atomic<uint32_t> version_{0};  // written under the lock
};

}  // namespace xylem::sched
