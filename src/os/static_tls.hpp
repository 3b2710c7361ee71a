// Owns: which thread-local data of libraries that were opened late the made blocks (tls.hpp) have.
//
// A library with initial-exec data has it at one place in every thread's block. When libc opens
// such a library it writes the initial values into the blocks of the threads that it knows; made
// blocks are not among them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xylem::os {

// All but locate_static_data(): the caller holds the lock of the blocks.

// Looks which modules there are. Returns the number of the scan, which a block keeps that is made
// right after it. A library may be on its way in: takes no lock that is held while its constructors
// run.
int scan_static_data();

// Which late modules are asked for: any, or those whose data the loader may have put at one place
// in all blocks. To locate another module's data keeps the loader from ever putting it there.
enum class Late : uint8_t { any, bound };

// Looks. The number of such a module that came later than a made block, or 0 if there is none.
size_t late_module(Late which);

// How far the module's data is from the thread pointer, in all blocks alike; 0 if it is not at one
// place in all. Takes the lock that the program may hold while a library's constructors run: call
// it where the program calls, never on a worker's own account, and with no lock held.
ptrdiff_t locate_static_data(size_t module);

// Gives each block that was made before the module came its initial values at this distance; every
// block if `bound` modules are asked for, while no code of the module has run. The module is late
// no more.
void start_static_data(size_t module, ptrdiff_t distance, Late which);

}  // namespace xylem::os
