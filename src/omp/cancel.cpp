// Owns: cancellation. See cancel.hpp.
#include "omp/cancel.hpp"

#include "omp/taskgroup.hpp"
#include "omp/team.hpp"

namespace xylem::omp {

bool cancellation_point(Member& member, CancelKind kind) {
  if (!globals().cancellation) return false;
  switch (kind) {
    case CancelKind::loop:
    case CancelKind::sections:
      return worksharing_cancelled(member);
    case CancelKind::taskgroup:
      if (is_cancelled(member.task->taskgroup)) return true;
      break;  // cancelling a parallel region cancels its explicit tasks too
    case CancelKind::parallel:
      break;
  }
  return member.team->cancelled.load(std::memory_order_acquire) != 0;  // pairs with cancel()
}

bool cancel(Member& member, CancelKind kind) {
  if (!globals().cancellation) return false;
  switch (kind) {
    case CancelKind::loop:
    case CancelKind::sections:
      cancel_worksharing(member);
      return true;
    case CancelKind::taskgroup:
      if (Taskgroup* group = cancellable(member.task->taskgroup)) {
        group->cancelled.store(true, std::memory_order_relaxed);  // a hint
      }
      return true;
    case CancelKind::parallel:
      break;
  }
  member.team->cancelled.store(1, std::memory_order_release);  // pairs with the barrier's acquire
  wake_for_cancel(*member.team);
  return true;
}

}  // namespace xylem::omp
