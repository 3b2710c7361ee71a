// What becomes of an OpenMP thread that the program ends from within, by pthread_exit or by
// cancellation. CPython ends so each thread that comes back to an interpreter that has ended.
//
// libc unwinds the thread's stack, so that cleanup handlers run, and comes to the frame in which
// the runtime has called the program. The thread stays there for ever, with its stack, which the
// others of the team may use; its kernel thread serves others. As under libgomp the region waits
// for it for ever, and so does pthread_join for a thread of the program that ended inside its own
// region.
#pragma once

namespace xylem::sched {

// Says of the calling function, and once in it, that the program's frames end above it. The
// function must not be inlined. Costs nothing.
[[gnu::always_inline]] inline void program_begins_above() {
  // 0x1b: the address is relative to where it stands, in 4 bytes.
  asm volatile(".cfi_personality 0x1b, xylem_member_personality");
}

// For the running fiber, whose kernel thread goes on with others.
[[noreturn]] void stay_for_ever();

}  // namespace xylem::sched
