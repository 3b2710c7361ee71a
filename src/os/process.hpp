// What the process and its host are called.
//
// Owns: host_name and process_id. Invariant: neither fails; a name that cannot be had is empty.
#pragma once

#include <cstddef>

namespace xylem::os {

// Writes the host's name, ended by a zero and cut to fit. Precondition: room > 0.
void host_name(char* buffer, std::size_t room);

int process_id();

}  // namespace xylem::os
