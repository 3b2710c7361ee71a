// Owns: credentials of the process, which Linux keeps for each kernel thread.
#pragma once

namespace xylem::os {

// Lets setuid(), setgid() and their kin reach kernel threads that run under a made block (tls.hpp).
// libc sends each kernel thread a signal of its own, whose handler changes the thread's credentials
// and clears a flag in the block in force; libc waits until the flags of all threads' own blocks
// are clear. From here on the handler finds the kernel thread's own block in force, and the kernel
// thread whose own block the caller's fiber took with it is reached as well. Call it after
// pthread_create() has succeeded once: libc installs its handler then. More calls do nothing.
void follow_credentials();

}  // namespace xylem::os
