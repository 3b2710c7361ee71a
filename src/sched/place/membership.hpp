// Owns: to which group (queue/group.hpp) a team and its threads belong.
//
// A team belongs to the bubble that its maker is in. Under a policy that gives time slices (gang,
// burst), or has hooks, an outermost team outside of all of the program's bubbles is one of its
// own, and so is each team that a member of an outermost one makes; what those make belongs to
// them. A team that has such teams inside takes no turns itself: its members only wait for theirs
// (paper 002, section 2.6.1: jobs). Bound teams (OMP_PROC_BIND) take no turns either: their threads
// have PUs of their own.
#pragma once

#include "sched/queue/fiber.hpp"
#include "sched/queue/group.hpp"

namespace xylem::sched {

class Pool;

// Before the team's seeds are launched, if its maker is in a bubble or teams have groups
// (Engine::counts_teams); its maker goes over to the team's bubble with it.
void join_bubble(Bubble& team, Fiber& maker);

// The team's unit takes part in turns from here on, if the maker's team belongs to another one.
void arrive_at_unit(Bubble& team, const Bubble& makers_team, Pool& pool);

// All members have departed; the maker of a team that joined returns to the bubble it came from.
void leave_bubble(Bubble& team, Fiber& maker);

// --- the program's own bubbles, xylem/bubble.h ---

// One inside that which the thread is in.
Group& make_bubble(const Thread& thread);
// False while threads or bubbles are inside.
bool end_bubble(Group& bubble);
// The innermost one of the program's that the thread is in; or null.
Group* bubble_of(const Thread& thread);
// The innermost one of all; or null.
Group* group_of(const Thread& thread);

// The bubbles that a thread went into, the last first. Each is the thread's until it leaves.
struct Entered;
void enter_bubble(Thread& thread, Entered*& entered, Group& bubble);
// False if the thread is in none.
bool leave_entered(Thread& thread, Entered*& entered);

}  // namespace xylem::sched
