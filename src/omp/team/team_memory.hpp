// Owns: the memory of teams, and the steps of a region's life that team.cpp and join.cpp share.
#pragma once

#include "omp/team/team.hpp"

namespace xylem::omp {

// A team of n with member 0's record inside; the other fields are at their defaults.
Team& make_team(int n, const sched::Thread& maker);
// The team is closed; nobody refers to it any more.
void free_team(Team& team, const sched::Thread& maker);

// Members that the placement of a team of n is likely to put on one memory node.
int members_a_node(int n);

// Fills in a member of the team that runs as `thread`, from what the team gives to all. `num` is
// set.
void begin_member(Team& team, Member& member, sched::Thread& thread);

// The seed range by which a departed member comes back. Made for all at first use; freed with the
// team.
sched::SeedRange& helper_seeds(Team& team, int num);

// Bubble::kind of teams, and of those of a region that a tool is told of.
extern const sched::BubbleKind member_kind;
extern const sched::BubbleKind told_member_kind;

// Runs what is left as member 0 and returns when the region may end.
void join(Team& team, Member& master);

}  // namespace xylem::omp
