// Owns: contexts that are kernel threads: for programs that see which kernel thread they are on
// (os/thread_imports.hpp), and where a fiber needs thread-local data of its own and no thread block
// can be made for it (DESIGN section 5). Each stack is a kernel thread's, and a switch wakes one
// and puts the other to sleep at its gate. Invariant: of the kernel threads that take part, one a
// worker is not asleep at its gate. What holds for stacks holds here: AfterSwitch runs on the
// arriving side, when the leaver may be resumed.
#pragma once

#include <atomic>
#include <csetjmp>

#include "base/lock_order.hpp"
#include "os/thread.hpp"
#include "os/tls.hpp"
#include "sched/context/context.hpp"
#include "sched/context/work.hpp"

namespace xylem::sched {

struct Handoff {
  Context* left;
  Stack* arrived_on;
  Worker* worker;
  AfterSwitch after;
  void* argument;
};

// Where a kernel thread sleeps while its context is at rest.
struct ThreadGate {
  // Whether `incoming` is there. Opened by the one who hands over (release), closed by the thread
  // itself, which says when it sleeps.
  enum State : uint32_t { closed, opened, asleep };
  std::atomic<uint32_t> state{closed};
  Handoff incoming{};
  // That the one who hands over has locked for its AfterSwitch to unlock; with `incoming`.
  [[no_unique_address]] base::HeldLocks locks;
  os::NativeThread native;   // the kernel thread that sleeps here
  bool of_external = false;  // it is the program's own: never bound
  int bound = -2;            // Pool::not_bound; by Pool::bind_to_pu()
  Context left;              // what hand_over_and_restart() leaves: its frame does not last
  Work work;                 // a member's thread: what it runs next
  Worker* own = nullptr;     // a member's thread: the worker that it alone is; null: it has none
  bool fresh = false;        // whoever opens it next wants the stack's entry, not the frames on it
  std::jmp_buf restart;      // the bottom of a thread that was made here
};

// How a worker leaves its kernel thread, and comes to the one that sleeps at a gate: in between it
// has none. Set once, before the first stack is a kernel thread's.
using Leave = void (*)(Worker& worker);
using Adopt = void (*)(Worker& worker, ThreadGate& gate);
void on_handover(Leave leave, Adopt adopt);

// A kernel thread with `bytes` of stack and that signal mask, which sleeps at its gate. Dies with a
// clear line on failure.
Stack* make_thread_stack(size_t bytes, os::SignalMask mask);

// Makes the calling kernel thread, whose stack this is and has no gate, one that can sleep at one.
void add_gate(Stack& own, bool of_external);

// Hands the worker over to the context `to` and sleeps until somebody hands one back.
Worker* hand_over(const Handoff& handoff, Stack& from, Stack& to);

// Hands the worker over for good: the thread starts anew when its stack is used again. The
// AfterSwitch gets the Context that is left.
[[noreturn]] void hand_over_and_restart(const Handoff& handoff, Stack& from, Stack& to);

// Lets the kernel thread that sleeps at `to` go on as `worker`, which has no other.
void start_at(Stack& to, Worker& worker);
// Sleeps until somebody hands the thread a worker, and looks for that for `spin_ns` before.
Worker* wait_for_worker(Stack& own, int64_t spin_ns);

// Lets the kernel thread end that sleeps there; the stack goes with it.
void end_thread_at(ThreadGate& gate);

}  // namespace xylem::sched
