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

struct Taker;
struct ExternalThread;

struct Handoff {
  Context* left;
  Stack* arrived_on;
  Worker* worker;
  AfterSwitch after;
  void* argument;
};

// Where a kernel thread sleeps while its context is at rest.
struct ThreadGate {
  // 1: `incoming` is there. Written 1 by the one who hands over (release), 0 by the thread itself.
  std::atomic<uint32_t> open{0};
  Handoff incoming{};
  // That the one who hands over has locked for its AfterSwitch to unlock; with `incoming`.
  [[no_unique_address]] base::HeldLocks locks;
  os::NativeThread native;   // the kernel thread that sleeps here
  bool of_external = false;  // it is the program's own: never bound
  int bound = -2;            // Pool::not_bound; by Pool::bind_to_pu()
  Context left;              // what hand_over_and_restart() leaves: its frame does not last
  Work work;                 // a member's thread: what it runs next
  // A member's thread: the worker whose loop it runs between its members. Only workers of that
  // one's PU have its next member before them, and none but that one takes it. Null: it is at its
  // gate, or runs a member. Sequentially consistent.
  std::atomic<const Taker*> host{nullptr};
  const ExternalThread* initial = nullptr;  // whose members it runs; where it has a host
  // Bits: `hosted` while there is a host, `asked_to_end`. Sequentially consistent. Whoever of the
  // two, the one who asks and the one who takes the host away, comes second lets the thread end;
  // the first touches the gate no more, as it goes with the thread.
  std::atomic<unsigned> end{0};
  static constexpr unsigned hosted = 1, asked_to_end = 2;
  bool fresh = false;    // whoever opens it next wants the stack's entry, not the frames on it
  std::jmp_buf restart;  // the bottom of a thread that was made here
};

// How a worker leaves its kernel thread, and comes to the one that sleeps at a gate: in between it
// has none. Set once, before the first stack is a kernel thread's.
using Leave = void (*)(Worker& worker);
using Adopt = void (*)(Worker& worker, ThreadGate& gate);
void on_handover(Leave leave, Adopt adopt);

// A kernel thread with `bytes` of stack and that signal mask, which sleeps at its gate. Dies with a
// clear line on failure.
Stack* make_thread_stack(size_t bytes, os::SignalMask mask);

// Makes the calling kernel thread, whose stack this is, one that can sleep at a gate.
void add_gate(Stack& own, bool of_external);

// Hands the worker over to the context `to` and sleeps until somebody hands one back.
Worker* hand_over(const Handoff& handoff, Stack& from, Stack& to);

// Hands the worker over for good: the thread starts anew when its stack is used again. The
// AfterSwitch gets the Context that is left.
[[noreturn]] void hand_over_and_restart(const Handoff& handoff, Stack& from, Stack& to);

// Lets the kernel thread end that sleeps there; the stack goes with it.
void end_thread_at(ThreadGate& gate);

}  // namespace xylem::sched
