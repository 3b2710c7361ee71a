// Owns: who is asked to go where. See parting.hpp.
#include "sched/worker/parting.hpp"

#include <algorithm>
#include <utility>

#include "os/running.hpp"
#include "os/thread.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

namespace {

constexpr int least_patience = 1, most_patience = 256;
constexpr int calm_for_each = 8;  // so many calm polls, times the patience, end it
constexpr int nowhere = -1;

std::vector<int> pus_by_os_index(const topo::Machine& machine) {
  std::vector<int> pus;
  for (int pu = 0; pu < static_cast<int>(machine.pus().size()); ++pu) {
    const auto cpu = static_cast<size_t>(std::max(machine.pu_os_index(pu), 0));
    if (pus.size() <= cpu) pus.resize(cpu + 1, -1);
    pus[cpu] = pu;
  }
  return pus;
}

// A thread of the program's that is in a region counts in any case: it takes no turns while it
// waits for others.
bool took_turns(Worker& worker) {
  const uint64_t turns = worker.turns.load(std::memory_order_relaxed);  // relaxed: see there
  worker.took_turns = turns != std::exchange(worker.turns_at_poll, turns) || worker.external;
  return worker.took_turns;
}

void forget(Worker& worker) {
  worker.meetings = 0;
  worker.asked_to_go.store(nowhere, std::memory_order_relaxed);  // relaxed: see part_if_asked()
}

}  // namespace

Parting::Parting(Pool& pool)
    : pool_(pool),
      pus_(pus_by_os_index(pool.machine())),
      threads_(static_cast<size_t>(pool.pu_count())),
      patience_(least_patience) {}

// The PU where the worker's kernel thread ran last; -1: not known, or none of the machine's.
int Parting::pu_of(const Worker& worker) const {
  // relaxed: the pool's lock keeps the thread from ending
  const int cpu = os::processor_at(worker.processor.load(std::memory_order_relaxed));
  return cpu >= 0 && cpu < static_cast<int>(pus_.size()) ? pus_[static_cast<size_t>(cpu)] : -1;
}

// Where others have processors too, which one is free is not known.
bool Parting::applies() const {
  return pool_.pu_count() > 1 && !pool_.settings().place_of_pu && pool_.serves_all() &&
         !pool_.crowded();
}

int Parting::count_threads() {
  int count = 0;
  std::fill(threads_.begin(), threads_.end(), 0);
  pool_.each_thread([&](Worker& worker) {
    if (!took_turns(worker)) return;
    ++count;
    if (const int pu = pu_of(worker); pu >= 0) ++threads_[static_cast<size_t>(pu)];
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

void Parting::judge(Worker& worker) {
  if (!worker.took_turns || worker.external) return;
  const int pu = pu_of(worker);
  if (pu < 0 || threads_[static_cast<size_t>(pu)] < 2) return forget(worker);
  any_met_ = true;
  const int free = free_pu_for(worker);
  if (++worker.meetings < patience_ || free < 0) return;
  --threads_[static_cast<size_t>(pu)];
  ++threads_[static_cast<size_t>(free)];
  worker.meetings = 0;
  patience_ = std::min(2 * patience_, most_patience);
  // relaxed: see part_if_asked()
  worker.asked_to_go.store(pool_.machine().pu_os_index(free), std::memory_order_relaxed);
}

void Parting::poll() {
  if (!applies()) return;
  const int count = count_threads();
  const bool some_meet = std::any_of(threads_.begin(), threads_.end(), [](int n) { return n > 1; });
  calm_polls_ = some_meet ? 0 : calm_polls_ + 1;
  if (calm_polls_ >= calm_for_each * patience_) patience_ = least_patience;
  if (count > pool_.pu_count() || !(some_meet || any_met_)) return;
  any_met_ = false;
  pool_.each_thread([this](Worker& worker) { judge(worker); });
}

// To bind a thread to a processor brings it there. Who binds it otherwise meanwhile has the last
// word.
void part(Worker& worker) {
  const int cpu = worker.asked_to_go.exchange(nowhere, std::memory_order_relaxed);
  const os::AffinityMask before = os::affinity();
  if (!before.has(cpu) || os::bind_to_cpu(cpu) != 0) return;
  const os::AffinityMask now = os::affinity();
  if (now.count() == 1 && now.has(cpu)) os::set_affinity(before);
}

}  // namespace xylem::sched
