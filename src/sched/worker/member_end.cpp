// Owns: the end of an OpenMP thread from within. See member_end.hpp.
#include "sched/worker/member_end.hpp"

#include <unwind.h>

#include "os/tls.hpp"
#include "sched/queue/fiber.hpp"
#include "sched/worker/external_thread.hpp"
#include "sched/worker/worker.hpp"

namespace xylem::sched {

namespace {

// A thread of the program in a team of one ends like any other: nobody needs it.
bool nobody_needs(const Fiber* fiber) {
  return !fiber || (fiber->external && !has_open_region(*fiber->external));
}

}  // namespace

void stay_for_ever() {
  for (;;) suspend(nothing_after, nullptr, trace::Reason::other);
}

}  // namespace xylem::sched

// Called by the unwinder in the frame of a function that has said program_begins_above().
extern "C" __attribute__((visibility("hidden"))) _Unwind_Reason_Code xylem_member_personality(
    int, _Unwind_Action actions, _Unwind_Exception_Class, _Unwind_Exception*, _Unwind_Context*) {
  using namespace xylem;
  constexpr int thread_ends = _UA_FORCE_UNWIND | _UA_CLEANUP_PHASE;
  const sched::Fiber* ending = sched::current_fiber();
  if ((actions & thread_ends) != thread_ends || sched::nobody_needs(ending))
    return _URC_CONTINUE_UNWIND;
  if (ending->block) os::end_data(ending->block);
  sched::stay_for_ever();
}
