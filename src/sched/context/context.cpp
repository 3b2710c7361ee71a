// Owns: the one place where stacks change. See context.hpp.
#include "sched/context/context.hpp"

#include "sched/context/gate.hpp"
#include "sched/context/jump.hpp"

namespace xylem::sched {

namespace {

// A Handoff lives in the leaver's frame and is read before AfterSwitch runs.
Worker* arrive(Arrival arrival) {
  const Handoff handoff = *static_cast<Handoff*>(arrival.data);
  base::sanitizer_arrive(handoff.arrived_on->sanitizer);
  handoff.left->sp = arrival.left;
  handoff.after(*handoff.worker, handoff.argument);
  return handoff.worker;
}

// The first frame of a stack; never returns.
void first_frame(Arrival arrival) {
  Stack* stack = static_cast<Handoff*>(arrival.data)->arrived_on;
  const Entry entry = stack->entry;
  Worker* worker = arrive(arrival);
  entry(worker, stack);
  __builtin_unreachable();
}

}  // namespace

Context fresh_context(Stack* stack, Entry entry) {
  stack->entry = entry;
  if (stack->gate) {
    stack->gate->fresh = true;
    return {stack, stack};
  }
  return {fresh_stack_pointer(stack->high, first_frame), stack};
}

Worker* switch_context(Worker* worker, Context& from, Context to, AfterSwitch after,
                       void* argument) {
  Handoff handoff{&from, to.stack, worker, after, argument};
  if (to.stack->gate) return hand_over(handoff, *from.stack, *to.stack);
  base::sanitizer_leave(from.stack->sanitizer, to.stack->sanitizer, to.stack->low,
                        static_cast<size_t>(to.stack->high - to.stack->low));
  if (to.sp == to.stack->high - fresh_bytes) return arrive(xylem_jump_elsewhere(to.sp, &handoff));
  return arrive(xylem_jump(to.sp, &handoff));
}

void leave_stack(Worker* worker, Context& from, Context to, AfterSwitch after, void* argument) {
  Handoff handoff{&from, to.stack, worker, after, argument};
  if (to.stack->gate) hand_over_and_restart(handoff, *from.stack, *to.stack);
  base::sanitizer_leave(from.stack->sanitizer, to.stack->sanitizer, to.stack->low,
                        static_cast<size_t>(to.stack->high - to.stack->low));
  xylem_jump_elsewhere(to.sp, &handoff);
  __builtin_unreachable();
}

}  // namespace xylem::sched
