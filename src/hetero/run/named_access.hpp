// Owns: accesses to data that the program names by addresses: those of OpenMP's tasks with depend
// clauses, which are codelets with one variant, for processors (paper 002, section 3.2.2).
#pragma once

#include <span>

#include "hetero/tasks/addresses.hpp"
#include "hetero/tasks/task.hpp"

namespace xylem::hetero {

struct Named {
  const void* address;
  xylem_mode mode;  // read or read_write
};

// What is called when the turn of an access has come.
struct Begun {
  void (*call)(void* argument);
  void* argument;
};

// Enters an access to the data that begins at these addresses, in the order of submission. False:
// no data does, and nobody is called. Else `begun` is called once, by any thread, perhaps before
// this returns: what was submitted before has ended, and the data is in main memory. `access`: what
// ends it; set before that.
bool begin_access(std::span<const Named> names, const Begun& begun, Task*& access);
// What was written is the data's value from here on.
void end_access(Task& access);

}  // namespace xylem::hetero
