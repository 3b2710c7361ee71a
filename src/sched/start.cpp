// Owns: the start of the scheduler. See start.hpp.
#include "sched/start.hpp"

#include <utility>

#include "os/ticks.hpp"
#include "sched/group/decision.hpp"
#include "sched/group/groups.hpp"
#include "sched/group/preemption.hpp"
#include "sched/live/live.hpp"
#include "sched/live/sampler.hpp"
#include "sched/place/contention_group.hpp"
#include "sched/share/sharing.hpp"
#include "sched/worker/address_waits.hpp"
#include "sched/worker/memory_caller.hpp"
#include "sched/worker/misses.hpp"

namespace xylem::sched {

namespace {

constinit base::SpinLock pool_lock{pool_rank};  // making the pool
constinit Upper upper;                          // written once, before the first region
constinit int64_t short_region_ns = 0;

// --- what the pool asks of the rooms after its own -----------------------------------------------

Work find_work(Worker& worker, Order order) {
  return Engine::instance()->search().find(worker, order);
}

Work take_met(Worker& worker, RunQueue& queue, const RunQueue::Standing& met) {
  return Engine::instance()->hooks().take_met(worker, queue, met);
}

Work find_work_asking(Worker& worker, Order order) {
  return Engine::instance()->search().find_asking(worker, order, take_met);
}

bool anything_to_steal(Worker& worker) {
  return Engine::instance()->search().anything_to_steal(worker);
}

// Whether a worker that sleeps leaves nothing that only it would run: not where threads are bound,
// bubbles take turns, or workers do not look everywhere.
bool may_lend(const Pool& pool) {
  const Engine& engine = *Engine::instance();
  return !pool.settings().place_of_pu && !engine.gangs().used() && engine.search().reaches_all();
}

// The gang scheduler and the hooks need the samples of this poll.
bool each_poll(Pool& pool, int64_t now_ns) {
  Engine& engine = *Engine::instance();
  watch_decisions(now_ns);
  const bool for_bubbles =
      sample(pool, engine.gangs().used() ? Clocks::of_all : Clocks::of_those_who_run);
  if (engine.gangs().used()) {
    engine.gangs().poll(pool, now_ns);
    stop_late_threads(pool, now_ns);
  }
  if (engine.hooks().used()) engine.hooks().poll(pool, now_ns);
  const bool watched = poll_live_page(pool, now_ns);
  const bool divided = poll_sharing(pool, now_ns, may_lend(pool));
  return for_bubbles || engine.gangs().used() || engine.hooks().used() || watched || divided;
}

void replace_pool(Pool& retired);

void falls_asleep(Pool& pool, int pu) { Engine::instance()->hooks().record_sleep(pool, pu); }
void runs_again(Pool& pool, int pu) { Engine::instance()->hooks().record_run(pool, pu); }
void poll_recorded(Pool& pool, int64_t now_ns) {
  Engine::instance()->hooks().poll_recorded(pool, now_ns);
}

void connect_hooks(PoolSettings& settings, const policy::Policy& policy) {
  settings.find = policy.met ? find_work_asking : find_work;
  if (policy.idle) settings.falls_asleep = falls_asleep;
  if (policy.wake) settings.runs_again = runs_again;
  if (policy.idle || policy.wake) settings.between_polls = poll_recorded;
}

PoolSettings connected(PoolSettings settings) {
  connect_hooks(settings, Engine::instance()->policy());
  settings.anything_to_steal = anything_to_steal;
  settings.something_suspended_waits = something_suspended_waits;
  settings.each_poll = each_poll;
  settings.between_regions = poll_sharing_between;
  settings.at_rest = rest_sharing;
  settings.at_end = end_watcher;
  settings.replace = replace_pool;
  return settings;
}

// --- contention groups ---------------------------------------------------------------------------

void group_ends(ContentionGroup& group) {
  upper.ended(group.user);
  end_group(group);
}

Pool& install_new_pool() XYLEM_REQUIRES(pool_lock) {
  const Settings settings = upper.settings();
  Engine& engine = *Engine::instance();
  auto* pool = new Pool(engine.machine(), connected(settings.pool));
  open_live_page(*pool, engine, settings.machine_text);
  if (settings.shares && !engine.machine().synthetic())
    begin_sharing(*pool, settings.runtime_folder, settings.shares_with_strangers);
  // Nobody else knows the pool yet.
  pool->monitor().arm_watchdog(settings.watchdog_seconds, settings.dump_after_seconds);
  Pool::install(pool);
  return *pool;
}

Pool& make_pool() {
  base::Locked locked(pool_lock);
  if (Pool* made = Pool::instance()) return *made;
  return install_new_pool();
}

// A poll of the retired pool's monitor would place units, which all pools share, on that pool.
void replace_pool(Pool& retired) {
  retired.stop();
  retired.monitor().wait_until_ended();
  base::Locked locked(pool_lock);
  install_new_pool();
}

}  // namespace

void start(const topo::Machine& machine, const policy::Policy& policy, const Settings& settings,
           const Upper& by_upper) {
  upper = by_upper;
  short_region_ns = settings.short_region_ns;
  answer_memory_callers();
  if (settings.misses) count_misses(*settings.misses);
  Engine::install(new Engine(machine, policy, settings.tuning, settings.times));
  on_external_end(group_ends);
  name_threads_by(by_upper.name);
}

void tell_of_users(Pool& pool, uint64_t now) {
  if (!pool.poll_users().begin(now)) return;
  const uint64_t began = os::read_ticks_early();
  const bool open = upper.tell_of_users();
  pool.poll_users().end(began, os::read_ticks_early(), open);
}

ContentionGroup& make_contention_group(Thread& thread, void* user) {
  ExternalThread& external = *static_cast<Fiber&>(thread).external;
  external.group = new ContentionGroup(external, short_region_ns);
  external.group->user = user;
  return *external.group;
}

Pool& the_pool() {
  Pool* pool = Pool::instance();
  return pool ? *pool : make_pool();
}

bool pool_is_made() { return Pool::instance() != nullptr; }

// Under the lock: a pool that is being made has asked for the settings of before, or of after.
void set_spin_ns(int64_t ns, int64_t crowded_ns) {
  base::Locked locked(pool_lock);
  if (Pool* pool = Pool::instance()) pool->set_spin_ns(ns, crowded_ns);
}

namespace {

// As the only one who might have a region open there.
bool retire_unused(Pool& pool) {
  int none = 0;
  if (!pool.open_regions.compare_exchange_strong(none, 1)) return false;
  if (pool.retire()) return true;
  pool.open_regions.fetch_sub(1);
  return false;
}

}  // namespace

// The pool is replaced, as one that has stopped is of no use to who opens a region afterwards. It
// stops though the caller may have had no region there: workers that wait on threads of members,
// and keep these so, let go of them.
bool end_kernel_threads() {
  Pool* pool = Pool::instance();
  Fiber* fiber = current_fiber();
  ExternalThread* self = fiber ? fiber->external : nullptr;
  Pool* own = self ? self->worker.pool : nullptr;
  if (!pool || !pool->a_thread_each() || (own && own != pool) || !retire_unused(*pool))
    return false;
  if (own) {
    if (self->group) end_members_data(*self->group);
    if (self->worker.spare.stack) pool->release(std::exchange(self->worker.spare, Context{}));
  }
  replace_pool(*pool);
  return true;
}

void lock_pool_making() XYLEM_NO_THREAD_ANALYSIS { pool_lock.lock(); }
void unlock_pool_making(bool /*in_child*/) XYLEM_NO_THREAD_ANALYSIS { pool_lock.unlock(); }

}  // namespace xylem::sched
