// Owns: which thread-local data of libraries that were opened late the made blocks (tls.hpp) have.
//
// A library with initial-exec data has it at one place in every thread's block. When libc opens
// such a library it writes the initial values into the blocks of the threads that it knows; made
// blocks are not among them.
#pragma once

#include <cstddef>

namespace xylem::os {

// All but locate_static_data(): the caller holds the lock of the blocks.

// Looks which modules there are. Returns the number of the look, which a block keeps that is made
// right after it. A library may be on its way in: takes no lock that is held while its constructors
// run.
int scan_static_data();

// Looks. The number of a module that came later than a made block, or 0 if there is none.
size_t late_module();

// How far the module's data is from the thread pointer, in all blocks alike; 0 if it is not at one
// place in all. Takes the lock that the program may hold while a library's constructors run: call
// it where the program calls, never on a worker's own account, and with no lock held.
ptrdiff_t locate_static_data(size_t module);

// Gives each block that was made before the module came its initial values at this distance. The
// module is late no more.
void start_static_data(size_t module, ptrdiff_t distance);

}  // namespace xylem::os
