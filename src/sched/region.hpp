// Owns: the life of a team of threads, from what its maker asks for to its end: which region it
// opens, to which bubble it belongs, where its members go.
#pragma once

#include <vector>

#include "sched/place/placing.hpp"
#include "sched/queue/entity.hpp"

namespace xylem::sched {

// True if a team that the thread makes would open a region of its contention group.
bool opens_region(const Thread& maker);

// A team of more than one begins. An outermost team opens the region (Bubble::opened_region says
// so) and gets what is kept for its members; a team whose maker belongs to a group joins one.
void open_team(Bubble& team, Thread& maker);

// Places the team's members (plan::Why) and puts them into queues. After open_team().
void launch_team(Bubble& team, Thread& maker, const Launch& wishes);

// For a maker that only waits from here on: runs members that nobody has begun. Those of a private
// team run on the maker's worker, those of a nested team on the maker's stack where they have the
// room that was promised to them. May run none.
void run_own_members(Bubble& team, Thread& maker);

// Member `member`, which has ended, is to run once more, as index member + team.members. `pu`:
// where it is bound; -1: nowhere. `seeds` is the member's own range, in no queue. Any thread. The
// member may run, and end, before this returns.
void call_back(Bubble& team, SeedRange& seeds, int member, int pu);

// All members have ended but the maker, who goes back to the bubble that it came from; the region
// closes if the team opened it.
void close_team(Bubble& team, Thread& maker, bool check_queues);

// Where memory is limited: stacks for a team of n, or for as many threads as there is memory for.
struct StacksAside {
  bool of_seeds : 1 = false;  // one for each thread but the first
  bool of_makers_loop : 1 = false;
  bool any() const { return of_seeds || of_makers_loop; }
};
struct Stacks {
  int threads;            // 1 to n
  StacksAside set_aside;  // to be given back when the team of so many threads has ended
};
Stacks set_stacks_aside(const Thread& maker, int n);
void give_stacks_back(StacksAside set_aside, int threads);

// Makes the contention group of an external thread that this_thread() has adopted; the upper layer
// knows the group by `user`. After start(). Ends with the kernel thread (Upper::ended).
ContentionGroup& make_contention_group(Thread& thread, void* user);

// The load of a thread of the calling thread's contention group, in any unit, for the next region:
// where threads of such loads go. 0 forgets it. Paper 002, section 2.6.2.
void tell_load(Thread& thread, ThreadPath path, int64_t load);

// Ends the thread-local data of the members of the calling external thread's outermost teams.
void end_members_data(Thread& external);

// The tree of a team of n that the thread is about to open, as far as it is known.
plan::TeamTree known_tree(const Thread& maker, const Launch& wishes, int n);
// The same of a team that is open, as it was known when it began. By a member's thread.
plan::TeamTree tree_of(const Bubble& team, const Thread& member);
// Processor time by member of an outermost region that the thread is about to open, and that was
// placed by hints before, since it was asked last; empty: less than `at_least_ns` in all.
std::vector<int64_t> take_measured(const Thread& maker, void (*function)(void*), int n,
                                   int64_t at_least_ns);

// The PU of each member of an outermost team of so many, as far as that can be said before it
// begins; empty: the policy does not repeat itself.
std::vector<int> planned_pus(int n);

}  // namespace xylem::sched
