// Owns: loops on the kernel threads of fibers that wait. See hosting.hpp.
#include "sched/worker/hosting.hpp"

#include "sched/worker/kept_threads.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

namespace {

// AfterSwitch of a fiber that leaves the loop.
void unhost_fiber(Worker& worker, void* raw) {
  auto& fiber = *static_cast<Fiber*>(raw);
  const ExternalThread* initial = fiber.initial;
  fiber.host.store(nullptr);  // from here on it may run elsewhere, and end
  if (worker.queue().count() == 0) return;
  worker.queue().offer();
  worker.pool->wake_for(worker.pu, Concerns::anyone, initial);
}

}  // namespace

bool may_host(const Worker& worker, const Fiber& fiber) {
  return worker.pool->a_thread_each() && !worker.extra && !fiber.group &&
         !worker.pool->is_to_be_lent(worker.pu) &&
         (fiber.pin_pu < 0 || fiber.pin_pu == worker.pu) &&
         (!fiber.external || fiber.external == worker.external);
}

Worker* host_loop(Worker* worker, Fiber& fiber, AfterSwitch after, void* argument) {
  fiber.host.store(worker);
  worker->current = nullptr;
  after(*worker, argument);
  const Work work = worker->pool->next_work_hosted(*worker);
  worker->record_turn();
  if (work.fiber != &fiber)
    worker = switch_context(worker, fiber.context, context_of(*worker, work), unhost_fiber, &fiber);
  fiber.host.store(nullptr);
  return worker;
}

}  // namespace xylem::sched
