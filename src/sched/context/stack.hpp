// Owns: the stacks that loops and fibers run on: mapped in slabs, guarded, pooled.
//
// A slot is |guard|usable ... high|; slots of a slab touch each other. A stack holds the bytes that
// OMP_STACKSIZE promises to a thread plus a reserve, so that a thread may run a seed on top of its
// own frames as long as the promise still fits below (omp/team/join.cpp).
//
// Where memory that is only reserved counts against a limit (limited()), a stack has no reserve,
// slabs are as large as need be, and whoever makes threads sets their stacks aside beforehand: one
// for each thread of a team but its maker. Loops then have small stacks, of a pool of their own, on
// which no thread runs: a kernel thread that is blocked in a member holds one large stack, not two.
// Invariant: every slot is in use or in the pool's free list; slots in use <= set aside <= all,
// where the pool is limited.
#pragma once

#include <atomic>
#include <cstddef>

#include "base/sanitizer.hpp"
#include "base/spin_lock.hpp"
#include "os/thread.hpp"

namespace xylem::sched {

struct Fiber;
struct Worker;
struct ThreadGate;

struct Stack {
  char* low = nullptr;   // lowest usable byte
  char* high = nullptr;  // one past the highest
  Stack* next = nullptr;
  ThreadGate* gate = nullptr;                // set if it is a kernel thread's (gate.hpp)
  void (*entry)(Worker*, Stack*) = nullptr;  // what a fresh context starts in (context.cpp)
  base::SanitizerStack sanitizer;
  // The member that was begun last of those on it; null: a loop alone. For debuggers, who find by
  // it the fibers that wait.
  Fiber* fiber = nullptr;
  bool in_use = false;  // by a loop or a fiber; only the dump reads it from elsewhere
  bool loop_only = false;
  bool begun = false;        // it has been used, and is guarded
  bool split_guard = false;  // the guard is a mapping of its own
};

class StackPool {
 public:
  // promised: bytes that each OpenMP thread may use. Call once, before any other.
  void configure(size_t promised);
  // The same for a pool whose stacks are for loops alone, where memory is limited.
  void configure_for_loops();

  size_t promised() const { return promised_; }

  // From now on each stack is a kernel thread of its own, made under that mask. Call before the
  // first acquire().
  void use_threads(os::SignalMask mask) {
    threads_ = true;
    mask_of_threads_ = mask;
    limited_ = false;
  }

  bool limited() const { return limited_; }
  // Sets aside `wanted` stacks, or as many as the limit leaves; returns how many. All, where
  // nothing is limited.
  int set_aside(int wanted) XYLEM_EXCLUDES(lock_);
  void give_back(int set_aside) XYLEM_EXCLUDES(lock_);

  // Code may run on all stacks, those in use too, from now on: for modules that write some there.
  // Where the kernel refuses, a line says so. Kernel threads' stacks are the C library's matter.
  void make_executable() XYLEM_EXCLUDES(lock_);

  // Ends the kernel threads of the stacks that are free, and of each that is released.
  void end_threads() XYLEM_EXCLUDES(lock_);

  // A stack with all its bytes free. Dies with a clear line when address space is exhausted.
  Stack* acquire() XYLEM_EXCLUDES(lock_);
  // Nobody comes back to the stack; `used` is the lowest byte of the frames left on it.
  void release(Stack* stack, const void* used) XYLEM_EXCLUDES(lock_);

  // Calls visit for each stack in use. Not synchronised: for dumps of a stuck process.
  void each_in_use(void (*visit)(const Stack&));

 private:
  struct Slab;
  static constexpr int slots_per_slab = 64;
  static constexpr int kept_warm = 512;  // free stacks that keep their pages

  Stack* acquire_thread() XYLEM_EXCLUDES(lock_);
  bool map_slab(int slots) XYLEM_REQUIRES(lock_);
  void begin(Stack& stack) XYLEM_REQUIRES(lock_);
  void make_executable(Slab& slab) XYLEM_REQUIRES(lock_);

  base::SpinLock lock_{{80, "StackPool::lock_"}};
  Stack* free_ XYLEM_GUARDED_BY(lock_) = nullptr;
  int free_count_ XYLEM_GUARDED_BY(lock_) = 0;
  int split_guards_ XYLEM_GUARDED_BY(lock_) = 0;
  int all_ XYLEM_GUARDED_BY(lock_) = 0;        // slots of all slabs
  int set_aside_ XYLEM_GUARDED_BY(lock_) = 0;  // where the pool is limited
  Slab* slabs_ = nullptr;                      // grows under the lock, read by dumps without it
  bool executable_ XYLEM_GUARDED_BY(lock_) = false;
  bool threads_ = false;
  bool limited_ = false;
  bool loop_only_ = false;
  bool ends_threads_ XYLEM_GUARDED_BY(lock_) = false;
  os::SignalMask mask_of_threads_;
  size_t promised_ = 0;
  size_t slot_bytes_ = 0;
};

}  // namespace xylem::sched
