// Owns: dependences that follow from data (paper 002, section 3.2.2).
//
// The tasks of a piece are generations: those of one may run in any order, or at once, and each of
// them comes after all of the generation before. Tasks that read are one generation, and so are
// those that commute and those that reduce; one that writes is a generation by itself. Tasks for
// which the piece is scratch are in none: the piece's end alone comes after them.
//
// Invariant: all uses of a task enter under one lock, so the order of any two tasks is the same for
// every piece that they share.
#pragma once

#include <span>

#include "base/lock_order.hpp"
#include "hetero/tasks/handle.hpp"

namespace xylem::hetero {

// Puts the task behind what was submitted before it, for each of its uses, and completes its
// submission. 0, or EBUSY and nothing is done: a handle is cut into parts, or ends.
int enter(Task& task);

// Calls decide() under the same lock, and enters the task if that returned 0. For the runtime's own
// tasks, which change what a handle is. Returns what decide() did.
int enter_if(Task& task, int (*decide)(Task& task, void* argument), void* argument);

// Whether tasks of one mode may stand in one generation.
constexpr bool shares(xylem_mode mode) {
  return mode == xylem_read || mode == xylem_commute || mode == xylem_reduce;
}

// The task that brings the copies of those that reduced together; it uses the handle.
void set_combining(int (*combine)(Task& task));

}  // namespace xylem::hetero
