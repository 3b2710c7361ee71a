// What the process and its host are called.
//
// Owns: host_name, process_id, at_process_exit and program_name. Invariant: none fails; a name that
// cannot be had is empty.
#pragma once

#include <cstddef>

namespace xylem::os {

// Writes the host's name, ended by a zero and cut to fit. Precondition: room > 0.
void host_name(char* buffer, std::size_t room);

int process_id();

// Calls end() when the process exits, before what was registered earlier.
void at_process_exit(void (*end)());

// Writes what the program was started as, ended by a zero and cut to fit. Precondition: room > 0.
void program_name(char* buffer, std::size_t room);

}  // namespace xylem::os
