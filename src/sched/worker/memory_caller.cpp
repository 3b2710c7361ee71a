// Owns: what mem/ is told of the thread that calls it. See memory_caller.hpp.
#include "sched/worker/memory_caller.hpp"

#include "mem/map/caller.hpp"
#include "sched/queue/fiber.hpp"
#include "sched/worker/worker.hpp"

namespace xylem::sched {

namespace {

int pu_of_caller() {
  const Fiber* self = current_fiber();
  return self && self->worker ? self->worker->pu : 0;
}

bool runs_in_own_block(const Fiber& fiber) {
  const Worker& worker = *fiber.worker;
  return fiber.block && worker.block_in_force == fiber.block && fiber.block != worker.native.block;
}

// The loop's block becomes the current one, and knows the fiber: the library may call back.
void* enter_loop_block() {
  Fiber* fiber = current_fiber();
  if (!fiber || !fiber->worker || !runs_in_own_block(*fiber)) return nullptr;
  to_loop_block(*fiber->worker);
  set_current_fiber(fiber);
  return fiber;
}

// Between its members a loop's block has no current fiber.
void return_to_fiber_block(void* raw) {
  if (!raw) return;
  auto& fiber = *static_cast<Fiber*>(raw);
  set_current_fiber(nullptr);
  back_to_fiber_block(*fiber.worker, fiber);
}

}  // namespace

void answer_memory_callers() {
  mem::set_caller({pu_of_caller, enter_loop_block, return_to_fiber_block});
}

}  // namespace xylem::sched
