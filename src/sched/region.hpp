// Owns: the life of a team of threads, from what its maker asks for to its end: which region it
// opens, to which bubble it belongs, where its members go.
#pragma once

#include <vector>

#include "sched/place/placing.hpp"
#include "sched/queue/entity.hpp"

namespace xylem::sched {

// True if a team that the thread makes would open a region of its contention group.
bool opens_region(const Thread& maker);

// A team of more than one begins: the region opens if it is an outermost one (Bubble::opened_region
// says so then), what is kept for its members is there, and the team belongs to a bubble.
void open_team(Bubble& team, Thread& maker);

// The members start: by queues, by the policy, by what is known of them. After open_team().
void launch_team(Bubble& team, Thread& maker, const Launch& wishes);

// For a maker that has nothing to do but to wait: runs members that nobody has begun, on its own
// stack or worker, where that is allowed. Private and seeds of nested teams; may do nothing.
void run_own_members(Bubble& team, Thread& maker);

// Member `member`, which has ended, is to run once more, as index member + team.members. `pu`:
// where it is bound; -1: nowhere. `share` is its seed, at rest. Any thread. From here on it may
// run.
void call_back(Bubble& team, SeedRange& seeds, int member, int pu);

// All members have ended but the maker, who goes back to the bubble that it came from; the region
// closes if the team opened it.
void close_team(Bubble& team, Thread& maker, bool check_queues);

// Where memory is limited: stacks for a team of n, or for as many threads as there is memory for.
struct Stacks {
  int threads;    // 1 to n
  int set_aside;  // to be given back when the team has ended
};
Stacks set_stacks_aside(const Thread& maker, int n);
void give_stacks_back(int set_aside);

// Begins to keep things for an external thread that was met (this_thread()), and which the upper
// layer knows by `user`. After start().
ContentionGroup& make_contention_group(Thread& thread, void* user);

// The load of a member of an outermost team, in any unit, for the next one: where members of such
// loads go. 0 forgets it. Paper 002, section 2.6.2.
void tell_load(Thread& thread, int member, int64_t load);

// Ends the thread-local data of the members of the calling external thread's outermost teams.
void end_members_data(Thread& external);

// The PU of each member of an outermost team of so many, as far as that can be said before it
// begins; empty: the policy does not repeat itself.
std::vector<int> planned_pus(int n);

}  // namespace xylem::sched
