// Owns: which worker may run what waits in a queue. By the holder of the queue's lock.
#pragma once

#include "sched/queue/fiber.hpp"
#include "sched/queue/run_queue.hpp"

namespace xylem::sched {

// Only workers of the queue's own level, or one kernel thread, may take it, until it is let go.
inline bool is_confined(const Entity& e) { return e.pinned || e.external_only; }

// Fibers whose kernel thread or external thread is another's stay for that one.
inline bool may_take(const Taker& worker, const Fiber& fiber) {
  const Taker* host = fiber.host.load();
  if (host && host != &worker) return false;
  if (fiber.external_only) return fiber.external && fiber.external == worker.external;
  return worker.may_run(fiber.initial);
}

inline bool may_start(const Taker& worker, const SeedRange& seeds) {
  return worker.may_run(seeds.bubble->initial);
}

}  // namespace xylem::sched
