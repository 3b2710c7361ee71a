// Owns: records of holders, and what is summed over them. See holder.hpp.
#include "sched/group/holders.hpp"

#include <new>

#include "base/check.hpp"
#include "sched/worker/guest.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

namespace {

constinit base::SpinLock holders_lock{holders_rank};
constinit Holder* live_first XYLEM_GUARDED_BY(holders_lock) = nullptr;
constinit Holder* live_last XYLEM_GUARDED_BY(holders_lock) = nullptr;
constinit Holder* free_first XYLEM_GUARDED_BY(holders_lock) = nullptr;
constinit uint64_t made XYLEM_GUARDED_BY(holders_lock) = 0;

// What a record says when nobody has said anything of its bubble.
void reset(Holder& holder) {
  // relaxed: others learn of the record after this
  holder.load.store(0, std::memory_order_relaxed);
  holder.burst_kind.store(-1, std::memory_order_relaxed);
  holder.priority.store(0, std::memory_order_relaxed);
  holder.threads.store(0, std::memory_order_relaxed);
  holder.running.store(0, std::memory_order_relaxed);
  holder.kept_threads.store(0, std::memory_order_relaxed);
  holder.kept_running.store(0, std::memory_order_relaxed);
  holder.cpu_ns.store(0, std::memory_order_relaxed);
  holder.kept_cpu_ns.store(0, std::memory_order_relaxed);
  holder.trace_id.store(0, std::memory_order_relaxed);
  holder.users = 0;
}

Holder& take_record(HolderKind kind, Holder* parent) XYLEM_REQUIRES(holders_lock) {
  Holder* holder = free_first;
  if (holder)
    free_first = holder->next;
  else
    holder = new Holder;
  reset(*holder);
  holder->kind = kind;
  holder->parent = parent;
  holder->number.store(++made, std::memory_order_relaxed);
  holder->next = nullptr;
  (live_first ? live_last->next : live_first) = holder;
  live_last = holder;
  return *holder;
}

}  // namespace

Holder& make_holder(HolderKind kind, Holder* parent, Holder* keeper) {
  base::Locked locked(holders_lock);
  Holder& holder = take_record(kind, parent);
  holder.set_keeper(keeper);
  return holder;
}

Holder& make_keeper(HolderKind kind, Holder* parent) {
  base::Locked locked(holders_lock);
  Holder& holder = take_record(kind, parent);
  holder.set_keeper(&holder);
  return holder;
}

void free_holder(Holder& holder) {
  XYLEM_ASSERT(holder.level.load() == lies_nowhere, "a bubble ended while it lay on a level");
  XYLEM_ASSERT(holder.queue.count() == 0, "a bubble ended with something to run");
  base::Locked locked(holders_lock);
  Holder* before = nullptr;
  for (Holder* h = live_first; h != &holder; h = h->next) before = h;
  (before ? before->next : live_first) = holder.next;
  if (live_last == &holder) live_last = before;
  holder.number.store(0, std::memory_order_relaxed);
  holder.next = free_first;
  free_first = &holder;
}

void each_holder(void (*visit)(Holder&, void*), void* context) {
  base::Locked locked(holders_lock);
  for (Holder* holder = live_first; holder; holder = holder->next) visit(*holder, context);
}

namespace {

bool lies_inside(const Holder& holder, const Holder& outer) {
  const Holder* h = &holder;
  while (h && h != &outer) h = h->parent;
  return h != nullptr;
}

// Sums what `value(holder)` says of the bubble and of all inside.
template <typename Value>
int64_t sum_inside(const Holder& outer, Value value) {
  base::Locked locked(holders_lock);
  int64_t sum = 0;
  for (const Holder* holder = live_first; holder; holder = holder->next)
    if (lies_inside(*holder, outer)) sum += value(*holder);
  return sum;
}

}  // namespace

// relaxed throughout: sums that change while they are read
int threads_inside(const Holder& holder) {
  return static_cast<int>(sum_inside(
      holder, [](const Holder& h) { return h.threads.load(std::memory_order_relaxed); }));
}
int running_inside(const Holder& holder) {
  return static_cast<int>(sum_inside(
      holder, [](const Holder& h) { return h.running.load(std::memory_order_relaxed); }));
}
int64_t cpu_ns_inside(const Holder& holder) {
  return sum_inside(holder,
                    [](const Holder& h) { return h.cpu_ns.load(std::memory_order_relaxed); });
}
bool has_bubbles_inside(const Holder& holder) {
  return sum_inside(holder, [](const Holder&) { return 1; }) > 1;
}

bool something_waits_aside() {
  base::Locked locked(holders_lock);
  for (const Holder* holder = live_first; holder; holder = holder->next)
    if (holder->level.load() == lies_aside && holder->queue.count() > 0) return true;
  return false;
}

bool is_program_bubble(const void* address) {
  base::Locked locked(holders_lock);
  for (const Holder* holder = live_first; holder; holder = holder->next)
    if (holder == address) return holder->kind == HolderKind::program;
  return false;
}

void lock_holders() XYLEM_NO_THREAD_ANALYSIS { holders_lock.lock(); }

namespace {

// What stood in it or ran is not in the child.
void empty(Holder& holder) XYLEM_NO_THREAD_ANALYSIS {
  holder.level.store(lies_nowhere);
  new (&holder.queue) RunQueue;
  new (&holder.guests_lock) base::SpinLock(guests_rank);
  holder.guests_aside = {};
  holder.users = 0;
  for (std::atomic<int>* sum :
       {&holder.threads, &holder.running, &holder.kept_threads, &holder.kept_running})
    sum->store(0, std::memory_order_relaxed);  // relaxed: nobody else is here
}

void empty_all() XYLEM_NO_THREAD_ANALYSIS {
  for (Holder* holder = live_first; holder; holder = holder->next) empty(*holder);
  const Fiber* self = current_fiber();
  if (self && self->guest) count_threads(self->holder, 1);
}

}  // namespace

// Records of teams that the child does not have stay as they are: few, and nobody knows them.
void unlock_holders(bool in_child) XYLEM_NO_THREAD_ANALYSIS {
  if (in_child) empty_all();
  holders_lock.unlock();
}

void count_threads(Holder* holder, int count) {
  if (!holder || count == 0) return;
  // relaxed: sums
  holder->threads.fetch_add(count, std::memory_order_relaxed);
  if (holder->keeper()) holder->keeper()->kept_threads.fetch_add(count, std::memory_order_relaxed);
}

// --- lying ---------------------------------------------------------------------------------------

namespace {

void take_off(Pool& pool, Holder& keeper, int level) {
  Pool::Lying& list = pool.lying(level);
  base::Locked locked(list.lock);
  Holder* before = nullptr;
  for (Holder* h = list.first; h != &keeper; h = h->next_lying) before = h;
  (before ? before->next_lying : list.first) = keeper.next_lying;
  list.count.fetch_sub(1);
}

void put_on(Pool& pool, Holder& keeper, int level) {
  Pool::Lying& list = pool.lying(level);
  base::Locked locked(list.lock);
  Holder** end = &list.first;
  while (*end) end = &(*end)->next_lying;
  keeper.next_lying = nullptr;
  keeper.queue.level.store(level, std::memory_order_relaxed);  // relaxed: told to the trace only
  *end = &keeper;
  list.count.fetch_add(1);
}

// Writes the level; what was put aside of guests' fibers meanwhile is the caller's.
EntityList change_level(Holder& keeper, int level) {
  base::Locked locked(keeper.guests_lock);
  keeper.level.store(level);
  EntityList guests;
  if (level != lies_aside) {
    guests = keeper.guests_aside;
    keeper.guests_aside = {};
  }
  return guests;
}

}  // namespace

void lay(Pool& pool, Holder& keeper, int level) {
  const int before = keeper.level.load();
  if (before == level) return;
  if (before >= 0) take_off(pool, keeper, before);
  if (level >= 0) put_on(pool, keeper, level);
  EntityList guests = change_level(keeper, level);
  while (auto* guest = static_cast<Fiber*>(guests.front())) {
    guests.remove(*guest);
    make_ready(*guest);
  }
  if (level < 0) return;
  constexpr int most = 1 << 20;
  if (const int waiting = keeper.queue.waiting(most)) pool.wake_below(level, waiting, nullptr);
}

}  // namespace xylem::sched
