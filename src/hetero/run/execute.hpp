// Owns: running one task on an executor: its data is brought, its function is called, it ends.
#pragma once

#include "hetero/tasks/task.hpp"

namespace xylem::hetero {

// By the thread that is the executor. `measured`: models learn from it.
void execute(Task& task, int executor, bool measured);

// The step that brings the copies of those that reduced together (data_order.hpp).
int combine_copies(Task& task);

}  // namespace xylem::hetero
