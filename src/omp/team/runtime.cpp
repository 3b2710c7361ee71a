// Owns: start of the runtime. See runtime.hpp.
#include "omp/team/runtime.hpp"

#include <algorithm>
#include <atomic>

#include "base/report.hpp"
#include "mem/cost/costs.hpp"
#include "mem/heap/blocks.hpp"
#include "mem/map/memory.hpp"
#include "mem/touch/next_touch.hpp"
#include "omp/env/policy_choice.hpp"
#include "omp/env/settings.hpp"
#include "omp/env/settings_folders.hpp"
#include "omp/team/binding.hpp"
#include "omp/team/memory_owners.hpp"
#include "omp/team/tracing.hpp"
#include "os/cgroup.hpp"
#include "os/failures.hpp"
#include "os/thread.hpp"
#include "os/ticks.hpp"
#include "sched/group/holders.hpp"
#include "sched/live/live.hpp"
#include "sched/place/engine.hpp"
#include "sched/start.hpp"
#include "sched/worker/interposed.hpp"
#include "sched/worker/memory_caller.hpp"
#include "sched/worker/wait_address.hpp"
#include "trace/recorder.hpp"

namespace xylem::omp {

namespace {

constinit base::SpinLock start_lock;
// Set (release) when the first part is done; pairs with the acquire in start_runtime().
constinit std::atomic<bool> started{false};
// Written before `started` is set.
constinit const topo::Machine* the_machine = nullptr;
constinit bool processors_are_shared = false;  // fewer real ones than workers, or a quota

const topo::Machine& load_machine_or_flat(const char* description) {
  auto loaded = topo::load_machine(description, true);
  if (!loaded.ok() && *description) {
    base::warn_once("XYLEM_MACHINE: %s; the real machine is used", loaded.error().message);
    loaded = topo::load_machine("", true);
  }
  if (!loaded.ok()) {
    base::warn_once("hwloc cannot read this machine (%s): a flat one is assumed",
                    loaded.error().message);
    loaded = topo::load_machine("pu:1", true);
  }
  if (!loaded.ok()) base::fatal("no machine: %s", loaded.error().message);
  return *loaded.value();
}

size_t stack_bytes() {
  if (globals().stack_size > 0) return globals().stack_size;
  const size_t limit = os::stack_limit();
  return limit > 0 ? std::min(limit, size_t{256} << 20) : size_t{8} << 20;
}

// How long an idle worker looks for work before it sleeps. Where workers share processors (a quota,
// a drawn machine larger than the real one) those who look take the time of those who work.
int64_t spin_time() {
  const RuntimeSettings& mine = read_runtime_settings();
  constexpr int64_t turn_ns = 10, most_ns = 10'000'000;
  if (mine.spin >= 0) return std::min(mine.spin, most_ns / turn_ns) * turn_ns;
  if (processors_are_shared) return 0;
  switch (globals().wait_policy) {
    case WaitPolicy::active:
      return 2'000'000;
    case WaitPolicy::passive:
      return 0;
    case WaitPolicy::unset:
      break;
  }
  return 200'000;
}

sched::PoolSettings pool_settings() {
  const RuntimeSettings& mine = read_runtime_settings();
  sched::PoolSettings settings;
  settings.stack_bytes = stack_bytes();
  settings.spin_ns = spin_time();
  settings.time_slice_ns = int64_t{mine.time_slice_ms} * 1'000'000;
  settings.least_tier = mine.tls == TlsChoice::tier1   ? 1
                        : mine.tls == TlsChoice::tier2 ? 2
                        : mine.tls == TlsChoice::tier3 ? 3
                                                       : 0;
  settings.a_thread_each = mine.tls == TlsChoice::thread;
  if (binds_to_places()) settings.place_of_pu = place_of_pu;
  sched::connect(settings);
  return settings;
}

// The child of a fork has one kernel thread and none of the locks' holders: those that it will use
// are taken around fork(). Taken here, released in another function, so not for the analysis. The
// engine is made under start_lock: it is there on both sides or on neither.
void prepare_fork() XYLEM_NO_THREAD_ANALYSIS {
  start_lock.lock();
  if (sched::Engine* engine = sched::Engine::instance()) engine->before_fork();
  sched::lock_holders();
  MeasuredLoads::before_fork();
  lock_owners();
  mem::lock_blocks();
  mem::before_fork_of_marks();
  mem::before_fork();
  sched::Pool::before_fork();
}
void unlock_after_fork(bool in_child) XYLEM_NO_THREAD_ANALYSIS {
  sched::Pool::after_fork();
  mem::after_fork(in_child);
  mem::after_fork_of_marks(in_child);
  mem::unlock_blocks();
  unlock_owners();
  MeasuredLoads::after_fork();
  sched::unlock_holders(in_child);
  if (sched::Engine* engine = sched::Engine::instance()) engine->after_fork(in_child);
  start_lock.unlock();
}
void parent_after_fork() {
  unlock_after_fork(false);
  trace::emit<traced::forked>();
}
void child_after_fork() {
  trace::forget_in_child();
  sched::forget_live_page_in_child();
  unlock_after_fork(true);
  if (const sched::Pool* pool = sched::Pool::instance()) pool->unbind_child();
  sched::forget_workers_in_child();
  sched::reset_waits_in_child();
  offer_waits();
  mem::forget_measuring_in_child();
}

void end_root(void* raw) {
  auto* root = static_cast<Root*>(raw);
  sched::Pool* pool = sched::Pool::instance();
  if (pool && root->sticky_pool == pool)  // not so after fork(): see end_guest()
    for (int i = 0; i < root->sticky_count; ++i)
      if (root->sticky_blocks[i]) pool->retire_kept(root->sticky_blocks[i]);
  delete[] root->sticky_blocks;
  delete[] root->kept_floats;
  root->team.tasks.close();
  if (root->region) sched::free_holder(*root->region);
  delete root;
}

void set_memory_policy(const RuntimeSettings& mine) {
  const auto placement = static_cast<mem::Placement>(mine.memory_placement);
  const bool no_node = placement == mem::Placement::node && mine.memory_node >= mem::node_count();
  if (no_node)
    base::warn(
        "XYLEM_MEMORY_POLICY: there is no node %d, the last one is %d; memory is placed as "
        "the process's is",
        mine.memory_node, mem::node_count() - 1);
  else
    mem::set_default_placement(placement, mine.memory_node);
}

void start_once() {
  const RuntimeSettings& mine = read_runtime_settings();
  os::inject_failure(mine.fail_call, mine.fail_all_after);
  os::begin_counting_ticks();
  the_machine = &load_machine_or_flat(mine.machine);
  mem::start(*the_machine);
  sched::answer_memory_callers();
  set_memory_policy(mine);
  mem::start_costs(*the_machine, mine.costs_file, cache_folder());
  const int pus = the_machine->pu_count();
  const os::Allowance allowance = os::read_allowance();
  const double quota = allowance.cpu_quota;
  processors_are_shared = pus > allowance.cpus.count() || (quota > 0 && quota < pus);
  initialize_settings(*the_machine, topo::usable_threads(pus, the_machine->drawn() ? 0 : quota));
  const plan::Tuning tuning{.too_big_percent = mine.spread_threshold};
  sched::Engine::install(
      new sched::Engine(*the_machine, policy_or_default(mine.policy), tuning,
                        {.slice_ns = int64_t{mine.time_slice_ms} * 1'000'000,
                         .patience_ns = int64_t{mine.steal_patience_us} * 1'000}));
  sched::on_guest_end(end_root);
  sched::name_threads_by(thread_name);
  if (*mine.trace) trace::start(mine.trace, *the_machine);
}

}  // namespace

void stand_fork() { os::at_fork(prepare_fork, parent_after_fork, child_after_fork); }

void offer_waits() {
  if (read_runtime_settings().interpose) sched::offer_waits();
}

void start_runtime() {
  if (started.load(std::memory_order_acquire)) return;
  base::Locked locked(start_lock);
  if (started.load(std::memory_order_relaxed)) return;  // relaxed: written under this lock
  start_once();
  started.store(true, std::memory_order_release);
}

const topo::Machine& machine() { return *the_machine; }

namespace {

sched::Pool& make_pool() {
  start_runtime();
  base::Locked locked(start_lock);
  if (!sched::Pool::instance()) {
    auto* pool = new sched::Pool(*the_machine, pool_settings());
    sched::open_live_page(*pool, *sched::Engine::instance(), read_runtime_settings().machine);
    const RuntimeSettings& mine = read_runtime_settings();
    pool->monitor().arm_watchdog(mine.watchdog_seconds, mine.dump_after_seconds);  // not shared yet
    sched::Pool::install(pool);
  }
  return *sched::Pool::instance();
}

}  // namespace

sched::Pool& the_pool() {
  sched::Pool* pool = sched::Pool::instance();
  return pool ? *pool : make_pool();
}

sched::Pool& live_pool() {
  sched::Pool& pool = the_pool();
  sched::note_live_region();
  return pool;
}

Root& make_root(sched::Fiber& fiber) {
  start_runtime();
  auto* root = new Root;
  root->guest = fiber.guest;
  fiber.guest->root = root;
  root->team.works.open(1, fiber.worker->pu);
  root->member.team = &root->team;
  root->member.fiber = &fiber;
  root->member.implicit.icvs = initial_icvs();
  root->member.task = &root->member.implicit;
  root->member.work.start(root->team.works);
  root->team.child_icvs = root->member.implicit.icvs;
  root->short_regions = ShortRegions(int64_t{read_runtime_settings().short_region_us} * 1'000);
  fiber.user = &root->member;
  if (os::is_first_thread()) bind_initial_thread(root->member);
  return *root;
}

void end_members_data(Root& root) {
  sched::Pool& pool = *root.guest->worker.pool;
  const bool are_here = root.sticky_pool == &pool || !pool.a_thread_each();  // not so after fork()
  for (int i = 0; i < root.sticky_count; ++i) {
    void* kept = std::exchange(root.sticky_blocks[i], nullptr);
    if (kept && are_here) pool.end_kept(kept);
  }
}

Root& root_of(Member& member) {
  Member* top = &member;
  while (top->outer) top = top->outer;
  return *static_cast<Root*>(top->fiber->guest->root);
}

}  // namespace xylem::omp
