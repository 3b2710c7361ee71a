// Owns: the program's own accesses to data between tasks. An access is a task that is not run: when
// its turn has come the program goes on, and when the program is done the task ends.
#pragma once

#include "hetero/tasks/handle.hpp"

namespace xylem::hetero {

// Waits for the turn, and brings the data to main memory. 0; EBUSY: the handle is cut, or ends;
// ENODATA and others of Piece::acquire(): then nothing is acquired. `ends`: no task may come after.
int acquire(Handle& handle, xylem_mode mode, bool ends = false);
// What is called when the turn of an access has come that nobody waits for.
struct Then {
  void (*acquired)(void* argument, int error);
  void* argument;
};
// The same without waiting. `at_once`: whoever makes the access ready brings the data to main
// memory, else an executor. 0, or EBUSY or ENOMEM: nobody is called.
int acquire_then(Handle& handle, xylem_mode mode, const Then& then, bool at_once);
// Ends an access; false: there is none. What an access that writes wrote is the data's value then,
// unless `wrote` says that it wrote nothing.
bool release(Handle& handle, bool wrote = true);
// Ends an access that writes; false: there is none. The data has no value then.
bool give_up(Handle& handle);

}  // namespace xylem::hetero
