// Owns: the ways home of workers. See home.hpp.
#include "sched/worker/home.hpp"

#include <algorithm>

#include "os/clock.hpp"
#include "os/running.hpp"
#include "sched/worker/parting.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

namespace {

// For how long a worker that went home is left elsewhere then: twice as long each time, and half as
// long once it has been calm for some times that.
constexpr int64_t least_patience_ns = 4'000'000, most_patience_ns = 1'024'000'000;
constexpr int64_t calm_times = 2;

// -1: not known. relaxed: its own
int cpu_of(const Worker& worker) {
  return os::processor_at(worker.processor.load(std::memory_order_relaxed));
}

// Whether the worker whose processor it is on may need that.
bool is_in_the_way(const Worker& worker) {
  Pool& pool = *worker.pool;
  const int pu = pool.machine().pu_of_os_index(cpu_of(worker));
  return pu >= 0 && pool.slot(pu).state.load() == SlotState::awake;
}

void calm_down(Worker& worker, int64_t now) {
  int64_t& patience = worker.home_patience_ns;
  if (now - worker.home_since < calm_times * patience) return;
  worker.home_since = now;
  patience = patience > least_patience_ns ? patience / 2 : 0;
}

}  // namespace

int own_cpu(const Worker& worker) { return worker.pool->machine().pu_os_index(worker.pu); }

bool is_elsewhere(const Worker& worker) {
  const int cpu = cpu_of(worker);
  return cpu >= 0 && cpu != own_cpu(worker);
}

bool goes_home(Worker& worker, int64_t now) {
  int64_t& patience = worker.home_patience_ns;
  const int64_t since = now - worker.home_since;
  if (since < patience && (since < least_patience_ns || !is_in_the_way(worker))) return false;
  worker.home_since = now;
  patience = std::clamp(2 * patience, least_patience_ns, most_patience_ns);
  return true;
}

void stay_home(Worker& worker) {
  worker.record_held();
  const bool elsewhere = is_elsewhere(worker);
  if (!elsewhere && worker.home_patience_ns == 0) return;
  if (worker.pool->machine().synthetic() || !moves_threads(*worker.pool)) return;
  const int64_t now = os::now_ns();
  if (!elsewhere) return calm_down(worker, now);
  if (goes_home(worker, now)) bring_to(worker, own_cpu(worker));
}

// relaxed: numbers; the worker may be seen late
bool runs_held(const Worker& worker) {
  return worker.held_turn.load(std::memory_order_relaxed) ==
         worker.turns.load(std::memory_order_relaxed);
}

void bring_home(Worker& worker, int64_t now) {
  const int thread = worker.kernel_thread.load(std::memory_order_relaxed);  // see come_to()
  if (thread == 0 || now - worker.brought_at < least_patience_ns) return;
  worker.brought_at = now;
  bring_to(worker, own_cpu(worker), thread);
}

}  // namespace xylem::sched
