// Owns: owners of memory: which OpenMP thread, team or bubble a range belongs to, and where that is
// now (paper 000, section 3.2; MaMI's attach).
//
// An owner is kept by number, never by address: a team gets one when its first member owns
// something, and it ends with the team; bubbles have their own. So a range may outlive its owner,
// and then has none that is anywhere.
#pragma once

#include <atomic>

#include "mem/map/nodes.hpp"
#include "mem/map/regions.hpp"
#include "sched/sched.hpp"

namespace xylem::omp {

inline constexpr base::LockRank owners_rank{61, "owners_lock"};

struct Team;
struct Member;
struct OwningTeam;  // the record of a team that owns memory

// What each Team has: its record, made when need be, ended with the team.
class TeamAsOwner {
 public:
  ~TeamAsOwner() {
    // relaxed: all members have departed
    if (record_.load(std::memory_order_relaxed)) [[unlikely]]
      end();
  }
  OwningTeam& record(Team& team);

 private:
  void end();
  // Written once by the first member that owns (release), read by others (acquire), who so see the
  // record as it was made.
  std::atomic<OwningTeam*> record_{nullptr};
};

// `number`: of the caller's team, below its size.
mem::Owner owner_of_member(Member& caller, int number);
mem::Owner owner_of_team(Member& caller);
mem::Owner owner_of_bubble(Member& caller, sched::Group& bubble);

// The node where the owner runs: where most of it runs, or ran last. -ENOENT when it has ended, or
// nobody knows yet where it runs.
int node_of_owner(Member& asker, const mem::Owner& owner);

// True if the owner is the bubble, a bubble inside it, or a team, or a thread of one, that was
// opened inside it and has not ended.
bool is_owner_inside(const mem::Owner& owner, const sched::Group& bubble);

// Nodes for `parts` blocks: block i for member i of the caller's team (of its next team, outside of
// regions); with 0 parts one block for each node that has memory.
mem::NodeList nodes_of_members(Member& caller, int parts);

// Around fork(): the child must not inherit the lock from a thread that it does not have.
void lock_owners();
void unlock_owners(bool in_child);

}  // namespace xylem::omp
