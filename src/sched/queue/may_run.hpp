// Owns: which worker may run what waits in a queue. By the holder of the queue's lock.
#pragma once

#include "sched/context/gate.hpp"
#include "sched/queue/fiber.hpp"
#include "sched/queue/run_queue.hpp"

namespace xylem::sched {

// Fibers whose kernel thread or external thread is another's stay for that one.
inline bool may_take(const Taker& worker, const Fiber& fiber) {
  const Taker* host = fiber.host.load();
  if (host && host != &worker) return false;
  if (fiber.external_only) return fiber.external && fiber.external == worker.external;
  return worker.may_run(fiber.initial);
}

// Whose kernel thread is another worker's just now is left to that one, which looks here too.
inline bool may_start(const Taker& worker, const SeedRange& seeds) {
  const Bubble& bubble = *seeds.bubble;
  if (!worker.may_run(bubble.initial)) return false;
  if (!bubble.on_kept_threads) return true;
  const Stack* kept = kept_thread(bubble, seeds.lo);
  const Taker* host = kept ? kept->gate->host.load() : nullptr;
  return !host || host == &worker;
}

}  // namespace xylem::sched
