// A scheduling policy: data and at most three pure functions (DESIGN.md, section 4).
//
// Owns: Policy and the registry of them all. Invariant: a policy's functions depend on their
// arguments alone; no locks, clock, globals, environment, logging, or addresses of memory.
#pragma once

#include <span>
#include <string_view>

#include "plan/plan.hpp"
#include "plan/random.hpp"
#include "plan/steal_rule.hpp"
#include "plan/view.hpp"

namespace xylem::policy {

struct Policy {
  std::string_view name;
  const char* help;  // one line

  // Appends to `plan` moves for every top of `view`. Called at a top-level region, when hints
  // change, and when the steal rule has failed for long.
  void (*place)(const plan::View& view, plan::Random& random, plan::Plan& plan);

  // On the time slice of `bubble`, an entity of `view`; moves for a part of the view. nullptr if
  // the policy has no ticks.
  void (*tick)(const plan::View& view, int bubble, plan::Random& random, plan::Plan& plan);

  plan::StealRule steal;

  // True if place() leaves no PU idle while an entity that it could burst waits elsewhere.
  bool fills_machine;
  // True if the plan of a flat team follows from its size, the maker's PU and the view's binding,
  // so that the caller may keep it for the next region.
  bool repeats;
};

// Every policy, in the order in which help lists them; the first is the default.
std::span<const Policy* const> registry();

// The policy of that name, or nullptr.
const Policy* find(std::string_view name);

extern const Policy cache;   // the papers' Affinity
extern const Policy places;  // OMP_PLACES and OMP_PROC_BIND

}  // namespace xylem::policy
