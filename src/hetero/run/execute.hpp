// Owns: running one task on an executor: its data is brought, its function is called, it ends.
#pragma once

#include "hetero/tasks/handle.hpp"

namespace xylem::hetero {

// Who runs a task: a member of the crew, which is an executor.
struct Runner {
  int executor;
  int seat;  // the member's, below crew_size(): several may be one executor
};

// By the runner: of a processor, or, for tasks of the runtime's own, of a device. `measured`:
// models learn from it.
void execute(Task& task, Runner runner, bool measured);

// The task's data is given back: it ends.
void finish_task(Task& task, int error);
// What the task was to write has no value now.
void lose_written(Task& task);

// What a task works on that reduces is a piece of its runner's own. Makes it where there is none;
// by the runner. 0, or an errno.
int begin_copy(Handle& handle, int seat);
// That piece, or the handle's where the use does not reduce. Not of scratch.
Piece& piece_of(const Use& use, int seat);
// A scratch piece is written; one that reduces reads its copy and writes it.
Access access_of(xylem_mode mode);
bool writes(xylem_mode mode);
// The task is given the piece's value.
bool brings(xylem_mode mode);

// The step that brings the copies of those that reduced together (data_order.hpp).
int combine_copies(Task& task);

}  // namespace xylem::hetero
