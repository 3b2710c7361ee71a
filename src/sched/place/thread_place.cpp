// Owns: moving the calling thread. See thread_place.hpp.
#include "sched/place/thread_place.hpp"

#include "sched/place/engine.hpp"
#include "sched/queue/fiber.hpp"
#include "sched/worker/external_thread.hpp"

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
  const topo::Machine& machine = Engine::instance()->machine();
  if (!fiber.external || fiber.worker != &fiber.external->worker || machine.synthetic()) return;
  before.affinity = os::affinity();
  os::bind_to_cpu(machine.pu_os_index(fiber.worker->pu));
}

}  // namespace

void go_to(Thread& self, int pu, FormerPlace* before) {
  if (before && !before->kept) keep_place(static_cast<Fiber&>(self), *before);
  move_to(pu);
}

void return_to(Thread& self, const FormerPlace& before) {
  if (!before.kept) return;
  static_cast<Fiber&>(self).pin_pu = before.pin_pu;
  os::restore_affinity(before.affinity);
}

}  // namespace xylem::sched
