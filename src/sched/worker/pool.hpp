// Owns: the one pool of workers of a process: run queues by level, slots by PU, stacks, thread
// control blocks, who is awake. The search for work itself belongs to place/ and is handed in.
//
// Lifetime: made at the first region, never destroyed; a forked child makes its own. When a library
// comes that needs a kernel thread for each OpenMP thread, the pool retires while no region is
// open, and another takes its place (retire()).
#pragma once

#include <atomic>
#include <climits>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/annotations.hpp"
#include "os/modules.hpp"
#include "os/openmp_users.hpp"
#include "os/thread.hpp"
#include "sched/context/stack.hpp"
#include "sched/queue/group.hpp"
#include "sched/queue/run_queue.hpp"
#include "sched/worker/monitor.hpp"
#include "sched/worker/rare_poll.hpp"
#include "sched/worker/worker.hpp"
#include "topo/machine.hpp"

namespace xylem::sched {

enum class TlsTier : uint8_t { errno_only = 1, cxx_library = 2, own_blocks = 3 };

struct PoolSettings {
  size_t stack_bytes = 8 << 20;  // promised to each thread
  int64_t spin_ns = 200'000;     // Pool::spin_ns() at first
  int64_t crowded_spin_ns = 0;   // likewise, while processors are shared with other processes
  int64_t time_slice_ns = 10'000'000;
  bool stops_late_threads = true;     // beyond their gang's turn (group/preemption.hpp)
  std::optional<TlsTier> least_tier;  // none: only what the modules need
  bool a_thread_each = false;         // make each fiber a kernel thread, whatever the modules need
  // A tool tells threads apart by their thread-local data: each fiber has data of its own, whatever
  // the modules need.
  bool own_data_each = false;
  bool stays_in_machine = false;  // workers keep to the machine where the process may use more
  // The place that a PU belongs to, as processors by the kernel's numbers; empty: none. Null where
  // threads are not bound to places.
  std::vector<int> (*place_of_pu)(int pu) = nullptr;
  // Finds work for a worker: its own queue, the levels above, then others', nearest first. Never
  // blocks. sched/place/search.cpp.
  Work (*find)(Worker&, Order) = nullptr;
  // True if find() might succeed beyond the worker's own queue. A hint.
  bool (*anything_to_steal)(Worker&) = nullptr;
  // True if something waits in the queue of a unit that is suspended. A hint. group/groups.hpp.
  bool (*something_suspended_waits)() = nullptr;
  // Stops this pool, which retired, and installs the one that takes its place.
  void (*replace)(Pool& retired) = nullptr;
  // Called on the monitor's thread at each poll while a region is open. True if the next is not to
  // come later than after two ticks (poll_pace.hpp).
  bool (*each_poll)(Pool&, int64_t now_ns) = nullptr;
  // Likewise while none is open, until the monitor is about to sleep because there has been none
  // for long: then at_rest.
  bool (*between_regions)(Pool&, int64_t now_ns) = nullptr;
  void (*at_rest)(Pool&) = nullptr;
  // A PU's worker is about to sleep, as it has found nothing, or has something to run again. By the
  // worker. Null: nobody wants to know.
  void (*falls_asleep)(Pool&, int pu) = nullptr;
  void (*runs_again)(Pool&, int pu) = nullptr;
  // By the monitor, while a region is open: what these two poked it for.
  void (*between_polls)(Pool&, int64_t now_ns) = nullptr;
  // The last of the program's threads has gone.
  void (*at_end)() = nullptr;
};

// The most extra workers that one request brings to a PU.
constexpr int most_extras_at_once = 64;

// What the worker of a PU's slot does: absent -> awake -> searching -> parked -> awake ...
// broken: the kernel refused a thread; the monitor asks again from time to time (-> awake).
// lent: the PU is lent to another process; the worker, if there is one, sleeps, and nobody but the
// monitor wakes it (lending.cpp).
enum class SlotState : uint32_t { absent, awake, searching, parked, broken, lent };

struct alignas(64) Slot {
  // Its worker writes it; a waker turns parked and absent into awake by compare-exchange.
  // Sequentially consistent throughout: parking.cpp proves that no wake-up is lost.
  std::atomic<SlotState> state{SlotState::absent};
  std::atomic<Worker*> worker{nullptr};  // published before its first sleep
  // The external thread that is this slot's worker, if one is; compared, never dereferenced.
  std::atomic<ExternalThread*> external{nullptr};
  // Extra workers whose kernel threads do not run yet. Relaxed: a count that holds the monitor
  // back.
  std::atomic<int> starting{0};
  // True if the PU is to be lent. Written by the monitor, read by the slot's worker; sequentially
  // consistent, as `state`: lending.cpp.
  std::atomic<bool> to_lend{false};
  std::atomic<Worker*> extras{nullptr};  // list of extra workers; by Pool::extras_lock_
};

inline constexpr base::LockRank modules_rank{90, "modules_lock"};

class Pool {
 public:
  Pool(const topo::Machine& machine, const PoolSettings& settings);

  // The process's pool; null before the first region (and in a child after fork()).
  static Pool* instance();
  // Makes `pool` the process's. The caller holds the runtime's initialisation lock.
  static void install(Pool* pool);

  const topo::Machine& machine() const { return machine_; }
  const PoolSettings& settings() const { return settings_; }
  // For how long an idle worker searches before it parks; the program may change it.
  int64_t spin_ns() const {
    // relaxed: sooner or later
    const bool crowded = crowded_.load(std::memory_order_relaxed) ||
                         own_threads_.load(std::memory_order_relaxed) > pu_count_;
    return (crowded ? crowded_spin_ns_ : spin_ns_).load(std::memory_order_relaxed);
  }
  void set_spin_ns(int64_t ns, int64_t crowded_ns) {
    spin_ns_.store(ns, std::memory_order_relaxed);
    crowded_spin_ns_.store(crowded_ns, std::memory_order_relaxed);
  }
  // Whether the process's workers share their processors with other processes' (share/). By the
  // monitor.
  bool crowded() const { return crowded_.load(std::memory_order_relaxed); }
  void set_crowded(bool crowded) {
    if (crowded_.load(std::memory_order_relaxed) != crowded)
      crowded_.store(crowded, std::memory_order_relaxed);
  }
  StackPool& stacks() { return stacks_; }
  // What loops run on: where memory is limited, small stacks of their own.
  StackPool& loop_stacks() { return stacks_.limited() ? loop_stacks_ : stacks_; }
  // Nobody comes back to the context.
  void release(const Context& loop) {
    (loop.stack->loop_only ? loop_stacks_ : stacks_).release(loop.stack, loop.sp);
  }
  Monitor& monitor() { return monitor_; }
  int pu_count() const { return pu_count_; }
  RunQueue& level_queue(int level) { return queues_[static_cast<size_t>(level)]; }
  RunQueue& pu_queue(int pu) { return level_queue(machine_.pu_level(pu)); }
  // The groups attached to a level as units. Workers below take from the level's own queue first,
  // and then from the units'.
  struct Attached {
    base::SpinLock lock{{40, "Pool::Attached::lock"}};
    Group* first XYLEM_GUARDED_BY(lock) = nullptr;
    std::atomic<int> count{0};  // written under the lock; sequentially consistent: attached.cpp
    // True if something waits in one of them. A hint.
    bool waits() {
      if (count.load() == 0) return false;
      base::Locked locked(lock);
      for (const Group* unit = first; unit; unit = unit->next_attached)
        if (unit->queue.count() > 0) return true;
      return false;
    }
  };
  // The levels where something may wait, in the level's queue or in a unit's, that may be stolen.
  LevelBits& stealable() { return stealable_; }
  // By a worker that found nothing on that level that it could take.
  void retract(const Worker& worker, int level);
  Attached& attached(int level) { return attached_[static_cast<size_t>(level)]; }
  // What RunQueue::take(), oldest(), take_oldest(), steal() and waiting() are to a level's own
  // queue.
  Work take_attached(int level, Worker& worker, Order order);
  RunQueue::Oldest oldest_attached(int level, Serve what);
  Work take_oldest_attached(int level, Worker& worker, Serve what);
  Work steal_attached(int level, Worker& thief);
  int waiting_in_attached(int level, int most);
  // Calls visit(unit) for each unit that is attached to the level, under the list's lock.
  template <typename Visit>
  void each_attached(int level, Visit visit);
  const char* check_attached(int level);
  Slot& slot(int pu) { return slots_[static_cast<size_t>(pu)]; }

  // --- thread-local storage ---
  bool own_blocks() const { return tier() == TlsTier::own_blocks; }
  TlsTier tier() const { return tier_.load(std::memory_order_relaxed); }  // relaxed: see tier_
  // True if each fiber is a kernel thread: the user asked for it, a module needs it
  // (thread_need()), or fibers need thread-local data and the runtime cannot make thread blocks.
  bool a_thread_each() const { return a_thread_each_; }
  // The module for which that is so, or was to be when it came too late.
  // The module for which it is so; null: none.
  const os::ThreadNeed* thread_need() const {
    return a_thread_each_ && thread_need_.symbol ? &thread_need_ : nullptr;
  }
  // Chooses the tier anew if libraries were loaded since. By the external thread that opens a
  // region while none is open.
  void choose_tier();
  // Lets code run on threads' stacks where a module wants that. After a library was opened.
  void suit_stacks_to_modules();
  // True if libraries were loaded, since the pool was made, that need a kernel thread for each
  // OpenMP thread: only another pool has those. By the caller of choose_tier(), after it.
  bool lacks_threads() const { return lacks_threads_; }
  // True if the caller's region is the only open one. Then the pool is retired: nobody opens a
  // region in it any more, and threads that want to wait for the pool that takes its place. By the
  // caller of choose_tier().
  bool retire();
  bool retired() const { return open_regions.load() < 0; }
  // When to scan which modules call OpenMP. choose_tier() asks for a scan when libraries were
  // loaded; where each fiber is a kernel thread, for the first region alone.
  RarePoll& poll_users() { return users_poll_; }
  // Around fork(): between the two no thread of the runtime walks the loader's list of modules. If
  // another thread held that list's lock, libc would leave it locked in the child.
  static void before_fork();
  static void after_fork(bool in_child);
  void* take_block() XYLEM_EXCLUDES(blocks_lock_);
  void put_block(void* block) XYLEM_EXCLUDES(blocks_lock_);
  // The thread block of a member whose external thread ends is kept for another member.
  void retire_kept(void* kept);
  // A thread block that retire_kept() got; null if there is none.
  void* take_kept() XYLEM_EXCLUDES(blocks_lock_);
  // Destroys a thread block, after the destructors of its thread-local data. Where a kernel thread
  // was kept instead, that thread ends soon after.
  void end_kept(void* kept);

  // --- workers ---
  // The next thing that `worker` runs; sleeps until there is one.
  Work next_work(Worker& worker);
  // The same for who runs the worker's loop while it waits itself (kept_threads.hpp). Nothing: the
  // PU is to be lent, and the worker's own loop is to see to that.
  Work next_work_hosted(Worker& worker);
  // A started fiber from the worker's own queue, if any.
  Work ready_here(Worker& worker);
  bool anything_to_steal(Worker& worker) { return settings_.anything_to_steal(worker); }
  // Binds the calling kernel thread as workers of the PU are bound. `bound` belongs to the kernel
  // thread: the PU that it was bound to before, at first not_bound.
  static constexpr int not_bound = -2;
  void bind_to_pu(int pu, int& bound);
  // In a child of fork(): lets the calling kernel thread run wherever the process may, if what it
  // inherited is a worker's binding.
  void unbind_child() const;
  // Of an external thread that holds PU 0's slot, when its region begins, on its own kernel thread:
  // if the kernel runs that on another memory node than the PU's, it goes to the PU's, and may go
  // on from there. Not at each call: calls cost a hundredth of the time at most.
  void bring_home(ExternalThread& external) const {
    if (home_cpus_.bytes > 0) bring_to_node(external);
  }
  // The same, but the kernel thread stays on the node until let_go(), when the region ends.
  void keep_home(ExternalThread& external) const;
  static void let_go(ExternalThread& external);
  // The worker's kernel thread is about to end: the monitor reads no more of its times.
  void record_end(Worker& worker) XYLEM_EXCLUDES(extras_lock_);

  // True once the program has told loads: each PU has a share that is planned. relaxed: sooner or
  // later
  bool has_told_loads() const { return has_told_loads_.load(std::memory_order_relaxed); }
  void record_told_loads() {
    if (!has_told_loads()) has_told_loads_.store(true, std::memory_order_relaxed);
  }
  // True if each PU has a worker, or gets one when something comes for it.
  bool serves_all() const {
    // relaxed: whoever must know looks at what waits (Pool::move_waiting)
    return lent_count_.load(std::memory_order_relaxed) == 0 &&
           broken_count_.load(std::memory_order_relaxed) == 0;
  }

  // The PU itself, or one before it if it is lent, or its neighbour if the PU's slot is an external
  // thread's that runs nothing of `initial`'s contention group.
  int served_pu(int pu, const ExternalThread* initial) {
    // relaxed: a hint. A line that is seldom written: the slots' go to and fro in each region.
    if (lent_count_.load(std::memory_order_relaxed) > 0) [[unlikely]]
      while (pu > 0 && is_to_be_lent(pu)) --pu;
    if (pu != 0 || pu_count_ == 1) return pu;
    const ExternalThread* holder = slot(0).external.load(std::memory_order_relaxed);  // a hint
    return holder && holder != initial ? 1 : 0;
  }

  // Before seeds are pushed onto the PU's queue, or one above it: if nobody searches, and the idle
  // PU next to it has no kernel thread yet, that is started. Who starts one may lose the processor
  // for it: better before its members can begin than after.
  void start_ahead(int pu, const ExternalThread* initial);
  // False once each PU has had its kernel thread: then there is nothing to start.
  bool lacks_workers() const { return unstarted_.load(std::memory_order_relaxed) > 0; }

  // After a push onto the PU's queue, which said whom it concerns: wakes a worker, at the PU or
  // near it, that may run what belongs to `initial`'s region, unless one is awake that will come
  // by.
  void wake_for(int pu, Concerns whom, const ExternalThread* initial);

  // Moves what the PU's workers hold in private queues to queues where all find it. By any thread.
  void publish_private(int pu) XYLEM_EXCLUDES(extras_lock_);

  // After a wake-up was posted (address_waits.hpp): wakes a worker to serve it. Signal handlers may
  // call it.
  void nudge();

  // After a push that only workers below `level` see: wakes at most so many of them. `initial`:
  // whose region it belongs to; null: several.
  void wake_below(int level, int most, const ExternalThread* initial);

  // Takes PU 0's slot for an external thread that opens a region; false if another one holds it.
  bool take_slot(Worker& external);
  void leave_slot();
  // Enters a solo worker, for each_solo(); an external thread's while it is in a region.
  void add_solo(Worker& worker) XYLEM_EXCLUDES(extras_lock_);
  void remove_solo(Worker& worker) XYLEM_EXCLUDES(extras_lock_);
  // A solo worker for a kept kernel thread, entered; and its end.
  Worker* make_solo() XYLEM_EXCLUDES(extras_lock_);
  void end_solo(Worker& worker) XYLEM_EXCLUDES(extras_lock_);
  // It is a worker of that PU from here on. By itself, or while it sleeps.
  void serve_alone(Worker& worker, int pu) XYLEM_EXCLUDES(extras_lock_);
  // How many members of open regions have a kernel thread of their own. relaxed: only a number
  void add_own_threads(int count) { own_threads_.fetch_add(count, std::memory_order_relaxed); }
  int own_threads() const { return own_threads_.load(std::memory_order_relaxed); }

  // Ends all workers and the monitor once they have nothing to do; the pool must not be used again.
  // Called when the last of the program's threads has gone, so that the process can end.
  void stop();
  bool stopping() const { return stopping_.load(); }

  // Regions open now, over all external threads; negative once the pool has retired. The monitor
  // sleeps while there are none. An increment (sequentially consistent) that finds 0 sees all
  // writes that came before the decrement (release).
  std::atomic<int> open_regions{0};

  // How many samples were taken (live/sampler.hpp). What a sample writes stays the same while this
  // count does. acquire and release: with the count comes what the sample wrote.
  uint32_t samples() const { return samples_.load(std::memory_order_acquire); }
  void record_sample() { samples_.fetch_add(1, std::memory_order_release); }

  // True if the PU's slot is parked or absent. A hint.
  bool is_idle(int pu) const { return idle_.has(machine_.pu_level(pu)); }
  // Asks again for the kernel thread of a broken slot. Called by the monitor.
  void retry_slot(int pu) XYLEM_EXCLUDES(extras_lock_);

  // --- PUs that are lent to other processes, by the monitor: lending.cpp ---
  // The PU's worker is to sleep at its next scheduling point, and what waits there is left to
  // others. To be called again until the slot is lent. Precondition: not PU 0, whose slot is an
  // external thread's.
  void lend(int pu) XYLEM_EXCLUDES(extras_lock_);
  // The PU is the process's own again: its worker may be woken as any other.
  void take_back(int pu);
  bool is_to_be_lent(int pu) { return slot(pu).to_lend.load(); }
  bool is_lent(int pu) { return slot(pu).state.load() == SlotState::lent; }
  // Moves what waits at a PU that is lent, and may run elsewhere, to the queue of PU `to`. False if
  // something waits there that may not: take_back() is due.
  bool move_waiting(int pu, int to);

  // Starts `count` extra workers on the PU, or as many as the kernel gives. Called by the monitor,
  // and by give_extras().
  void add_extras(int pu, int count) XYLEM_EXCLUDES(extras_lock_);
  // Starts extra workers until a team of n threads, whose seeds are in the queues now, has a kernel
  // thread for each; at most as many as the monitor would start at once. By the thread that opens
  // the region.
  void give_extras(int n) XYLEM_EXCLUDES(extras_lock_);
  // Calls visit(worker) for each worker that serves the PU now: the slot's and the extras.
  template <typename Visit>
  void each_worker(int pu, Visit visit) XYLEM_EXCLUDES(extras_lock_);

  // Calls visit(worker) for each worker: of the slots, the extras, and all solo workers, those that
  // wait for their next member, too.
  template <typename Visit>
  void each_thread(Visit visit) XYLEM_EXCLUDES(extras_lock_);

  // Calls visit(worker) for each solo worker that is in a region.
  template <typename Visit>
  void each_solo(Visit visit) XYLEM_EXCLUDES(extras_lock_);

  // Checks the invariants of every queue (XYLEM_CHECK=1); ends the process if one does not hold.
  void check();

  // Prints what each worker runs and what each queue holds, with every fiber's stack, on stderr.
  void dump();

 private:
  void look_for_late_threads();
  void stay_without_threads();
  TlsTier needed_tier() const;
  void choose_contexts();
  std::vector<int> cpus_for(int pu) const;
  bool confines_workers() const;
  os::AffinityMask home_cpus() const;
  void bring_to_node(ExternalThread& external) const;
  bool needs_a_thread_each() const;
  bool modules_need_threads();
  void tell_tier_is_not_kept() const;
  Work find(Worker& worker, Order order);
  Work do_as_asked(Worker& worker);
  Work idle(Worker& worker);
  Work sleep_until_found(Worker& worker);
  Work search_for(Worker& worker, bool& announced);
  bool stays_awake(Worker& worker, Slot& slot, bool announced, Work& work);
  void sleep(Worker& worker);
  void end_search(Worker& worker, Slot& slot, bool announced);
  void rest_if_lent(Worker& worker);
  Work rest_as_extra(Worker& worker) XYLEM_EXCLUDES(extras_lock_);
  bool wake_parked(int pu);
  void leave_idle(int pu);
  void wake_hidden(int near);
  static void give_token(Worker& worker, bool one_hidden);
  bool wake_slot(int pu, const ExternalThread* initial);
  void wake_any(int near, const ExternalThread* initial);
  void begin_search(const Worker& worker);
  void leave_search(const Worker& worker);
  void hand_on(Worker& worker, bool relied_on);
  bool someone_searches(const ExternalThread* initial) const;
  bool start_absent(int pu);
  bool start_worker(int pu);
  bool start_thread_of(Worker& worker);
  Worker* make_worker(int pu, bool extra);

  // Workers read these whenever they search: they stand on lines that are hardly ever written, but
  // for own_threads_, by each region whose members are kernel threads.
  alignas(64) const topo::Machine& machine_;
  PoolSettings settings_;
  std::atomic<int64_t> spin_ns_, crowded_spin_ns_;  // relaxed: numbers by themselves
  std::atomic<bool> crowded_{false};                // by the monitor
  std::atomic<int> lent_count_{0};                  // slots with to_lend
  std::atomic<int> broken_count_{0};                // slots that are broken
  std::atomic<int> unstarted_;  // slots but PU 0's that never had a worker; relaxed: a hint
  std::atomic<bool> has_told_loads_{false};
  std::atomic<int> own_threads_{0};  // add_own_threads()
  int pu_count_;
  const os::AffinityMask home_cpus_;  // of PU 0's memory node; none: that makes no difference
  // choose_tier() writes it. relaxed: the queues' locks bring it to all that the region runs whose
  // opening chose it; another region that opens meanwhile may begin in the tier before.
  std::atomic<TlsTier> tier_{TlsTier::errno_only};
  bool a_thread_each_ = false;
  LevelBits stealable_;
  LevelBits idle_;  // at least the PUs whose slot is parked or absent; parking.cpp
  std::unique_ptr<RunQueue[]> queues_;
  std::unique_ptr<Attached[]> attached_;  // by level
  std::unique_ptr<Slot[]> slots_;
  const ExternalThread* last_holder_ = nullptr;  // of PU 0's slot; by its holder, only compared
  alignas(64) StackPool stacks_;
  StackPool loop_stacks_;       // empty unless stacks_ is limited
  os::SignalMask signal_mask_;  // of the thread that opened the first region: workers have it
  Monitor monitor_;

  RarePoll users_poll_;
  // The next four by choose_tier(), whose callers open_regions puts in order.
  uint64_t modules_seen_ = 0;
  bool lacks_threads_ = false;
  bool members_keep_data_ = false;  // of the modules that were loaded when the last region began
  os::ThreadNeed thread_need_;      // of a module that asks for kernel threads, once one was found
  base::SpinLock blocks_lock_{{80, "Pool::blocks_lock_"}};
  void** free_blocks_ XYLEM_GUARDED_BY(blocks_lock_) = nullptr;
  int free_block_count_ XYLEM_GUARDED_BY(blocks_lock_) = 0;
  int free_block_room_ XYLEM_GUARDED_BY(blocks_lock_) = 0;

  std::atomic<bool> stopping_{false};
  static constexpr int retired_regions = INT_MIN / 2;  // and however many come by are below 0
  alignas(64) std::atomic<uint32_t> samples_{0};       // by the monitor alone
  // Workers that search, and the external thread in PU 0's slot when it does: it takes what belongs
  // to its own region alone. parking.cpp.
  std::atomic<int> searching_{0};
  std::atomic<const ExternalThread*> searching_external_{nullptr};
  base::SpinLock extras_lock_{{60, "Pool::extras_lock_"}};
  Worker* resting_ XYLEM_GUARDED_BY(extras_lock_) = nullptr;
  Worker* solo_ XYLEM_GUARDED_BY(extras_lock_) = nullptr;
};

// To be called once the loader has put a library's thread-local data into the threads that it
// knows, before any code of the library runs: threads that the loader does not know get them, too,
// and stacks that the loader does not know become executable where the library wants that.
// Takes no lock that is held while a library's constructors run.
void library_opened();

// Calls tell(user, raw) for each module that calls OpenMP and was not told of before
// (os/openmp_users.hpp), under a lock and the loader's. True if others may be told of later.
bool scan_openmp_users(void (*tell)(const os::OpenMpUser& user, void* raw), void* raw);

// Pool::thread_need() of the newest pool; null without one.
const os::ThreadNeed* why_kernel_threads();

template <typename Visit>
void Pool::each_attached(int level, Visit visit) {
  Attached& list = attached(level);
  if (list.count.load() == 0) return;
  base::Locked locked(list.lock);
  for (Group* unit = list.first; unit; unit = unit->next_attached) visit(*unit);
}

template <typename Visit>
void Pool::each_worker(int pu, Visit visit) {
  base::Locked locked(extras_lock_);
  if (Worker* holder = slot(pu).worker.load(std::memory_order_acquire)) visit(*holder);
  for (Worker* extra = slot(pu).extras.load(std::memory_order_relaxed); extra;
       extra = extra->next_in_list)
    visit(*extra);
}

template <typename Visit>
void Pool::each_thread(Visit visit) {
  for (int pu = 0; pu < pu_count_; ++pu) each_worker(pu, visit);
  base::Locked locked(extras_lock_);
  for (Worker* worker = solo_; worker; worker = worker->next_in_list) visit(*worker);
}

// relaxed: only a number. 0: the kernel thread sleeps until its next member comes.
template <typename Visit>
void Pool::each_solo(Visit visit) {
  base::Locked locked(extras_lock_);
  for (Worker* worker = solo_; worker; worker = worker->next_in_list)
    if (worker->tid.load(std::memory_order_relaxed) != 0) visit(*worker);
}

}  // namespace xylem::sched
