// Owns: the pool's construction, its workers' birth, thread control blocks. See pool.hpp.
#include "sched/worker/pool.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "base/report.hpp"
#include "base/sanitizer.hpp"
#include "os/futex.hpp"
#include "os/modules.hpp"
#include "os/openmp_users.hpp"
#include "os/static_tls.hpp"
#include "os/thread.hpp"
#include "sched/worker/kept_threads.hpp"
#include "sched/worker/tracing.hpp"
#include "trace/recorder.hpp"

namespace xylem::sched {

namespace {
// Written under the runtime's initialisation lock (release), read by all (acquire in instance()).
constinit std::atomic<Pool*> installed_pool{nullptr};
}  // namespace

Pool* Pool::instance() { return installed_pool.load(std::memory_order_acquire); }
void Pool::install(Pool* pool) { installed_pool.store(pool, std::memory_order_release); }

Pool::Pool(const topo::Machine& machine, const PoolSettings& settings)
    : machine_(machine),
      settings_(settings),
      spin_ns_(settings.spin_ns),
      crowded_spin_ns_(settings.crowded_spin_ns),
      unstarted_(machine.pu_count() - 1),
      pu_count_(machine.pu_count()),
      home_cpus_(home_cpus()),
      stealable_(machine.levels()),
      idle_(machine.levels()),
      queues_(new RunQueue[machine.levels().size()]),
      attached_(new Attached[machine.levels().size()]),
      slots_(new Slot[static_cast<size_t>(machine.pu_count())]),
      signal_mask_(os::signal_mask()),
      monitor_(*this) {
  for (size_t level = 0; level < machine.levels().size(); ++level) {
    queues_[level].level.store(static_cast<int>(level), std::memory_order_relaxed);
    queues_[level].stealable = &stealable_;
  }
  for (int pu = 1; pu < pu_count_; ++pu) {  // PU 0's slot is an external thread's
    idle_.set(machine.pu_level(pu));
    pu_queue(pu).owner_parks();
  }
  os::find_rseq();
  stacks_.configure(settings.stack_bytes);
  if (stacks_.limited()) loop_stacks_.configure_for_loops();
  choose_contexts();
  choose_tier();
}

// --- thread control blocks -----------------------------------------------------------------------

namespace {

// Held while the loader's list is walked, and while blocks are made, destroyed or visited; see
// before_fork().
constinit base::SpinLock modules_lock{modules_rank};

os::TlsNeed scan_modules() {
  base::Locked locked(modules_lock);
  return os::scan_modules();
}

uint64_t module_generation() {
  base::Locked locked(modules_lock);
  return os::module_generation();
}

os::ThreadNeed scan_for_kernel_threads() {
  base::Locked locked(modules_lock);
  return os::scan_for_kernel_threads();
}

bool modules_run_code_on_stacks() {
  base::Locked locked(modules_lock);
  return os::modules_run_code_on_stacks();
}

bool modules_keep_data_by_thread() {
  base::Locked locked(modules_lock);
  return os::modules_keep_data_by_thread();
}

size_t next_late_module(os::Late which) {
  base::Locked locked(modules_lock);
  return os::late_module(which);
}

constinit os::OpenMpUsers* openmp_users XYLEM_GUARDED_BY(modules_lock) = nullptr;

// Set before blocks are made, and stays.
constinit std::atomic<bool> blocks_are_made{false};

// Made blocks get the data of libraries that were opened after them.
void start_late_modules(os::Late which) {
  while (const size_t module = next_late_module(which)) {
    const ptrdiff_t distance = os::locate_static_data(module);
    base::Locked locked(modules_lock);
    os::start_static_data(module, distance, which);
  }
}

}  // namespace

void Pool::before_fork() XYLEM_NO_THREAD_ANALYSIS { modules_lock.lock(); }
void Pool::after_fork(bool /*in_child*/) XYLEM_NO_THREAD_ANALYSIS { modules_lock.unlock(); }

// Acquire: pairs with the release in choose_tier(). Who sees it unset came before that looked.
void library_opened() {
  if (blocks_are_made.load(std::memory_order_acquire)) start_late_modules(os::Late::bound);
  if (Pool* pool = Pool::instance()) pool->suit_stacks_to_modules();
}

void Pool::suit_stacks_to_modules() {
  if (modules_run_code_on_stacks()) stacks_.make_executable();
}

bool scan_openmp_users(void (*tell)(const os::OpenMpUser&, void*), void* raw) {
  base::Locked locked(modules_lock);
  if (!openmp_users) openmp_users = new os::OpenMpUsers;
  return openmp_users->scan(tell, raw);
}

const os::ThreadNeed* why_kernel_threads() {
  const Pool* pool = Pool::instance();
  return pool ? pool->thread_need() : nullptr;
}

// What the modules need, or more if the user says so.
TlsTier Pool::needed_tier() const {
  TlsTier needed = TlsTier::errno_only;
  if (scan_modules() == os::TlsNeed::own_blocks || settings_.own_data_each)
    needed = TlsTier::own_blocks;
  const TlsTier wanted = settings_.least_tier.value_or(needed);
  if (wanted < needed)
    base::warn_once("XYLEM_TLS=%d: the program needs tier %d, which is used",
                    static_cast<int>(wanted), static_cast<int>(needed));
  return std::max(needed, wanted);
}

// Where members may have left data on their threads these stay what they are: other threads would
// find it gone.
void Pool::look_for_late_threads() {
  const bool made_before = modules_seen_ != 0;
  const bool kept_data = std::exchange(members_keep_data_, modules_keep_data_by_thread());
  if (!made_before || !modules_need_threads()) return;
  lacks_threads_ = true;
  if (kept_data) stay_without_threads();
}

// Where the region runs here after all, so may those of the late library, which leave data here.
bool Pool::retire() {
  int only_mine = 1;
  if (!stacks_.limited() && open_regions.compare_exchange_strong(only_mine, retired_regions))
    return true;
  if (members_keep_data_) stay_without_threads();
  return false;
}

void Pool::stay_without_threads() {
  lacks_threads_ = false;
  base::warn_once(
      "%s was opened, which needs a kernel thread for each OpenMP thread (it imports %s), and the "
      "threads have data of the program by now: start it with XYLEM_TLS=thread",
      thread_need_.module.data(), thread_need_.symbol);
}

void Pool::choose_tier() {
  if (a_thread_each_ && modules_seen_ != 0) return;
  const uint64_t modules = module_generation();
  if (modules == modules_seen_) return;
  if (!a_thread_each_) look_for_late_threads();
  modules_seen_ = modules;
  users_poll_.ask();
  if (a_thread_each_) return;
  suit_stacks_to_modules();
  os::find_cxx_library();
  TlsTier wanted = needed_tier();
  if (wanted == TlsTier::own_blocks && !os::can_make_blocks()) wanted = TlsTier::cxx_library;
  if (wanted == TlsTier::own_blocks) {
    blocks_are_made.store(true, std::memory_order_release);
    start_late_modules(os::Late::any);
  }
  if (wanted > tier()) tier_.store(wanted, std::memory_order_relaxed);  // relaxed: see tier_
}

// Where no blocks can be made. A sanitizer that this library is built with follows fibers, and the
// modules' needs do not count: tests ask for tier 3, or for kernel threads, where a program has
// thread-local data. Any other sanitizer takes a switch of stacks for an error.
bool Pool::needs_a_thread_each() const {
  if (base::sanitizer_follows_switches)
    return settings_.least_tier == TlsTier::own_blocks || settings_.own_data_each;
  return os::sanitizer_loaded() || needed_tier() == TlsTier::own_blocks;
}

bool Pool::modules_need_threads() {
  using enum os::KernelThreadNeed;
  const os::ThreadNeed found = scan_for_kernel_threads();
  if (found.need < (settings_.least_tier ? required : wanted)) return false;
  thread_need_ = found;
  return true;
}

void Pool::tell_tier_is_not_kept() const {
  if (settings_.least_tier)
    base::warn_once(
        "XYLEM_TLS=%d: %s has mutexes whose owner the kernel must know (it imports %s): each "
        "OpenMP thread is a kernel thread",
        static_cast<int>(*settings_.least_tier), thread_need_.module.data(), thread_need_.symbol);
}

void Pool::choose_contexts() {
  a_thread_each_ = settings_.a_thread_each;
  if (!a_thread_each_ && modules_need_threads()) {
    a_thread_each_ = true;
    tell_tier_is_not_kept();
  }
  if (!a_thread_each_ && !os::can_make_blocks() && needs_a_thread_each()) {
    a_thread_each_ = true;
    if (!os::sanitizer_loaded())
      base::warn_once(
          "this C library makes no thread blocks: each OpenMP thread is a kernel thread");
  }
  if (!a_thread_each_) return;
  tier_.store(TlsTier::errno_only, std::memory_order_relaxed);  // relaxed: not shared yet
  switch_by_gates();
  stacks_.use_threads(signal_mask_);
}

void* Pool::take_kept() {
  base::Locked locked(blocks_lock_);
  return free_block_count_ > 0 ? free_blocks_[--free_block_count_] : nullptr;
}

namespace {
void* make_block() {
  base::Locked locked(modules_lock);
  return os::make_block();
}
}  // namespace

void* Pool::take_block() {
  if (void* kept = take_kept()) return kept;
  void* block = make_block();
  if (!block) base::fatal("out of memory for a thread's local data");
  return block;
}

void Pool::put_block(void* block) {
  base::Locked locked(blocks_lock_);
  if (free_block_count_ == free_block_room_) {
    free_block_room_ = free_block_room_ ? 2 * free_block_room_ : 64;
    free_blocks_ = static_cast<void**>(
        std::realloc(free_blocks_, static_cast<size_t>(free_block_room_) * sizeof(void*)));
    if (!free_blocks_) base::fatal("out of memory");
  }
  free_blocks_[free_block_count_++] = block;
}

// Kernel threads end: what the members of another initial found on them would be theirs no more.
void Pool::retire_kept(void* kept) {
  if (a_thread_each_)
    end_kept_thread(static_cast<Stack*>(kept));
  else
    put_block(kept);
}

void Pool::end_kept(void* kept) {
  if (a_thread_each_) return end_kept_thread(static_cast<Stack*>(kept));
  os::end_data(kept);
  base::Locked locked(modules_lock);
  os::destroy_block(kept);
}

void Pool::check() {
  for (size_t level = 0; level < machine_.levels().size(); ++level)
    if (const char* fault = queues_[level].check())
      base::fatal("run queue of level %zu: %s", level, fault);
  for (size_t level = 0; level < machine_.levels().size(); ++level)
    if (const char* fault = check_attached(static_cast<int>(level)))
      base::fatal("bubbles on level %zu: %s", level, fault);
}

// --- workers -------------------------------------------------------------------------------------

Worker* Pool::make_worker(int pu, bool extra) {
  auto* worker = new Worker;
  worker->pool = this;
  worker->serve(pu);
  worker->extra = extra;
  worker->woken = !extra;
  if (extra) worker->trace.kind = trace::SourceKind::extra;
  return worker;
}

void Pool::record_end(Worker& worker) {
  base::Locked locked(extras_lock_);
  worker.tid.store(0, std::memory_order_relaxed);  // relaxed: by the lock
  worker.show_thread(nullptr, 0);
}

// With a stack for its loop.
bool Pool::start_thread_of(Worker& worker) {
  if (loop_stacks().set_aside(1) == 0) return false;
  if (os::start_thread(worker_thread, &worker, signal_mask_) == 0) return true;
  loop_stacks().give_back(1);
  return false;
}

// The caller has turned the slot from absent or broken to awake.
bool Pool::start_worker(int pu) {
  Worker* worker = make_worker(pu, false);
  slot(pu).worker.store(worker, std::memory_order_release);  // pairs with each_worker()
  if (start_thread_of(*worker)) return true;
  {
    base::Locked locked(extras_lock_);  // the monitor may be reading the worker
    slot(pu).worker.store(nullptr, std::memory_order_release);
  }
  broken_count_.fetch_add(1, std::memory_order_relaxed);
  slot(pu).state.store(SlotState::broken);
  pu_queue(pu).let_all_go();
  pu_queue(pu).owner_goes();
  delete worker;
  base::warn_once("cannot start a kernel thread for every processor: the others do the work");
  return false;
}

void Pool::retry_slot(int pu) {
  SlotState broken = SlotState::broken;
  if (!slot(pu).state.compare_exchange_strong(broken, SlotState::awake)) return;
  broken_count_.fetch_sub(1, std::memory_order_relaxed);
  start_worker(pu);
}

void Pool::add_extras(int pu, int count) {
  for (int i = 0; i < count; ++i) {
    Worker* worker;
    {
      base::Locked locked(extras_lock_);
      worker = resting_;
      if (worker) resting_ = worker->next_in_list;
      const bool fresh = worker == nullptr;
      if (fresh) slot(pu).starting.fetch_add(1, std::memory_order_relaxed);  // relaxed: a count
      if (fresh) worker = make_worker(pu, true);
      worker->serve(pu);
      worker->next_in_list = slot(pu).extras.load(std::memory_order_relaxed);
      slot(pu).extras.store(worker, std::memory_order_relaxed);  // relaxed: under the lock
      if (fresh && !start_thread_of(*worker)) {
        slot(pu).extras.store(worker->next_in_list, std::memory_order_relaxed);
        slot(pu).starting.fetch_sub(1, std::memory_order_relaxed);  // a count
        delete worker;
        base::warn_once("cannot start another kernel thread: threads that wait may wait long");
        return;
      }
      if (fresh) continue;
    }
    give_token(*worker, false);
  }
}

// Those of the region before may just be about to rest, without another look for work: so they are
// not counted on, up to as many again.
void Pool::give_extras(int n) {
  for (int pu = 0; pu < pu_count_ && pu + pu_count_ < n; ++pu) {
    const int wanted = std::min((n - 1 - pu) / pu_count_, most_extras_at_once);
    int there = 0;
    each_worker(pu, [&there](Worker& worker) { there += worker.extra ? 1 : 0; });
    add_extras(pu, std::min(wanted, 2 * wanted - there));
  }
}

bool Pool::take_slot(Worker& external) {
  SlotState free = SlotState::absent;
  if (!slot(0).state.compare_exchange_strong(free, SlotState::awake)) return false;
  external.serve(0);
  if (last_holder_ != external.external) [[unlikely]] {  // not written each time: all read its line
    last_holder_ = external.external;
    pu_queue(0).set_external_owner(*external.external);
  }
  trace::emit<traced::of_worker>(external, trace::event("worker_awake"));
  slot(0).external.store(external.external, std::memory_order_relaxed);  // relaxed: see served_pu()
  slot(0).worker.store(&external, std::memory_order_release);            // pairs with each_worker()
  return true;
}

void Pool::add_solo(Worker& worker) {
  base::Locked locked(extras_lock_);
  worker.next_in_list = solo_;
  solo_ = &worker;
}

void Pool::remove_solo(Worker& worker) {
  base::Locked locked(extras_lock_);
  Worker** link = &solo_;
  while (*link != &worker) link = &(*link)->next_in_list;
  *link = worker.next_in_list;
}

Worker* Pool::make_solo() {
  Worker* worker = make_worker(0, false);
  worker->solo = true;
  worker->trace.kind = trace::SourceKind::extra;
  add_solo(*worker);
  return worker;
}

// The monitor may be reading the worker.
void Pool::serve_alone(Worker& worker, int pu) {
  base::Locked locked(extras_lock_);
  worker.serve(pu);
}

void Pool::end_solo(Worker& worker) {
  remove_solo(worker);
  trace::close(worker.trace);
  delete &worker;
}

// Work that is left in PU 0's queue belongs to other external threads' regions: the others steal
// it, or the monitor finds it there.
void Pool::leave_slot() {
  {
    base::Locked locked(
        extras_lock_);  // the monitor may be reading the holder, who may end after this
    slot(0).worker.store(nullptr, std::memory_order_release);
  }
  slot(0).external.store(nullptr, std::memory_order_relaxed);
  slot(0).state.store(SlotState::absent);
}

}  // namespace xylem::sched
