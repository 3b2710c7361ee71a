// Owns: running one task on an executor: its data is brought, its function is called, it ends.
#pragma once

#include "hetero/tasks/handle.hpp"

namespace xylem::hetero {

// By the thread that is the executor: of a processor, or, for tasks of the runtime's own, of a
// device. `measured`: models learn from it.
void execute(Task& task, int executor, bool measured);

// The task's data is given back: it ends.
void finish_task(Task& task, int error);
// What the task was to write has no value now.
void lose_written(Task& task);

// Of the modes that bring a piece (not xylem_reduce); a scratch piece is written.
Access access_of(xylem_mode mode);
bool writes(xylem_mode mode);

// The step that brings the copies of those that reduced together (data_order.hpp).
int combine_copies(Task& task);

}  // namespace xylem::hetero
