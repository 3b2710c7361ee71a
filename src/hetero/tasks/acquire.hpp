// Owns: the program's own accesses to data between tasks. An access is a task that is not run: when
// its turn has come the program goes on, and when the program is done the task ends.
#pragma once

#include "hetero/tasks/handle.hpp"

namespace xylem::hetero {

// Waits for the turn, and brings the data to main memory. 0; EBUSY: the handle is cut, or ends;
// ENODATA and others of Piece::acquire(): then nothing is acquired. `ends`: no task may come after.
int acquire(Handle& handle, xylem_mode mode, bool ends = false);
// Ends an access; false: there is none. What an access that writes wrote is the data's value then,
// unless `wrote` says that it wrote nothing.
bool release(Handle& handle, bool wrote = true);

}  // namespace xylem::hetero
