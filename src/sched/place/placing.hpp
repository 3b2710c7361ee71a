// Owns: where the members of a team go: producers of placements, asked in order, and the one launch
// that carries a placement out (DESIGN section 3).
//
// A nested team never meets the policy: one range of all its seeds goes to the local queue, and
// idle workers steal from it (DESIGN section 4).
#pragma once

#include "plan/placement.hpp"
#include "sched/place/contention_group.hpp"
#include "sched/queue/fiber.hpp"
#include "topo/machine.hpp"

namespace xylem::sched {

// What the upper layer says of a team that begins.
struct Launch {
  // The PU that each member is bound to, by OpenMP's binding or by hints; null: none is.
  int (*pu_of)(const Bubble& team, int member) = nullptr;
  bool by_hints = false;              // hints say where members go, or what they bring
  Bubble* outer = nullptr;            // the team that the maker belongs to
  int maker = 0;                      // its number there
  void (*function)(void*) = nullptr;  // what members run: a region is known by it and its size
  int inner_threads = 1;              // of teams that members may open; 1: they open none
};

// A team on its way to queues.
struct Launching {
  Bubble& team;
  Fiber& maker;
  const Launch& wishes;
  uint64_t now;          // os::read_ticks_early(), of an outermost team
  plan::Placement made;  // room for a producer's answer
};

// Asks the producers in the order of plan::Why. The answer lives as long as `launching`, at least.
const plan::Placement& place(Launching& launching);

// Puts the members into queues and wakes workers. By the maker, on its worker.
void launch(Bubble& team, const plan::Placement& placement, Worker& worker);

// Where a member goes if those of its range are dealt out evenly to the PUs of the range's level.
inline int pu_in_range(const topo::Level& level, const plan::Range& range, int member) {
  return level.first_pu + (member - range.lo) * level.pu_count / (range.hi - range.lo);
}

// The outermost region has ended, at tick `now`: nothing of it is measured or learned any more.
void end_knowing(ContentionGroup& group, uint64_t now);

}  // namespace xylem::sched
