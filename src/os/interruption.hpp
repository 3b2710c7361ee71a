// Owns: interrupting kernel threads of this process where they run code of the program's. SIGURG
// does it, which a process that does not ask for it ignores.
#pragma once

namespace xylem::os {

// From now on a kernel thread that interrupt() names calls handler(), which signal handlers may be:
// on the stack that it is on, if what it was about to run is not in libc, the loader, the library
// of malloc or the runtime, so that it holds no lock of theirs by itself. Else nothing happens.
// False: the program handles the signal, or ignores it. To be called once. Takes the loader's lock.
bool handle_interruptions(void (*handler)());

// Interrupts it once, when it has computed for up to a tick of the kernel's (1 to 10 ms) more; one
// that sleeps is left alone until it computes again. False: the program has a handler of its own by
// now, or there is no such thread.
bool interrupt(int tid);

}  // namespace xylem::os
