// Owns: where a kernel thread's held locks are noted, in builds that check the order of locks. See
// base/lock_order.hpp.
//
// The list is in thread-local data, at the same distance from each block's thread pointer. That of
// the kernel thread's own block is used, also while another block is in force.
#include "base/lock_order.hpp"

#ifdef XYLEM_CHECK

#include "os/tls.hpp"

namespace xylem::base {

namespace {
thread_local constinit HeldLocks of_block_in_force;
}

[[gnu::noinline]] HeldLocks& held_locks() {
  asm volatile("" ::: "memory");  // the block in force may be another one at each call
  auto* in_force = reinterpret_cast<char*>(&of_block_in_force);
  auto* native = static_cast<char*>(os::native_block_below());
  if (!native) return of_block_in_force;
  return *reinterpret_cast<HeldLocks*>(native +
                                       (in_force - static_cast<char*>(os::thread_pointer())));
}

}  // namespace xylem::base

#endif
