// Owns: a fiber: one OpenMP thread that has started. It lives in the frame of whoever runs it: a
// loop, a thread that runs a seed while it waits, or (an external thread's) the program's own
// kernel thread.
//
// Invariant: a fiber is running on exactly one worker, or it stands in exactly one queue or waiting
// list, or it is being moved from one to the other by the AfterSwitch of its last switch.
#pragma once

#include "os/tls.hpp"
#include "sched/context/context.hpp"
#include "sched/queue/entity.hpp"
#include "sched/queue/taker.hpp"
#include "trace/events.hpp"

namespace xylem::sched {

struct Fiber : Thread {
  Fiber() {}  // not constexpr: GCC would fill all of it with zeros first (rep stos)

  Context context;           // where it stopped; context.stack also while it runs
  Worker* worker = nullptr;  // runs it, or ran it last; an extra may serve another PU by then
  ExternalThread* external = nullptr;    // set for the fiber of a program's own kernel thread
  ExternalThread* initial = nullptr;     // the external thread in whose region it is
  Group* group = nullptr;                // the innermost group that it belongs to; or null
  std::atomic<int64_t>* time = nullptr;  // where the sampler adds its time; or null
  void* block = nullptr;  // its thread control block; null: that of the kernel thread it is on
  // The worker whose loop the fiber's own kernel thread runs while the fiber waits: only that one
  // may take it. Null: any may. Written by that thread, and when it hands the worker over;
  // sequentially consistent: kept_threads.cpp.
  std::atomic<const Taker*> host{nullptr};
  int pin_pu = -1;                // the only PU it may run on; -1: any
  int error_number = 0;           // errno while it does not run
  uint32_t activations = 0;       // by who runs it: how often it went on
  bool owes_fork_locks = false;   // by the fiber: it gave them back to wait (interposed.cpp)
  bool held = false;              // it stays on its PU, as long as workers serve that
  uint8_t brief_runs = 0;         // by the fiber: how often it ran briefly (worker/gathering.hpp)
  uint16_t x87_exceptions = 0;    // float_control.hpp, while it does not run
  os::ExceptionState exceptions;  // likewise
  uint64_t woken_at = 0;   // while tracing: by who makes it ready, for the trace when it goes on
  int woken_level = 0;     // likewise: of the queue it then stands in
  uint32_t run_began = 0;  // by the fiber: when its last wait in a call of libc's ended (low
                           // ticks); 0: it never waited so
};

// The calling fiber; null on a kernel thread that the runtime has not adopted
// (worker/external_thread.hpp). Written in assembly because no compiler may keep a thread-local
// variable's address across a switch.
inline Fiber* current_fiber() {
  Fiber* fiber;
  asm volatile(
      "movq xylem_current_fiber@gottpoff(%%rip), %0\n\t"
      "movq %%fs:(%0), %0"
      : "=r"(fiber));
  return fiber;
}

inline void set_current_fiber(Fiber* fiber) {
  void* offset;
  asm volatile(
      "movq xylem_current_fiber@gottpoff(%%rip), %0\n\t"
      "movq %1, %%fs:(%0)"
      : "=&r"(offset)
      : "r"(fiber)
      : "memory");
}

// Leaves the current fiber for other work; after(worker, argument) runs once it is off its stack
// and is where the fiber becomes findable. Returns when somebody has made it ready again. The
// reason is for the trace.
void suspend(AfterSwitch after, void* argument, trace::Reason reason = trace::Reason::other);

// Leaves the current fiber for the seeds that its worker keeps for itself (private_queue.hpp).
// Returns when each of them has begun, or somebody has shown them to all.
void run_private();

// The same for a fiber that `after` puts into the queue of another worker.
void suspend_elsewhere(AfterSwitch after, void* argument,
                       trace::Reason reason = trace::Reason::other);

// Makes a suspended fiber ready: it will go on on its PU or on whichever worker is free sooner.
void make_ready(Thread& thread);

// The same for all fibers of a list, which is empty then.
void make_all_ready(EntityList& fibers);

// Of a suspended fiber: whichever worker is free first runs it once it is ready.
bool goes_anywhere(const Fiber& fiber);

// make_ready() for who waits in a join: an external thread's fiber, too, goes on on whichever
// worker is free sooner, as its own kernel thread may be busy for long. It goes home when its
// region ends.
void make_ready_away(Thread& thread);

// Lets others run: seeds first, then fibers that are ready. Returns at once if there are none.
// True if somebody else ran.
bool yield();

// Pins the calling fiber to a PU and goes on there. False, and nothing changed, for an external
// thread's fiber that has no slot: only its own kernel thread can run it.
bool move_to(int pu);

// Runs member `index` of the bubble on top of the caller's frames. `worker` runs the caller;
// returns the worker that the caller goes on with.
Worker* run_seed(Worker* worker, Bubble& bubble, int index, Stack* stack);

// The same, but for Bubble::finished, which the caller calls when it is done with the stack.
Worker* run_member(Worker* worker, Bubble& bubble, int index, Stack* stack);

// Runs the seeds that are left of a seed range, for a fiber that has nothing to do before they are
// done, on its own stack. Not for an external thread's fiber: what runs on an external thread's
// stack could only go on on the external thread's kernel thread.
void run_seeds_here(Bubble& bubble, SeedRange& seeds);

// Bytes of stack below the caller's frame.
size_t stack_left(const Fiber& fiber);

}  // namespace xylem::sched
