// Owns: what the program itself sets for the whole process by the kmp_* routines, beside the
// environment: the stack of threads, how long who waits spins, the library's mode.
//
// Every function may be called by any thread, and but for two be the first call into the runtime.
#pragma once

#include <cstddef>

#include "omp/env/icv.hpp"

namespace xylem::omp {

// Bytes of stack that each thread of a team has. Valid once the settings are read.
std::size_t thread_stack_bytes();
// Does nothing once a region has been opened: stacks have one size.
void set_thread_stack_bytes(std::size_t bytes);

// Milliseconds that who waits spins before it sleeps; endless_block_time: for ever. None spins for
// longer than spin_time_ns() allows, whatever is asked for.
int block_time_ms();
void set_block_time_ms(int ms);

// The process's ICVs, with what the program has set instead. Valid once the settings are read.
GlobalIcvs globals_as_changed();

// The numbers are those of kmp_set_library(). In the serial mode regions have one thread.
enum class LibraryMode { serial = 1, turnaround = 2, throughput = 3 };
LibraryMode library_mode();
// Refused inside a parallel region.
void set_library_mode(LibraryMode mode);

}  // namespace xylem::omp
