// Owns: the end of an OpenMP thread from within. See member_end.hpp.
#include "fiber/member_end.hpp"

#include <unwind.h>

#include "fiber/fiber.hpp"
#include "fiber/guest.hpp"
#include "fiber/worker.hpp"
#include "os/tls.hpp"

namespace xylem::fiber {

namespace {

// A thread of the program in a team of one ends like any other: nobody needs it.
bool nobody_needs(const Fiber* fiber) {
  return !fiber || (fiber->guest && !has_open_region(*fiber->guest));
}

}  // namespace

void stay_for_ever() {
  for (;;) suspend(nothing_after, nullptr, trace::Reason::other);
}

}  // namespace xylem::fiber

// Called by the unwinder in the frame of a function that has said program_begins_above().
extern "C" __attribute__((visibility("hidden"))) _Unwind_Reason_Code xylem_member_personality(
    int, _Unwind_Action actions, _Unwind_Exception_Class, _Unwind_Exception*, _Unwind_Context*) {
  using namespace xylem;
  constexpr _Unwind_Action thread_ends = _UA_FORCE_UNWIND | _UA_CLEANUP_PHASE;
  const fiber::Fiber* ending = fiber::current_fiber();
  if ((actions & thread_ends) != thread_ends || fiber::nobody_needs(ending))
    return _URC_CONTINUE_UNWIND;
  if (ending->block) os::end_data(ending->block);
  fiber::stay_for_ever();
}
