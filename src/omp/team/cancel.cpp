// Owns: cancellation. See cancel.hpp.
#include "omp/team/cancel.hpp"

#include "omp/tasks/taskgroup.hpp"
#include "omp/team/cancel_absence.hpp"
#include "omp/team/team.hpp"

namespace xylem::omp {

namespace {

// An explicit task ends alone; the member that runs it stays.
bool is_implicit(const Member& member) { return member.task == &member.implicit; }

bool region_cancelled(const Member& member) {
  return member.team->cancelled.load(std::memory_order_acquire) != 0;  // pairs with cancel_region()
}

void cancel_region(Member& member) {
  // release: pairs with the barrier's acquire
  member.team->cancelled.store(1, std::memory_order_release);
  wake_for_cancel(*member.team);
}

}  // namespace

bool is_cancelled(Member& member, CancelKind kind) {
  if (!globals().cancellation) return false;
  switch (kind) {
    case CancelKind::loop:
    case CancelKind::sections:
      return worksharing_cancelled(member);
    case CancelKind::taskgroup:
      // cancelling a parallel region cancels its explicit tasks too
      return is_cancelled(member.task->taskgroup) || region_cancelled(member);
    case CancelKind::parallel:
      break;
  }
  return region_cancelled(member);
}

bool cancellation_point(Member& member, CancelKind kind) {
  if (!is_cancelled(member, kind)) return false;
  switch (kind) {
    case CancelKind::loop:
    case CancelKind::sections:
      leave_construct(member);
      break;
    case CancelKind::taskgroup:
      break;
    case CancelKind::parallel:
      if (is_implicit(member)) leave_region(member);
      break;
  }
  return true;
}

bool cancel(Member& member, CancelKind kind) {
  if (!globals().cancellation) return false;
  switch (kind) {
    case CancelKind::loop:
    case CancelKind::sections:
      cancel_worksharing(member);
      leave_construct(member);
      break;
    case CancelKind::taskgroup:
      if (Taskgroup* group = cancellable(member.task->taskgroup)) {
        group->cancelled.store(true, std::memory_order_relaxed);  // a hint
      }
      break;
    case CancelKind::parallel:
      cancel_region(member);
      if (is_implicit(member)) leave_region(member);
      break;
  }
  return true;
}

}  // namespace xylem::omp
