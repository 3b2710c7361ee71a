// Owns: the one place where stacks change. See context.hpp.
#include "fiber/context.hpp"

#include <boost/context/detail/fcontext.hpp>

#include "fiber/thread_context.hpp"
#include "fiber/worker.hpp"

namespace xylem::fiber {

namespace {

namespace fc = boost::context::detail;

// A Handoff lives in the leaver's frame and is read before After runs.
Worker* arrive(fc::transfer_t transfer) {
  const Handoff handoff = *static_cast<Handoff*>(transfer.data);
  base::sanitizer_arrive(handoff.arrived_on->sanitizer);
  handoff.left->sp = transfer.fctx;
  handoff.after(*handoff.worker, handoff.argument);
  return handoff.worker;
}

// The first frame of a stack; never returns.
void first_frame(fc::transfer_t transfer) {
  Stack* stack = static_cast<Handoff*>(transfer.data)->arrived_on;
  const Entry entry = stack->entry;
  Worker* worker = arrive(transfer);
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
  const auto bytes = static_cast<size_t>(stack->high - stack->low);
  return {fc::make_fcontext(stack->high, bytes, first_frame), stack};
}

Worker* switch_context(Worker* worker, Context& from, Context to, After after, void* argument) {
  Handoff handoff{&from, to.stack, worker, after, argument};
  if (to.stack->gate) return hand_over(handoff, *from.stack, *to.stack);
  base::sanitizer_leave(from.stack->sanitizer, false, to.stack->sanitizer, to.stack->low,
                        static_cast<size_t>(to.stack->high - to.stack->low));
  return arrive(fc::jump_fcontext(to.sp, &handoff));
}

void leave_stack(Worker* worker, Context& from, Context to, After after, void* argument) {
  Handoff handoff{&from, to.stack, worker, after, argument};
  if (to.stack->gate) hand_over_and_restart(handoff, *from.stack, *to.stack);
  base::sanitizer_leave(from.stack->sanitizer, true, to.stack->sanitizer, to.stack->low,
                        static_cast<size_t>(to.stack->high - to.stack->low));
  fc::jump_fcontext(to.sp, &handoff);
  __builtin_unreachable();
}

}  // namespace xylem::fiber
