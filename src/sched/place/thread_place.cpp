// Owns: moving the calling thread. See thread_place.hpp.
#include "sched/place/thread_place.hpp"

#include "sched/queue/fiber.hpp"
#include "sched/worker/external_thread.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

void pin_to(Thread& self, int pu) {
  auto& fiber = static_cast<Fiber&>(self);
  fiber.pin_pu = pu;
  // Not there yet where its kernel thread was a worker of another PU.
  if (pu >= 0 && fiber.worker->pu != pu) move_to(pu);
}

namespace {

void keep_place(const Fiber& fiber, FormerPlace& before) {
  before.kept = true;
  before.pin_pu = fiber.pin_pu;
  if (fiber.external && fiber.worker == &fiber.external->worker)
    fiber.worker->pool->keep_home(*fiber.external);
}

}  // namespace

void go_to(Thread& self, int pu, FormerPlace* before) {
  if (before && !before->kept) keep_place(static_cast<Fiber&>(self), *before);
  move_to(pu);
}

void return_to(Thread& self, const FormerPlace& before) {
  if (!before.kept) return;
  static_cast<Fiber&>(self).pin_pu = before.pin_pu;
}

}  // namespace xylem::sched
