// What libc needs in a thread control block to end a thread from within: pthread_exit,
// cancellation.
//
// libc unwinds the stack then, frame by frame, as far as a place that the block names: a kernel
// thread's own is where libc started the thread. A made block gets one that no frame is beyond, so
// that the unwinding comes to the first frame of the OpenMP thread, whoever's stack it is on, and
// that frame's personality decides (sched/worker/member_end.cpp).
#pragma once

#include <cstddef>

namespace xylem::os {

// Where in a block libc keeps the place; 0 where that cannot be found out. Looks at the calling
// thread's own block, which must be in force.
size_t find_end_place();

// Names the place beyond all frames in a block that is in force nowhere. at: of find_end_place().
void put_end_place(void* block, size_t at);

}  // namespace xylem::os
