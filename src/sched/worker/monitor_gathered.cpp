// Owns: the monitor's polls of gathered fibers (gathering.hpp). See monitor.hpp.
#include <utility>

#include "sched/worker/address_waits.hpp"
#include "sched/worker/monitor_watch.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

void Monitor::record_gathering(int pu) {
  const int level = pool_.machine().pu_level(pu);
  if (gathered_.has(level)) return;
  gathered_.set(level);
  poke();
}

int64_t Monitor::next_poll_of_gathered() const { return gathered_.any() ? gathered_at_ : never; }

void Monitor::poll_gathered(int64_t now) {
  gathered_at_ = now + soonest_ns;
  gathered_.each_pu(0, [&](int pu) {
    poll_gathered(pu, watches_[static_cast<size_t>(pu)], now);
    return false;
  });
}

void Monitor::poll_gathered(int pu, Watch& seen, int64_t now) {
  RunQueue& queue = pool_.pu_queue(pu);
  Watch::Gathered& watch = seen.gathered;
  const Use use = use_of(pu);
  const bool took_turns = use.turns != std::exchange(watch.turns, use.turns);
  const bool posted = has_posted(pu);
  if (posted && !took_turns) serve_posts();
  const RunQueue::Oldest it = queue.oldest_gathered();
  if (it || posted) watch.seen_at = now;
  if (now - watch.seen_at > keen_ns) return forget_gathering(pu);
  if (!it || it != watch.it) {
    watch.it = it;
    watch.since = now;
    watch.cpu_then_ns = use.cpu_ns;
  } else if (waits_in_vain(now - watch.since, use.cpu_ns - watch.cpu_then_ns)) {
    pool_.wake_for(pu, queue.let_gathered_go(), it.initial);
  }
}

bool Monitor::has_posted(int pu) {
  bool any = false;
  pool_.each_worker(pu, [&any](Worker& worker) {
    any = any || worker.has_posted.load(std::memory_order_relaxed);  // relaxed: see post_wake()
  });
  return any;
}

// Meanwhile the PU's workers have run something else. Where others had the processor, it helps to
// go elsewhere only if that lasts.
bool Monitor::waits_in_vain(int64_t waited, int64_t ran) {
  return ran >= waited / 2 || waited >= tick_ns;
}

// The bit goes first, and then the queue is read; who gathers fills the queue, and then reads the
// bit (record_gathering). Both are sequentially consistent, so one of the two sees the other.
// Nobody else takes bits away, and who asks for his own is never misled (LevelBits::clear).
void Monitor::forget_gathering(int pu) {
  const int level = pool_.machine().pu_level(pu);
  gathered_.clear(level);
  if (pool_.pu_queue(pu).oldest_gathered() || has_posted(pu)) gathered_.set(level);
}

}  // namespace xylem::sched
