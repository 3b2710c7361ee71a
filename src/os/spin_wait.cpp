// Owns: what a spin lock does while it waits. See base/spin_lock.hpp.
#include "base/relax.hpp"
#include "base/spin_lock.hpp"
#include "os/clock.hpp"

namespace xylem::base {

void wait_for_holder(int turn) {
  if (turn < 100)
    base::relax();
  else
    os::yield_to_kernel();
}

}  // namespace xylem::base
