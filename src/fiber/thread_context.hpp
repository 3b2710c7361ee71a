// Owns: contexts that are kernel threads: for programs that see which kernel thread they are on
// (os/thread_imports.hpp), and where a fiber needs thread-local data of its own and no thread block
// can be made for it (DESIGN section 5). Each stack is a kernel thread's, and a switch wakes one
// and puts the other to sleep at its gate. Invariant: of the kernel threads that take part, one a
// worker is not asleep at its gate. What holds for stacks holds here: After runs on the arriving
// side, when the leaver may be resumed.
#pragma once

#include <csetjmp>

#include "fiber/context.hpp"
#include "fiber/run_queue.hpp"
#include "os/thread.hpp"
#include "os/tls.hpp"

namespace xylem::fiber {

struct Fiber;
class Pool;

struct Handoff {
  Context* left;
  Stack* arrived_on;
  Worker* worker;
  After after;
  void* argument;
};

// Where a kernel thread sleeps while its context is at rest.
struct Gate {
  // 1: `incoming` is there. Written 1 by the one who hands over (release), 0 by the thread itself.
  std::atomic<uint32_t> open{0};
  Handoff incoming{};
  os::NativeThread native;  // the kernel thread that sleeps here
  bool of_guest = false;    // it is the program's own: never bound
  int bound = -2;           // Pool::not_bound; by Pool::bind_to_pu()
  Context left;             // what hand_over_and_restart() leaves: its frame does not last
  Work work;                // a member's thread: what it runs next
  // A member's thread: the worker whose loop it runs between its members. Only workers of that
  // one's PU have its next member before them, and none but that one takes it. Null: it is at its
  // gate, or runs a member. Sequentially consistent.
  std::atomic<Worker*> host{nullptr};
  const Guest* root = nullptr;  // whose members it runs; where it has a host
  // Bits: `hosted` while there is a host, `asked_to_end`. Sequentially consistent. Whoever of the
  // two, the one who asks and the one who takes the host away, comes second lets the thread end;
  // the first touches the gate no more, as it goes with the thread.
  std::atomic<unsigned> end{0};
  static constexpr unsigned hosted = 1, asked_to_end = 2;
  bool fresh = false;    // whoever opens it next wants the stack's entry, not the frames on it
  std::jmp_buf restart;  // the bottom of a thread that was made here
};

// A kernel thread with `bytes` of stack and that signal mask, which sleeps at its gate. Dies with a
// clear line on failure.
Stack* make_thread_stack(size_t bytes, os::SignalMask mask);

// Makes the calling kernel thread, whose stack this is, one that can sleep at a gate.
void add_gate(Stack& own, bool of_guest);

// Hands the worker over to the context `to` and sleeps until somebody hands one back.
Worker* hand_over(const Handoff& handoff, Stack& from, Stack& to);

// Hands the worker over for good: the thread starts anew when its stack is used again. The After
// gets the Context that is left.
[[noreturn]] void hand_over_and_restart(const Handoff& handoff, Stack& from, Stack& to);

// True if a fiber that waits had better leave its kernel thread to the worker: it then runs the
// worker's loop until the fiber may go on, which costs no hand-over, or until there is other work.
bool may_host(const Worker& worker, const Fiber& fiber);
Worker* host_loop(Worker* worker, Fiber& fiber, After after, void* argument);

// False if the kernel thread kept for the member runs the loop of another worker.
bool may_use_kept_thread(const Worker& worker, const Bubble& bubble, int index);
// The PU whose worker's loop that kernel thread runs; -1 if there is none.
int pu_of_kept_thread(const Bubble& bubble, int index);

// Makes the kernel threads of members first to end - 1 where there are none yet. By the thread that
// opens the region: what a kernel thread inherits is then that one's, as elsewhere.
void make_kept_threads(Pool& pool, void** kept, int first, int end);

// Runs a member of a top-level team on the kernel thread that is kept for it, so that it finds its
// thread-local data again region after region. Called by a loop on `stack`.
Worker* run_on_kept_thread(Worker* worker, const Work& work, Stack* stack);

// Lets the kernel thread of a stack end that nobody uses; the stack goes with it.
void end_free_thread(Stack* stack);

// Lets the kernel thread of a kept stack end, which runs no member now. The stack goes with it.
void end_kept_thread(Stack* kept);

}  // namespace xylem::fiber
