// Owns: looking at what workers run. See running.hpp.
#include "sched/running.hpp"

#include "sched/worker/pool.hpp"

namespace xylem::sched {

void each_running(void (*visit)(const Running& running, void* context), void* context) {
  Pool* pool = Pool::instance();
  const Fiber* self = current_fiber();
  const int pus = pool ? pool->pu_count() : 0;
  for (int pu = 0; pu < pus; ++pu)
    pool->each_worker(pu, [&](const Worker& worker) {
      // acquire: pairs with the release in record_fiber()
      const Running running{pu, worker.time.load(std::memory_order_acquire),
                            worker.group.load(std::memory_order_acquire),
                            self && self->worker == &worker};
      visit(running, context);
    });
}

int waiting_on(int level, int most) {
  Pool* pool = Pool::instance();
  return pool ? pool->level_queue(level).waiting(most) : 0;
}

}  // namespace xylem::sched
