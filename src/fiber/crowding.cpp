// Owns: looks and moves. See crowding.hpp.
#include "fiber/crowding.hpp"

#include <array>

#include "fiber/pool.hpp"
#include "fiber/worker.hpp"
#include "os/thread.hpp"

namespace xylem::fiber {

namespace {
constexpr uint32_t ticks_without_spinning = 5;
constexpr int ticks_until_home = 250;
}  // namespace

int Crowding::pu_where(const Worker& worker) const {
  const int cpu =
      worker.native.processor ? worker.native.processor->load(std::memory_order_relaxed) : -1;
  return cpu < 0 ? -1 : pool_.machine().pu_of_os_index(cpu);
}

// As long as each_worker() visits it a kernel thread lives, and what tells its processor.
Crowding::Found Crowding::find(int pu) {
  Found found;
  const Worker* holder = pool_.seat(pu).worker.load(std::memory_order_acquire);
  const SeatState seat = pool_.seat(pu).state.load();
  pool_.each_worker(pu, [&](Worker& worker) {
    if (&worker != holder) return;
    found.tid = worker.tid.load(std::memory_order_acquire);  // pairs with worker_thread()
    if (found.tid == 0) return;
    found.pu = pu_where(worker);
    const uint64_t turns = worker.turns.load(std::memory_order_relaxed);  // relaxed: see there
    found.active = seat == SeatState::awake || seat == SeatState::searching || turns != turns_;
    if (pu != 0) turns_ = turns;
  });
  return found;
}

bool Crowding::may_share(int pu) const {
  const auto pus = pool_.machine().pus();
  return pu > 0 && pus[static_cast<size_t>(pu)].node == pus[0].node;
}

void Crowding::note_crowded(int pu) {
  const uint32_t until = monitor_ticks.load(std::memory_order_relaxed) + ticks_without_spinning;
  for (const int each : {0, pu})
    pool_.each_worker(each, [until](Worker& worker) {
      worker.crowded_until.store(until, std::memory_order_relaxed);  // relaxed: a hint
    });
}

// Only to processors that the monitor's own kernel thread, which nobody here binds, may run on: who
// confines the whole process to others meanwhile is obeyed.
bool Crowding::bind(const Found& worker, std::initializer_list<int> pus) {
  const os::AffinityMask allowed = os::affinity();
  std::array<int, 2> cpus{};
  int count = 0;
  for (const int pu : pus) {
    cpus[static_cast<size_t>(count)] = pool_.machine().pu_os_index(pu);
    if (!allowed.has(cpus[static_cast<size_t>(count++)])) return false;
  }
  return worker.tid != 0 && os::bind_to_cpus(cpus.data(), count, worker.tid) == 0;
}

void Crowding::bind_home() {
  bind(find(loose_), {loose_});
  loose_ = 0;
  narrow_ = false;
}

void Crowding::part(int pu, const Found& worker) {
  note_crowded(pu);
  if (!bind(worker, {worker.pu == pu ? 0 : pu})) return;
  loose_ = pu;
  narrow_ = true;
  calm_ = 0;
}

void Crowding::look() {
  if (!pool_.settings().workers_may_part || pool_.a_thread_each() || pool_.machine().drawn())
    return;
  const int at = find(0).pu;
  const int met = at == 0 ? loose_ : at;
  if (loose_ != 0 && (met != loose_ || ++calm_ > ticks_until_home)) bind_home();
  if (!may_share(met)) return;
  const Found worker = find(met);
  if (worker.pu == at && worker.active) {
    part(met, worker);
  } else if (narrow_ && loose_ == met) {
    narrow_ = !bind(worker, {0, met});
  }
}

}  // namespace xylem::fiber
