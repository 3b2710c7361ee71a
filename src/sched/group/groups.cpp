// Owns: records of groups, and what is summed over them. See group.hpp.
#include "sched/group/groups.hpp"

#include <new>

#include "base/check.hpp"
#include "sched/group/preemption.hpp"
#include "sched/worker/external_thread.hpp"
#include "sched/worker/misses.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

namespace {

constinit base::SpinLock groups_lock{groups_rank};
constinit Group* live_first XYLEM_GUARDED_BY(groups_lock) = nullptr;
constinit Group* live_last XYLEM_GUARDED_BY(groups_lock) = nullptr;
constinit Group* free_first XYLEM_GUARDED_BY(groups_lock) = nullptr;
constinit uint64_t made XYLEM_GUARDED_BY(groups_lock) = 0;

// What a record says when nobody has said anything of its bubble.
void reset(Group& group) {
  // relaxed: others learn of the record after this
  group.load.store(0, std::memory_order_relaxed);
  group.burst_kind.store(std::nullopt, std::memory_order_relaxed);
  group.gang_kind.store(std::nullopt, std::memory_order_relaxed);
  group.priority.store(0, std::memory_order_relaxed);
  group.slice_ns.store(0, std::memory_order_relaxed);
  group.threads.store(0, std::memory_order_relaxed);
  group.running.store(0, std::memory_order_relaxed);
  group.unit_threads.store(0, std::memory_order_relaxed);
  group.unit_running.store(0, std::memory_order_relaxed);
  group.cpu_ns.store(0, std::memory_order_relaxed);
  group.unit_cpu_ns.store(0, std::memory_order_relaxed);
  group.misses.store(0, std::memory_order_relaxed);
  group.trace_id.store(0, std::memory_order_relaxed);
  group.keeps_to_level.store(false, std::memory_order_relaxed);
  group.users = 0;
}

Group& take_record(GroupKind kind, Group* parent) XYLEM_REQUIRES(groups_lock) {
  Group* group = free_first;
  if (group)
    free_first = group->next;
  else
    group = new Group;
  reset(*group);
  group->kind = kind;
  group->parent = parent;
  group->number.store(++made, std::memory_order_relaxed);
  group->next = nullptr;
  (live_first ? live_last->next : live_first) = group;
  live_last = group;
  return *group;
}

}  // namespace

Group& make_group(GroupKind kind, Group* parent, Group* unit) {
  base::Locked locked(groups_lock);
  Group& group = take_record(kind, parent);
  group.set_unit(unit);
  return group;
}

Group& make_scheduled_group(GroupKind kind, Group* parent) {
  base::Locked locked(groups_lock);
  Group& group = take_record(kind, parent);
  group.set_unit(&group);
  return group;
}

void free_group(Group& group) {
  XYLEM_ASSERT(group.level.load() == detached, "a bubble ended while it was attached to a level");
  XYLEM_ASSERT(group.queue.count() == 0, "a bubble ended with something to run");
  base::Locked locked(groups_lock);
  Group* before = nullptr;
  for (Group* h = live_first; h != &group; h = h->next) before = h;
  (before ? before->next : live_first) = group.next;
  if (live_last == &group) live_last = before;
  group.number.store(0, std::memory_order_relaxed);
  group.next = free_first;
  free_first = &group;
}

void each_group(void (*visit)(Group&, void*), void* context) {
  base::Locked locked(groups_lock);
  for (Group* group = live_first; group; group = group->next) visit(*group, context);
}

namespace {

bool is_inside_of(const Group& group, const Group& outer) {
  const Group* h = &group;
  while (h && h != &outer) h = h->parent;
  return h != nullptr;
}

// Sums what `value(group)` says of the bubble and of all inside.
template <typename Value>
int64_t sum_inside(const Group& outer, Value value) {
  base::Locked locked(groups_lock);
  int64_t sum = 0;
  for (const Group* group = live_first; group; group = group->next)
    if (is_inside_of(*group, outer)) sum += value(*group);
  return sum;
}

}  // namespace

// relaxed throughout: sums that change while they are read
int threads_inside(const Group& group) {
  return static_cast<int>(
      sum_inside(group, [](const Group& h) { return h.threads.load(std::memory_order_relaxed); }));
}
int running_inside(const Group& group) {
  return static_cast<int>(
      sum_inside(group, [](const Group& h) { return h.running.load(std::memory_order_relaxed); }));
}
int64_t cpu_ns_inside(const Group& group) {
  return sum_inside(group, [](const Group& h) { return h.cpu_ns.load(std::memory_order_relaxed); });
}
int64_t misses_inside(const Group& group) {
  if (!counts_misses()) return -1;
  return sum_inside(group, [](const Group& h) { return h.misses.load(std::memory_order_relaxed); });
}
bool has_bubbles_inside(const Group& group) {
  return sum_inside(group, [](const Group&) { return 1; }) > 1;
}

bool something_suspended_waits() {
  base::Locked locked(groups_lock);
  for (const Group* group = live_first; group; group = group->next)
    if (group->level.load() == suspended && group->queue.count() > 0) return true;
  return false;
}

bool is_program_bubble(const void* address) {
  base::Locked locked(groups_lock);
  for (const Group* group = live_first; group; group = group->next)
    if (group == address) return group->kind == GroupKind::program;
  return false;
}

void lock_groups() XYLEM_NO_THREAD_ANALYSIS { groups_lock.lock(); }

namespace {

// What stood in it or ran is not in the child.
void empty(Group& group) XYLEM_NO_THREAD_ANALYSIS {
  group.level.store(detached);
  new (&group.queue) RunQueue;
  new (&group.suspended_lock) base::SpinLock(suspended_rank);
  group.suspended_threads = {};
  group.users = 0;
  group.stopped.store(0, std::memory_order_relaxed);  // relaxed: nobody else is here
  for (std::atomic<int>* sum :
       {&group.threads, &group.running, &group.unit_threads, &group.unit_running})
    sum->store(0, std::memory_order_relaxed);  // relaxed: nobody else is here
}

void empty_all() XYLEM_NO_THREAD_ANALYSIS {
  for (Group* group = live_first; group; group = group->next) empty(*group);
  const Fiber* self = current_fiber();
  if (self && self->external) count_threads(self->group, 1);
}

}  // namespace

// Records of teams that the child does not have stay as they are: few, and nobody knows them.
void unlock_groups(bool in_child) XYLEM_NO_THREAD_ANALYSIS {
  if (in_child) empty_all();
  groups_lock.unlock();
}

void count_threads(Group* group, int count) {
  if (!group || count == 0) return;
  // relaxed: sums
  group->threads.fetch_add(count, std::memory_order_relaxed);
  if (group->unit()) group->unit()->unit_threads.fetch_add(count, std::memory_order_relaxed);
}

// --- attached
// ---------------------------------------------------------------------------------------

namespace {

void take_off(Pool& pool, Group& unit, int level) {
  Pool::Attached& list = pool.attached(level);
  base::Locked locked(list.lock);
  Group* before = nullptr;
  for (Group* h = list.first; h != &unit; h = h->next_attached) before = h;
  (before ? before->next_attached : list.first) = unit.next_attached;
  list.count.fetch_sub(1);
}

void put_on(Pool& pool, Group& unit, int level) {
  Pool::Attached& list = pool.attached(level);
  base::Locked locked(list.lock);
  Group** end = &list.first;
  while (*end) end = &(*end)->next_attached;
  unit.next_attached = nullptr;
  unit.queue.level.store(level, std::memory_order_relaxed);  // relaxed: told to the trace only
  *end = &unit;
  list.count.fetch_add(1);
}

// Writes the level; what was suspended of external threads' fibers meanwhile is the caller's.
EntityList change_level(Group& unit, int level) {
  base::Locked locked(unit.suspended_lock);
  unit.level.store(level);
  EntityList externals;
  if (level != suspended) {
    externals = unit.suspended_threads;
    unit.suspended_threads = {};
  }
  return externals;
}

}  // namespace

void attach(Pool& pool, Group& unit, int level) {
  const int before = unit.level.load();
  if (before == level) return;
  if (before >= 0) take_off(pool, unit, before);
  if (level >= 0) put_on(pool, unit, level);
  EntityList externals = change_level(unit, level);
  while (auto* external = static_cast<Fiber*>(externals.front())) {
    externals.remove(*external);
    make_ready(*external);
  }
  if (level != suspended) let_stopped_go_on(unit);
  if (level < 0) return;
  constexpr int most = 1 << 20;
  const int waiting = unit.queue.waiting(most);
  if (waiting == 0) return;
  pool.stealable().set(level);
  pool.wake_below(level, waiting, nullptr);
}

}  // namespace xylem::sched
