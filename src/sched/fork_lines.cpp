// Owns: what fork() does to the engine and the pool. See fork_lines.hpp.
#include "sched/fork_lines.hpp"

#include "os/event_counter.hpp"
#include "os/tls.hpp"
#include "sched/place/open_group.hpp"
#include "sched/place/streams.hpp"
#include "sched/worker/external_thread.hpp"
#include "sched/worker/wait_address.hpp"

namespace xylem::sched {

void lock_gangs() XYLEM_NO_THREAD_ANALYSIS {
  if (Engine* engine = Engine::instance()) engine->gangs().before_fork();
}
void unlock_gangs(bool in_child) XYLEM_NO_THREAD_ANALYSIS {
  if (Engine* engine = Engine::instance()) engine->gangs().after_fork(in_child);
}
void lock_engine() XYLEM_NO_THREAD_ANALYSIS {
  if (Engine* engine = Engine::instance()) engine->before_fork();
}
void unlock_engine(bool /*in_child*/) XYLEM_NO_THREAD_ANALYSIS {
  if (Engine* engine = Engine::instance()) engine->after_fork();
}

void own_block_in_child() {
  const base::HeldLocks held = base::hand_over_locks();
  os::own_block_in_force();
  // It may be an external thread's: what that one's kernel thread held is nobody's here.
  base::hand_over_locks();
  base::take_locks_over(held);
}

void forget_others_in_child() {
  if (const Pool* pool = Pool::instance()) pool->unbind_child();
  forget_workers_in_child();
  OpenGroup::forget_in_child();
  os::close_event_counters_in_child();
  forget_streams_in_child();
  reset_waits_in_child();
}

}  // namespace xylem::sched
