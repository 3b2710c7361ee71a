// Owns: a worker: a kernel thread that serves a PU (Marcel's virtual processor), its loop, and the
// state of the kernel thread that every switch saves and restores.
//
// A PU has one seat. Its holder is the PU's worker; the monitor may add extra workers beside it.
// A seat of PU 0 is held by the guest that opened a region first, while it is in it.
#pragma once

#include <atomic>
#include <cstdint>

#include "os/tls.hpp"
#include "sched/context/block_cache.hpp"
#include "sched/queue/fiber.hpp"
#include "sched/queue/home_list.hpp"
#include "sched/queue/run_queue.hpp"
#include "trace/emit.hpp"

namespace xylem::sched {

class Pool;

// Goes up with each look of the monitor, while a region is open: every millisecond or two. Written
// by the monitor; relaxed: who sees it late yields late. Never 0, but for a tick in weeks.
inline constinit std::atomic<uint32_t> monitor_ticks{1};

// Nobody puts anything in.
inline constinit RunQueue no_queue;

struct Worker : Taker {
  Pool* pool = nullptr;
  RunQueue* own_queue = &no_queue;  // of that PU; before the pool is there one without entities
  bool extra = false;               // made by the monitor; leaves when its PU's queue is empty
  os::NativeThread native;          // by this kernel thread alone
  std::atomic<int> tid{0};          // native.tid for the monitor; 0 until the thread runs
  int bound = -2;                   // Pool::not_bound; by Pool::bind_to_pu()
  // The block that its loop runs under when none of free_blocks is in force. Nobody else's: the
  // kernel thread's own, but for an external thread in tier 3 one that was made, as the fiber that
  // has the thread's own block may run on another worker (guest.hpp).
  void* loop_block = nullptr;
  void* block_in_force = nullptr;     // where the thread pointer is now
  Fiber* current = nullptr;           // what it runs; null in the loop
  Context* native_context = nullptr;  // where its kernel thread came from; null for a guest's
  Work in_hand;                       // what the loop runs next: found on another kernel thread
  Context spare;                      // a loop at rest, resumed by the next fiber that suspends
  void* free_blocks[8] = {};          // thread control blocks at hand; the last may be in force
  int free_block_count = 0;
  BlockCache blocks;                     // memory of teams
  int yields_until_search = 0;           // further ones before one looks elsewhere first
  Order next_look = Order::ready_first;  // of the loop; it then is this again
  // sched::Search has seen work that it leaves to others until then, unless nothing nearer comes;
  // the worker does not sleep before. 0: it has not.
  int64_t patient_until = 0;
  trace::Source trace;  // what its kernel thread tells the trace

  // The monitor's tick in which a yield found nobody; 0: none did since it came to its fiber, or
  // kept work for itself. By the worker alone.
  uint32_t yielded_in_vain = 0;

  // Turns of the loop and switches of fibers; written by the worker alone, the monitor compares.
  // relaxed: an old value only delays the monitor by a tick.
  std::atomic<uint64_t> turns{0};
  // By the monitor alone: the turns that sched/live/live.cpp has shown, and since which watch.
  uint64_t turns_shown = 0;
  uint32_t shown_in_watch = 0;
  // The bubble that its fiber belongs to, and where that fiber's time is added up; null where there
  // is none. Written by the worker alone (release), read by the monitor's thread (acquire), which
  // so sees records and cells as they were made; they are never freed, and it may come late.
  std::atomic<Holder*> holder{nullptr};
  std::atomic<std::atomic<int64_t>*> time{nullptr};
  // The monitor asks that the fiber of a kept bubble let others of it run, at its next scheduling
  // point. Written by both; relaxed: a request may come late, or once too often.
  std::atomic<bool> asked_to_switch{false};
  // By the sampler: the thread's processor time when it looked; 0: not yet.
  int64_t cpu_sampled = 0;

  // 0: asleep or about to; 1: woken. Written 1 by a waker (release), 0 by the worker.
  std::atomic<uint32_t> wake_word{0};

  Worker* next_in_list = nullptr;  // extras, guests without a seat; by the pool's lock

  // Work that it keeps for itself, and nobody else sees until the monitor shows it.
  HomeList home;
  // The fiber that goes on once nothing is kept any more (run_kept). Written by the worker; taken
  // by it, or by who shows what is kept.
  std::atomic<Fiber*> back{nullptr};

  RunQueue& queue() const { return *own_queue; }
  // True if something waits at its own PU. A hint.
  bool has_waiting() const { return queue().count() > 0 || !home.empty(); }
  void serve(int its_pu);
  bool is_home_of(const Fiber& fiber) const { return fiber.guest && fiber.guest == guest; }
  // Takes work from a queue of another PU or level; the seeds beside it go to `into`,
  // its own or that of a group. Empty if there is nothing to take.
  Work steal_from(RunQueue& victim, RunQueue& into);
  // For a fiber that it ran last, before that one stands in a queue.
  void note_who_may_run(Fiber& fiber) const {
    fiber.home_only = is_home_of(fiber);
    fiber.pinned = fiber.pin_pu >= 0;
  }
  // False if a yield would find nobody at its own PU, and has looked everywhere, and given way to
  // the kernel, since the monitor's last tick. For who asks very often: nothing is written.
  bool yield_may_help() const {
    if (yielded_in_vain != monitor_ticks.load(std::memory_order_relaxed)) [[unlikely]]
      return true;
    return queue().count() > 0;
  }
  void note_fiber(Holder* its_holder, std::atomic<int64_t>* its_time) {
    holder.store(its_holder, std::memory_order_release);
    time.store(its_time, std::memory_order_release);
  }
  bool has_back() const { return back.load(std::memory_order_relaxed) != nullptr; }  // a hint
  Fiber* take_back() {
    if (!has_back()) return nullptr;
    return back.exchange(nullptr, std::memory_order_acquire);  // pairs with run_kept()
  }
  void note_turn() {
    turns.store(turns.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};

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
