// Owns: who is stopped, and sleeps so. See preemption.hpp.
#include "sched/group/preemption.hpp"

#include "base/report.hpp"
#include "base/sanitizer.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/interruption.hpp"
#include "sched/worker/tracing.hpp"

namespace xylem::sched {

namespace {

// Who comes by scheduling points has this time to come by one.
constexpr int64_t patience_ns = 200'000;
// A monitor that has not polled for so long may wait for what a stopped thread holds.
constexpr int64_t longest_without_poll_ns = 50'000'000;
// Who was asked to stop, and was in libc then, or had no processor, is asked again after this time.
constexpr int64_t asked_again_after_ns = 20'000'000;

// --- who is stopped: in a signal's handler -------------------------------------------------------

// Sleeps until the unit has its turn, or the monitor is stuck.
void sleep_until_turn(Group& unit) {
  unit.stopped.fetch_add(1);
  for (;;) {
    // Sequentially consistent: what let_stopped_go_on() counts comes after the level.
    const uint32_t turns = unit.turns.load();
    const uint32_t polls = monitor_ticks.load(std::memory_order_relaxed);
    if (unit.level.load() != suspended) break;
    os::futex_wait(&unit.turns, turns, longest_without_poll_ns);
    if (unit.turns.load() == turns && polls == monitor_ticks.load(std::memory_order_relaxed)) break;
  }
  unit.stopped.fetch_sub(1);
}

// A fiber that is pinned takes no turns.
void stop() {
  Fiber* fiber = current_fiber();
  Group* unit = fiber && fiber->group ? fiber->group->unit() : nullptr;
  if (!unit || fiber->pin_pu >= 0) return;
  Worker& worker = *fiber->worker;
  worker.stopped.store(true, std::memory_order_relaxed);  // relaxed: see there
  trace::emit<traced::slept>(worker, *fiber, trace::Reason::turn);
  sleep_until_turn(*unit);
  trace::emit<traced::woken>(*fiber, unit->queue);
  trace::emit<traced::resumed>(worker, *fiber);
  worker.stopped.store(false, std::memory_order_relaxed);
}

// --- the monitor ---------------------------------------------------------------------------------

// By the monitor alone, of one pool after another. ThreadSanitizer calls handlers too late.
enum class Handler { not_tried, installed, refused };
constinit Handler handler = base::sanitizer_delays_signals ? Handler::refused : Handler::not_tried;

// By who holds no lock: the loader's is taken.
void install_handler() {
  handler = os::handle_interruptions(stop) ? Handler::installed : Handler::refused;
  if (handler == Handler::refused)
    base::warn_once(
        "the program handles or ignores SIGURG, by which threads are stopped: gangs keep "
        "processors beyond their turns where their threads come by no scheduling point");
}

// Whether the worker's fiber should have left it by now. One that went on in the same turn of its
// worker since it was stopped the last time has had its time.
bool is_late(Worker& worker, int64_t now_ns) {
  const Group* group = worker.group.load(std::memory_order_acquire);  // see Worker::group
  if (!group || !group->is_suspended()) return false;
  const uint64_t turns = worker.turns.load(std::memory_order_relaxed);  // relaxed: see there
  if (turns != worker.turns_when_late) {
    worker.turns_when_late = turns;
    worker.late_since = now_ns;
  }
  return now_ns - worker.late_since >= patience_ns;
}

void stop_if_it_computes(Worker& worker, int64_t now_ns) {
  const int tid = worker.tid.load(std::memory_order_relaxed);  // relaxed: see both
  const bool stopped = worker.stopped.load(std::memory_order_relaxed);
  if (stopped) worker.asked_to_stop_at = 0;
  if (tid == 0 || stopped) return;
  if (now_ns - worker.asked_to_stop_at < asked_again_after_ns) return;
  if (os::activity_of(tid) != os::Activity::wants_processor) return;
  worker.asked_to_stop_at = now_ns;
  os::interrupt(tid);
}

bool something_attached_waits(Pool& pool, int pu) {
  const auto levels = pool.machine().levels();
  for (int level = pool.machine().pu_level(pu); level >= 0;
       level = levels[static_cast<size_t>(level)].parent)
    if (pool.attached(level).waits()) return true;
  return false;
}

// All that serve the PU are late: one more comes for those that have the turn.
void serve_in_place(Pool& pool, int pu) {
  // relaxed: a count
  if (pool.slot(pu).starting.load(std::memory_order_relaxed) > 0) return;
  if (something_attached_waits(pool, pu)) pool.add_extras(pu, 1);
}

}  // namespace

void stop_late_threads(Pool& pool, int64_t now_ns) {
  if (!pool.settings().stops_late_threads || handler == Handler::refused) return;
  bool some_late = false;
  const auto stop_if_late = [&](Worker& worker) {
    const bool late = is_late(worker, now_ns);
    if (late && handler == Handler::installed) stop_if_it_computes(worker, now_ns);
    some_late |= late;
    return late;
  };
  for (int pu = 0; pu < pool.pu_count(); ++pu) {
    int workers = 0, late = 0;
    pool.each_worker(pu, [&](Worker& worker) {
      ++workers;
      late += stop_if_late(worker) ? 1 : 0;
    });
    if (late > 0 && late == workers) serve_in_place(pool, pu);
  }
  pool.each_solo(stop_if_late);
  if (some_late && handler == Handler::not_tried) install_handler();  // the next poll stops them
}

void let_stopped_go_on(Group& unit) {
  unit.turns.fetch_add(1);
  if (const uint32_t stopped = unit.stopped.load(); stopped > 0)
    os::futex_wake(&unit.turns, static_cast<int>(stopped));
}

}  // namespace xylem::sched
