// Owns: to which bubble with books (sched/queue/holder.hpp) a team and its threads belong.
//
// A team belongs to the bubble that its maker is in. Under a policy that gives time slices (gang,
// burst) an outermost team outside of all of the program's bubbles is one of its own, and so is
// each team that a member of an outermost one makes; what those make belongs to them. A team that
// has such teams inside takes no turns itself: its members only wait for theirs (paper 002, section
// 2.6.1: jobs). Bound teams (OMP_PROC_BIND) take no turns either: their threads have PUs of their
// own.
#pragma once

#include "omp/team/team.hpp"

namespace xylem::omp {

// Before the team's seeds are launched, if its maker is in a bubble or the policy gives time
// slices; its maker goes over to the team's bubble with it.
void join_bubble(Team& team, Member& maker);

// All members have departed; the maker of a team that joined returns to the bubble it came from.
void leave_bubble(Team& team, sched::Fiber& maker);

// --- the program's own bubbles, xylem/bubble.h ---

// One inside that which the member is in.
sched::Holder& make_bubble(const Member& member);
// False while threads or bubbles are inside.
bool end_bubble(sched::Holder& bubble);
// The innermost one of the program's that the member is in; or null.
sched::Holder* bubble_of(const Member& member);

void enter_bubble(Member& member, sched::Holder& bubble);
// False if the member went into none.
bool leave_entered(Member& member);
// Leaves all that it is still in, at its end.
inline void leave_all_entered(Member& member) {
  while (member.entered) [[unlikely]] leave_entered(member);
}

// Puts the team's seeds where its keeper keeps them; false if it has no keeper.
bool launch_kept(Team& team, Member& maker);

}  // namespace xylem::omp
