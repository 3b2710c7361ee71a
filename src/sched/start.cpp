// Owns: the answers that the pool gets from the rooms after its own. See start.hpp.
#include "sched/start.hpp"

#include "sched/group/decision.hpp"
#include "sched/group/holders.hpp"
#include "sched/live/live.hpp"
#include "sched/live/sampler.hpp"
#include "sched/place/engine.hpp"

namespace xylem::sched {

namespace {

Work find_work(Worker& worker, Order order) {
  return Engine::instance()->search().find(worker, order);
}

bool anything_to_steal(Worker& worker) {
  return Engine::instance()->search().anything_to_steal(worker);
}

// Turns need the samples of this look.
void each_look(Pool& pool, int64_t now_ns) {
  Turns& turns = Engine::instance()->turns();
  watch_decisions(now_ns);
  sample(pool, turns.used() ? Clocks::of_all : Clocks::of_those_who_run);
  if (turns.used()) turns.look(pool, now_ns);
  look_at_live_page(pool, now_ns);
}

}  // namespace

void connect(PoolSettings& settings) {
  settings.find = find_work;
  settings.anything_to_steal = anything_to_steal;
  settings.something_waits_aside = something_waits_aside;
  settings.each_look = each_look;
}

}  // namespace xylem::sched
