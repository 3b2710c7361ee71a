// Owns: that of tasks which commute on a piece one runs at a time.
//
// Protocol: a ready task takes all the pieces on which it commutes at once, or none and waits for
// one that is held; who gives pieces up lets all that waited for them try again. All under one
// lock, so no two tasks hold a part of what each other needs.
#pragma once

#include "hetero/tasks/handle.hpp"

namespace xylem::hetero {

// True: the task holds its pieces. False: it stands in a list, and may be taken from there at once.
bool take_commuting(Task& task);
// Gives them up. The tasks that may try again, as a list by next_waiting.
Task* give_commuting_up(Task& task);

}  // namespace xylem::hetero
