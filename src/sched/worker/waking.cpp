// Owns: making suspended fibers ready, one or many. See fiber.hpp.
#include "sched/queue/fiber.hpp"
#include "sched/queue/group.hpp"
#include "sched/worker/external_thread.hpp"
#include "sched/worker/gathering.hpp"
#include "sched/worker/pool.hpp"
#include "sched/worker/solo.hpp"
#include "sched/worker/tracing.hpp"
#include "sched/worker/unit_queues.hpp"
#include "sched/worker/worker.hpp"

namespace xylem::sched {

namespace {

enum class ExternalFiber : uint8_t { stays_home, may_run_away };

void make_ready_as(Fiber& fiber, ExternalFiber external) {
  if (fiber.group && push_if_in_unit(fiber)) return;
  Worker& worker = *fiber.worker;
  if (wake_alone(fiber)) return;
  worker.record_who_may_run(fiber);
  if (external == ExternalFiber::may_run_away) fiber.external_only = false;
  const int pu = fiber.pin_pu >= 0 ? fiber.pin_pu : worker.pool->served_pu(fiber.pu, fiber.initial);
  const ExternalThread* initial = fiber.initial;
  Pool& pool = *worker.pool;
  trace::emit<traced::woken>(fiber, pool.pu_queue(pu));
  const Concerns whom = pool.pu_queue(pu).push_ready(fiber);  // from here on it may run, and end
  pool.wake_for(pu, whom, initial);
}

}  // namespace

void make_ready(Thread& thread) {
  make_ready_as(static_cast<Fiber&>(thread), ExternalFiber::stays_home);
}

void make_ready_away(Thread& thread) {
  make_ready_as(static_cast<Fiber&>(thread), ExternalFiber::may_run_away);
}

namespace {

// Fibers on their way to one PU's queue, so that its lock is taken and its count is written once
// for some of them. Until then they stand in no queue: nobody waits meanwhile, who makes them ready
// only collects.
class Batch {
 public:
  bool takes(int pu, const ExternalThread* initial) const {
    return size_ == 0 || (pu_ == pu && root_ == initial && size_ < most);
  }
  void add(Fiber& fiber, int pu) {
    pu_ = pu;
    root_ = fiber.initial;
    ++size_;
    fiber.external_only = fiber.pinned = false;
    trace::emit<traced::woken>(fiber, fiber.worker->pool->pu_queue(pu));
    fibers_.push_back(fiber);
  }
  // As many wake-ups as fibers, as for each alone.
  void push(Pool& pool) {
    if (size_ == 0) return;
    // From here on they may run, and end.
    Concerns whom = pool.pu_queue(pu_).push_ready(fibers_, size_, root_);
    for (; size_ > 0; --size_) {
      pool.wake_for(pu_, whom, root_);
      if (whom == Concerns::owner_asleep) whom = Concerns::anyone;
    }
  }

 private:
  static constexpr int most = 16;
  EntityList fibers_;
  int pu_ = 0;
  const ExternalThread* root_ = nullptr;  // of all of them
  int size_ = 0;
};

}  // namespace

bool goes_anywhere(const Fiber& fiber) {
  return !fiber.external && fiber.pin_pu < 0 && !fiber.held &&
         !fiber.host.load(std::memory_order_relaxed) && !fiber.worker->solo &&
         !(fiber.group && fiber.group->unit());
}

void make_all_ready(EntityList& fibers) {
  if (Entity* only = fibers.front(); only && !only->next) {
    fibers.remove(*only);
    return make_ready(*static_cast<Fiber*>(only));
  }
  constexpr int most_batches = 4;
  Batch batches[most_batches];
  Pool* pool = nullptr;
  while (auto* first = static_cast<Fiber*>(fibers.front())) {
    fibers.remove(*first);
    if (!goes_anywhere(*first)) {
      make_ready(*first);
      continue;
    }
    pool = first->worker->pool;
    const int pu = pool->served_pu(first->pu, first->initial);
    Batch& batch = batches[pu % most_batches];
    if (!batch.takes(pu, first->initial)) batch.push(*pool);
    batch.add(*first, pu);
  }
  if (!pool) return;
  for (Batch& batch : batches) batch.push(*pool);
}

namespace {

// The worker if it holds its PU's slot: it comes by its queue when its fiber's run ends. Else null.
Worker* if_it_holds_slot(Worker& worker) {
  if (!worker.pool) return nullptr;
  // relaxed: only compared
  const Worker* holder = worker.pool->slot(worker.pu).worker.load(std::memory_order_relaxed);
  return holder == &worker ? &worker : nullptr;
}

// The worker that is the home of one of them, an external thread's fiber, and runs nothing now;
// else null.
Worker* idle_home_of_one(const EntityList& fibers) {
  for (const Entity* e = fibers.front(); e; e = e->next) {
    const auto& fiber = static_cast<const Fiber&>(*e);
    Worker& home = *fiber.worker;
    if (!fiber.external || !home.is_home_of(fiber)) continue;
    const bool idle = home.pool && home.pool->slot(home.pu).state.load() != SlotState::awake;
    return idle ? if_it_holds_slot(home) : nullptr;
  }
  return nullptr;
}

bool may_gather_at(const Worker& worker, const Fiber& fiber) {
  return goes_anywhere(fiber) && worker.may_run(fiber.initial) &&
         worker.pool->served_pu(worker.pu, fiber.initial) == worker.pu;
}

}  // namespace

Worker* gathering_place() {
  const Fiber* caller = current_fiber();
  if (!caller || caller->worker->current != caller || !is_in_brief_run(*caller)) return nullptr;
  return if_it_holds_slot(*caller->worker);
}

void gather(EntityList& fibers, Worker& place) {
  Worker* home = idle_home_of_one(fibers);
  Worker& worker = home ? *home : place;
  EntityList gathered;
  int count = 0;
  const ExternalThread* initial = nullptr;
  while (auto* first = static_cast<Fiber*>(fibers.front())) {
    fibers.remove(*first);
    if (!may_gather_at(worker, *first)) {
      make_ready(*first);
      continue;
    }
    initial = first->initial;
    first->pinned = first->gathered = true;
    trace::emit<traced::woken>(*first, worker.queue());
    gathered.push_back(*first);
    ++count;
  }
  if (count == 0) return;
  Pool& pool = *worker.pool;
  const int pu = worker.pu;
  pool.wake_for(pu, pool.pu_queue(pu).push_ready(gathered, count, initial), initial);
  pool.monitor().record_gathering(pu);
}

}  // namespace xylem::sched
