// Owns: who is asked to go where. See parting.hpp.
#include "sched/worker/parting.hpp"

#include <algorithm>
#include <utility>

#include "os/clock.hpp"
#include "os/running.hpp"
#include "os/thread.hpp"
#include "sched/worker/home.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

namespace {

constexpr int least_patience = 1, most_patience = 256;
constexpr int64_t calm_for_each_ns = 16'000'000;  // so long, times the patience, ends it
constexpr int nowhere = -1;
// Of a thread that went: how long it is watched there, which part of that it may wait, and in how
// many polls it must have gone.
constexpr int64_t watched_ns = 8'000'000, may_wait = 8;
constexpr int most_polls_on_its_way = 3;

std::vector<int> pus_by_os_index(const topo::Machine& machine) {
  std::vector<int> pus;
  for (int pu = 0; pu < static_cast<int>(machine.pus().size()); ++pu) {
    const auto cpu = static_cast<size_t>(std::max(machine.pu_os_index(pu), 0));
    if (pus.size() <= cpu) pus.resize(cpu + 1, -1);
    pus[cpu] = pu;
  }
  return pus;
}

// A worker that is woken in vain, as others have run what it came for, takes no turns. A thread of
// the program's that is in a region counts in any case, and so does one that runs a held member: it
// may compute for long.
bool was_active(Worker& worker) {
  // relaxed: see Worker::turns
  const uint64_t moves = worker.turns.load(std::memory_order_relaxed) + worker.rests.load();
  worker.was_active =
      moves != std::exchange(worker.moves_at_poll, moves) || worker.external || runs_held(worker);
  return worker.was_active;
}

}  // namespace

// Where others have processors too, which one is free is not known.
bool moves_threads(const Pool& pool) {
  return pool.pu_count() > 1 && !pool.settings().place_of_pu && pool.serves_all() &&
         !pool.crowded();
}

Parting::Parting(Pool& pool)
    : pool_(pool),
      pus_(pus_by_os_index(pool.machine())),
      threads_(static_cast<size_t>(pool.pu_count())),
      patience_(least_patience) {}

// The PU where the worker's kernel thread ran last; -1: not known, or none of the machine's.
int Parting::pu_of(const Worker& worker) const {
  const int* written = worker.processor.load(std::memory_order_acquire);  // see show_thread()
  const int cpu = os::processor_at(written);
  return cpu >= 0 && cpu < static_cast<int>(pus_.size()) ? pus_[static_cast<size_t>(cpu)] : -1;
}

int Parting::count_threads() {
  int count = 0;
  std::fill(threads_.begin(), threads_.end(), 0);
  pool_.each_thread([&](Worker& worker) {
    const int pu = pu_of(worker);
    if (away_.is(worker)) away_.seen_at = pu;
    if (!was_active(worker)) return;
    ++count;
    if (pu >= 0) ++threads_[static_cast<size_t>(pu)];
  });
  return count;
}

// Its own PU, else the first; -1: none.
int Parting::free_pu_for(const Worker& worker) const {
  const topo::Machine& machine = pool_.machine();
  const auto is_free = [&](int pu) {
    return threads_[static_cast<size_t>(pu)] == 0 &&
           machine.pu_node(pu) == machine.pu_node(worker.pu);
  };
  if (is_free(worker.pu)) return worker.pu;
  for (int pu = 0; pu < pool_.pu_count(); ++pu)
    if (is_free(pu)) return pu;
  return -1;
}

void Parting::judge(Worker& worker, int64_t now) {
  if (!worker.was_active || worker.external) return;
  const int pu = pu_of(worker);
  if (pu < 0 || threads_[static_cast<size_t>(pu)] < 2) {
    worker.meetings = 0;  // what it was asked stands: at worst it goes where it is
    return;
  }
  any_met_ = true;
  if (pu != worker.pu && runs_held(worker)) return bring_home(worker, now);
  const int free = free_pu_for(worker);
  if (++worker.meetings < patience_ || free < 0 || away_.thread != 0) return;
  worker.meetings = 0;
  patience_ = std::min(2 * patience_, most_patience);
  // relaxed: see come_to()
  away_ = {.thread = worker.kernel_thread.load(std::memory_order_relaxed), .from = pu, .to = free};
  ask(worker, free);
}

// relaxed: see part_if_asked()
void Parting::ask(Worker& worker, int pu) {
  worker.asked_to_go.store(pool_.machine().pu_os_index(pu), std::memory_order_relaxed);
}

// Who waits for the processor that it went to goes back. Nothing is known of one from which the
// kernel took it, or to which another of the pool's threads came.
void Parting::watch(int64_t now) {
  if (away_.seen_at != away_.to) {
    if (away_.since != 0 || ++away_.polls > most_polls_on_its_way) away_ = {};
    return;
  }
  os::ProcessorWaits waits;
  if (threads_[static_cast<size_t>(away_.to)] > 1 || !os::processor_waits(away_.thread, waits)) {
    away_ = {};
  } else if (away_.since == 0) {
    away_.since = now;
    away_.waited = waits.waited_ns;
  } else if (now - away_.since >= watched_ns) {
    if ((waits.waited_ns - away_.waited) * may_wait > now - away_.since) send_back();
    away_ = {};
  }
}

void Parting::send_back() {
  patience_ = most_patience;
  pool_.each_thread([this](Worker& worker) {
    if (away_.is(worker)) ask(worker, away_.from);
  });
}

bool Parting::poll(int64_t now) {
  if (!moves_threads(pool_)) return false;
  const int count = count_threads();
  if (away_.thread != 0) watch(now);
  const bool some_meet = std::any_of(threads_.begin(), threads_.end(), [](int n) { return n > 1; });
  if (some_meet) met_at_ = now;
  if (now - met_at_ >= calm_for_each_ns * patience_) patience_ = least_patience;
  if (count > pool_.pu_count() || !(some_meet || any_met_)) return away_.thread != 0;
  any_met_ = false;
  pool_.each_thread([this, now](Worker& worker) { judge(worker, now); });
  return true;
}

// acquire and release: the kernel's affinity is as the one before left it
void bring_to(Worker& worker, int cpu, int tid) {
  if (worker.is_brought.exchange(true, std::memory_order_acquire)) return;
  os::bring_to_cpu(cpu, tid);
  worker.is_brought.store(false, std::memory_order_release);
}

void part(Worker& worker) {
  bring_to(worker, worker.asked_to_go.exchange(nowhere, std::memory_order_relaxed));
}

void ask_to_go_home(Worker& worker) {
  if (moves_threads(*worker.pool) && is_elsewhere(worker))
    worker.asked_to_go.store(own_cpu(worker), std::memory_order_relaxed);
}

}  // namespace xylem::sched
