// Owns: switching from one stack to another.
//
// A context that is left says what is to happen once it is left (AfterSwitch): publish the fiber,
// unlock a list, put the stack away. It happens on the arriving side, so that nobody can resume a
// context that is still running. After an arrival the kernel thread may be another one: every
// caller goes on with the Worker that switch_context() returns and forgets the one it had.
#pragma once

#include "sched/context/stack.hpp"

namespace xylem::sched {

struct Worker;

using AfterSwitch = void (*)(Worker& worker, void* argument);
inline void nothing_after(Worker&, void*) {}

// A context at rest: where its registers are, and on which stack.
struct Context {
  void* sp = nullptr;
  Stack* stack = nullptr;
};

// A context that will start in entry(worker, stack) on an empty stack.
using Entry = void (*)(Worker* worker, Stack* stack);
Context fresh_context(Stack* stack, Entry entry);

// Leaves `from` (its sp is written), resumes `to`, runs after(worker, argument) there. Returns when
// somebody resumes `from`, with the worker that did.
Worker* switch_context(Worker* worker, Context& from, Context to, AfterSwitch after,
                       void* argument);

// Likewise, and nobody resumes `from`: `after` puts its stack away.
[[noreturn]] void leave_stack(Worker* worker, Context& from, Context to, AfterSwitch after,
                              void* argument);

}  // namespace xylem::sched
