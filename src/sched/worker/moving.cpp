// Owns: fibers that go to a processor of their own will. See fiber.hpp.
#include "sched/context/gate.hpp"
#include "sched/queue/fiber.hpp"
#include "sched/worker/external_thread.hpp"
#include "sched/worker/pool.hpp"
#include "sched/worker/tracing.hpp"
#include "sched/worker/worker.hpp"

namespace xylem::sched {

namespace {

// AfterSwitch of the fiber that leaves.
void queue_there(Worker& worker, void* raw) {
  auto& fiber = *static_cast<Fiber*>(raw);
  Pool& pool = *worker.pool;
  const int pu = fiber.pin_pu;
  const ExternalThread* initial = fiber.initial;
  fiber.external_only = false;
  fiber.pinned = true;
  trace::emit<traced::woken>(fiber, pool.pu_queue(pu));
  const Concerns whom = pool.pu_queue(pu).push_ready(fiber);  // from here on it may run, and end
  pool.wake_for(pu, whom, initial);
}

// A solo worker takes its kernel thread along.
void serve_there(Fiber& fiber, Worker& worker) {
  worker.pool->serve_alone(worker, fiber.pin_pu);
  fiber.pu = fiber.pin_pu;
  worker.pool->bind_to_pu(worker.pu, fiber.context.stack->gate->bound);
}

}  // namespace

bool move_to(int pu) {
  Fiber& fiber = *current_fiber();
  Worker& worker = *fiber.worker;
  if (worker.solo && worker.external) return false;
  fiber.pin_pu = pu;
  if (worker.pu == pu) return true;
  if (worker.solo)
    serve_there(fiber, worker);
  else
    suspend_elsewhere(queue_there, &fiber, trace::Reason::turn);
  return true;
}

}  // namespace xylem::sched
