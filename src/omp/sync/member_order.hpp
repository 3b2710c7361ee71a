// Owns: the order in which members that slept go on where they share a processor: that of their
// numbers, as a serial program would run them. Programs whose threads spin on a flag that thread 0,
// or a lower thread, sets find it set then; else each would spin until its kernel thread's time
// is over, and the one that it waits for stands in the queue behind it. Where processors have three
// members and more it is also faster, as all are woken at once; where they have two it is slower,
// and is done as long as there is reason to.
#pragma once

#include "sched/sched.hpp"

namespace xylem::omp {

struct Member;

// Sorts suspended members by their numbers.
void sort_by_number(sched::EntityList& members);

// The number of a suspended member.
int number_of(const sched::Entity& member);

// By a member that is about to leave a barrier of a team with more members than processors, and has
// woken others at its processor, of which `first` is the lowest: they run before it if that is
// lower, and the team's order is kept.
void let_lower_ones_run(Member& member, int first);

}  // namespace xylem::omp
