// Owns: a worker: a kernel thread that serves a PU (Marcel's virtual processor), its loop, and the
// state of the kernel thread that every switch saves and restores.
//
// Each PU has one slot, held by the PU's worker; the monitor may add extra workers beside it. The
// slot of PU 0 belongs to the external thread that opened a region first, as long as that is open.
#pragma once

#include <atomic>
#include <cstdint>

#include "os/event_counter.hpp"
#include "os/tls.hpp"
#include "plan/random.hpp"
#include "sched/context/block_cache.hpp"
#include "sched/queue/fiber.hpp"
#include "sched/queue/private_queue.hpp"
#include "sched/queue/run_queue.hpp"
#include "sched/worker/thread_numbers.hpp"
#include "trace/emit.hpp"

namespace xylem::sched {

class Pool;

// Goes up with each poll of the monitor, while a region is open: every millisecond or two. Written
// by the monitor; relaxed: who sees it late yields late. Never 0, but for a tick in weeks.
inline constinit std::atomic<uint32_t> monitor_ticks{1};

// Nobody puts anything in.
inline constinit RunQueue no_queue;

// Counts what the kernel thread that runs a worker's loop misses (misses.hpp). By the sampler.
struct MissCounter {
  static constexpr int64_t nothing_seen = -1;
  MissCounter() = default;
  ~MissCounter() { close(); }
  MissCounter(const MissCounter&) = delete;
  MissCounter& operator=(const MissCounter&) = delete;
  void close() {
    if (handle >= 0) os::close_event_counter(handle);
  }

  int kernel_thread = 0;        // whose it is; 0: nobody's
  int handle = -1;              // os::open_event_counter(); negative: there is none
  int64_t seen = nothing_seen;  // when the sampler looked
};

struct Worker : Taker {
  Pool* pool = nullptr;
  RunQueue* own_queue = &no_queue;  // of that PU; before the pool is there one without entities
  bool extra = false;               // made by the monitor; leaves when its PU's queue is empty
  bool solo = false;                // it runs one fiber alone (solo.hpp)
  os::NativeThread native;          // by this kernel thread alone
  std::atomic<int> tid{0};          // native.tid for the monitor; 0: the thread does not run yet
  int bound = -2;                   // Pool::not_bound; by Pool::bind_to_pu()
  // The block that its loop runs under when none of free_blocks is in force. Nobody else's: the
  // kernel thread's own, but for an external thread in tier 3 one that was made, as the fiber that
  // has the thread's own block may run on another worker (external_thread.hpp).
  void* loop_block = nullptr;
  void* block_in_force = nullptr;  // where the thread pointer is now
  Fiber* current = nullptr;        // what it runs; null in the loop
  // In its kernel thread since a fiber left it (float_control.hpp): to ask takes 5 ns.
  uint16_t x87_exceptions = x87_exceptions_unknown;
  Context* native_context =
      nullptr;                // where its kernel thread came from; null for an external thread's
  Work in_hand;               // what the loop runs next: found on another kernel thread
  Context spare;              // a loop at rest, resumed by the next fiber that suspends
  void* free_blocks[8] = {};  // thread control blocks at hand; the last may be in force
  int free_block_count = 0;
  BlockCache blocks;            // memory of teams
  ThreadNumbers numbers;        // for the threads that its fibers make
  plan::Random draws{0};        // of victims, by the PU from which it looks
  int yields_until_search = 0;  // yields that are left before one searches elsewhere first
  // Yields by the program's own calls that are left before one is the kernel's, too.
  int yields_until_kernel_yield = 0;
  Order next_search = Order::ready_first;  // of the loop's next search; each search sets it back
  // Until this time (ns) the worker does not steal across memory nodes, and does not sleep: work is
  // there that nearer workers may take (place/search.hpp). 0: no such work was seen.
  int64_t backoff_until = 0;
  // Of a worker that idles and polls again and again: polls in a row in which it saw something to
  // steal on its own node and got nothing (place/search.hpp).
  static constexpr int leaves_nothing = -1;  // it is not in such a search
  int left_to_nearer = leaves_nothing;
  // Whoever woke or started it relies on its looking for work; it has found nothing since.
  bool woken = false;
  // Its loop is run by the kernel thread of a fiber that waits (hosting.hpp). By the worker alone.
  bool hosted = false;
  trace::Source trace;  // what its kernel thread tells the trace

  // The monitor's tick in which a yield of the worker's fiber found nobody else to run. 0: no yield
  // did so since the fiber came, or since the worker put seeds into its private queue. By the
  // worker alone.
  uint32_t yielded_in_vain = 0;

  // How often the loop came round or a fiber was switched. Written by the worker alone; the monitor
  // compares two values. relaxed: an old value only delays the monitor by a tick.
  std::atomic<uint64_t> turns{0};
  // By the monitor alone: the value of `turns` that live/live.cpp has shown last, and in which
  // watch.
  uint64_t turns_shown = 0;
  uint32_t shown_in_watch = 0;
  // The group of the worker's fiber, and where that fiber's processor time is added up; null where
  // there is none. Written by the worker alone (release), read by the monitor's thread (acquire).
  // Groups and cells are never freed, so the monitor may come late.
  std::atomic<Group*> group{nullptr};
  std::atomic<std::atomic<int64_t>*> time{nullptr};
  // The monitor's request to a fiber of a unit: let others of the unit run at the next scheduling
  // point. Written by monitor and worker; relaxed: a request may come late, or once too often.
  std::atomic<bool> asked_to_switch{false};
  // Likewise, to any fiber and to the loop: run what has waited longest in the worker's queue.
  std::atomic<Serve> asked_to_serve{Serve::none};
  // By the sampler: the thread's processor time when it looked; 0: not yet.
  int64_t cpu_sampled = 0;

  // A fiber that it ran has posted wake-ups which it is to serve (address_waits.hpp). Written by
  // its kernel thread alone, signal handlers included; the monitor reads it.
  std::atomic<bool> has_posted{false};

  // 0: asleep or about to; else a waker's token (parking.cpp). Written by a waker (release), and 0
  // by the worker.
  std::atomic<uint32_t> wake_word{0};
  // Goes up when it begins to wait for a token, and when it has one: odd meanwhile. Written by the
  // worker alone; the monitor compares two values.
  std::atomic<uint32_t> rests{0};

  std::atomic<uint32_t> solo_wait{0};  // of a solo worker's fiber: solo.cpp

  Worker* next_in_list = nullptr;  // extras, solo workers; by the pool's lock

  // Seeds that only this worker starts, until the monitor publishes them.
  PrivateQueue private_queue;
  // The fiber that goes on when the private queue is empty (run_private). Written by the worker;
  // taken by the worker, or by whoever publishes the private queue.
  std::atomic<Fiber*> back{nullptr};

  // native.processor and native.tid for Parting, while the kernel thread lives, at rest or not;
  // null and 0: not known.
  std::atomic<const int*> processor{nullptr};
  std::atomic<int> kernel_thread{0};
  // The processor, by the kernel's number, that its kernel thread is asked to go to (parting.hpp);
  // -1: none. Written by the monitor, or by the worker to go home; -1 by the worker. relaxed: it
  // may be followed late.
  std::atomic<int> asked_to_go{-1};
  // By the monitor alone, of its last poll for that: whether the worker had taken turns or rested
  // since the one before, turns and rests until then, and in how many polls in a row it was on
  // another's processor.
  bool was_active = false;
  uint64_t moves_at_poll = 0;
  int meetings = 0;

  // Of a solo worker: it does not look in place before it sleeps (sleep_in_waits).
  bool sleeps_at_once = false;

  // Its kernel thread is stopped, the unit of its fiber having no turn (group/preemption.hpp). By
  // its kernel thread; relaxed: who misses it interrupts it once more.
  std::atomic<bool> stopped{false};
  // By the monitor alone: the value of `turns` when it was first seen with a fiber that has no
  // turn, and when that was (ns).
  uint64_t turns_when_late = 0;
  int64_t late_since = 0;
  int64_t asked_to_stop_at = 0;  // the last time (ns)

  MissCounter misses;

  // Of the ways home (home.hpp). By its kernel thread: when it went last, or calmed down, and for
  // how long it is left elsewhere. The value of `turns` when it went on with a held fiber; relaxed:
  // for the monitor, a hint. By the monitor: when it brought the thread last.
  int64_t home_since = 0;
  int64_t home_patience_ns = 0;
  std::atomic<uint64_t> held_turn{~uint64_t{0}};
  int64_t brought_at = 0;
  std::atomic<bool> is_brought{false};  // bring_to()

  // It runs on this kernel thread from here on. By that thread.
  void come_to(const os::NativeThread& thread) {
    native = thread;
    tid.store(thread.tid, std::memory_order_relaxed);  // relaxed: only a number
    show_thread(thread.processor, thread.tid);
  }
  void show_thread(const int* its_processor, int its_tid) {
    // The pool's lock keeps the thread from ending while they are used. release: pairs with
    // Parting, which reads memory that was made with the thread. relaxed: only a number
    processor.store(its_processor, std::memory_order_release);
    kernel_thread.store(its_tid, std::memory_order_relaxed);
  }
  RunQueue& queue() const { return *own_queue; }
  // True if something waits at its own PU. A hint.
  bool has_waiting() const { return queue().count() > 0 || !private_queue.empty(); }
  void serve(int its_pu);
  bool is_home_of(const Fiber& fiber) const { return fiber.external && fiber.external == external; }
  // Takes work from the queue of another PU, level or unit, as the rule says (RunQueue::steal).
  // Seeds that come with it go to `into`, what is lifted goes to `above`. Empty if there is nothing
  // to take.
  struct Steal {
    RunQueue& into;
    RunQueue& above;
    const plan::StealRule& rule;
    RunQueue::LoadOf load_of = nullptr;
  };
  Work steal_from(RunQueue& victim, const Steal& how);
  // Precondition: the worker ran the fiber last, and the fiber stands in no queue.
  void record_who_may_run(Fiber& fiber) const {
    fiber.external_only = is_home_of(fiber);
    fiber.pinned = fiber.pin_pu >= 0 || fiber.held;
  }
  // False if nobody waits at the worker's PU and a yield has, since the monitor's last tick,
  // searched everywhere and given the processor to the kernel. For callers in loops: writes
  // nothing.
  bool yield_may_help() const {
    if (yielded_in_vain != monitor_ticks.load(std::memory_order_relaxed)) [[unlikely]]
      return true;
    return queue().count() > 0;
  }
  void record_fiber(Group* its_group, std::atomic<int64_t>* its_time) {
    group.store(its_group, std::memory_order_release);
    time.store(its_time, std::memory_order_release);
  }
  bool has_back() const { return back.load(std::memory_order_relaxed) != nullptr; }  // a hint
  Fiber* take_back() {
    if (!has_back()) return nullptr;
    return back.exchange(nullptr, std::memory_order_acquire);  // pairs with run_private()
  }
  void record_turn() {
    turns.store(turns.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void record_held() {
    const uint64_t now = turns.load(std::memory_order_relaxed);
    if (held_turn.load(std::memory_order_relaxed) != now)
      held_turn.store(now, std::memory_order_relaxed);
  }
};

// What a fiber comes by often: if it belongs to a bubble that is suspended, it stops here until
// that bubble has its turn again; and others run here first that have waited for too long. Not with
// a lock held.
void give_way(Fiber& fiber);
inline void scheduling_point(Thread& thread) {
  auto& fiber = static_cast<Fiber&>(thread);
  // relaxed: see there
  if (fiber.group || fiber.worker->asked_to_serve.load(std::memory_order_relaxed) != Serve::none)
      [[unlikely]]
    give_way(fiber);
}

// Puts the kernel thread's state in force for a fiber that now runs on `worker`.
void activate(Fiber& fiber, Worker& worker);
// Saves what belongs to the fiber and not to the kernel thread, which runs none from here on:
// before anybody can find the fiber, or its bubble may end, the worker is no longer seen with it.
void save_thread_state(Fiber& fiber, Worker& worker);
// Puts the loop's own block in force. Loops run under that, or under a free one.
void to_loop_block(Worker& worker);
// The block of the fiber that the worker runs comes into force again.
void back_to_fiber_block(Worker& worker, const Fiber& fiber);
// The pool gets the blocks that were made for the worker, which ends. Its kernel thread's own is in
// force.
void give_blocks_back(Worker& worker);

// The loop: finds work and runs it, for ever.
[[noreturn]] void worker_loop(Worker* worker, Stack* stack);

// A loop to switch to: the worker's spare one or a fresh one.
Context take_loop(Worker& worker);

// Leaves the loop on `stack` for `to`; it becomes the worker's spare one, if it has none. Returns
// with the worker that resumed it.
Worker* resume_from_loop(Worker* worker, Stack* stack, Context to);

// Entry of kernel threads that the pool starts; argument is the Worker.
void worker_thread(void* worker);

}  // namespace xylem::sched
