// A scheduling policy: data and a few pure functions (DESIGN.md, section 4).
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

  // On the end of a time slice of `bubble`, an entity of `view` that is not held back; moves for a
  // part of the view, none if all is to stay as it is. nullptr if the policy has no ticks, and then
  // place() holds nothing back.
  void (*tick)(const plan::View& view, int bubble, plan::Random& random, plan::Plan& plan);

  plan::StealRule steal;

  // True if place() leaves no PU idle while an entity that it could burst waits elsewhere.
  bool fills_machine;
  // True if the plan of a flat team follows from its size, the maker's PU and the view's binding,
  // so that the caller may keep it for the next region.
  bool repeats;
  // True if place() and tick() are to see every top that has something to run, in the order in
  // which they came, and not only what is new: they share the machine among them.
  bool sees_all = false;
  // True if it gives turns on the levels that View::tuning says, each its own: then nobody steals
  // from one to another, unless that is the machine.
  bool turns_on_levels = false;
  // Teams of which the program told what data they use (paper 000, section 3.3): where their
  // members go if that lies somewhere, and if it lies nowhere yet. Null: where place() says; hints
  // then move pages alone.
  void (*place_by_data)(const plan::View& view, plan::Random& random, plan::Plan& plan) = nullptr;
  void (*place_before_data)(const plan::View& view, plan::Random& random,
                            plan::Plan& plan) = nullptr;

  // True if teams of which nobody told anything go where their data was found.
  bool seeks_data = false;

  // Hooks: what the policy says to what happens while threads run; null: nothing. `view` has what
  // waits on queues that may go elsewhere, each a top: of a team a bubble with one run, the members
  // that have not begun; else a run of one. View::statistics says what is known of them and of PUs.
  //
  // The PU has nothing to run, its worker falls asleep, and something waits elsewhere: moves for a
  // part of the view, none if all is to stay. Again after ever longer times, as long as that is so.
  // wake: the PU runs something again after that, or after it has idled for long.
  void (*idle)(const plan::View& view, int pu, plan::Random& random, plan::Plan& plan) = nullptr;
  void (*wake)(const plan::View& view, int pu, plan::Random& random, plan::Plan& plan) = nullptr;

  // A worker of the PU meets `bubble` in its search: the members of a team of which several wait in
  // a queue that is not the PU's own. `view` has the bubble alone. Any worker, at any time.
  plan::Share (*met)(const plan::View& view, int bubble, int pu, plan::Random& random) = nullptr;

  bool has_hooks() const { return idle != nullptr || wake != nullptr || met != nullptr; }

  // True if teams go where their data lies.
  bool follows_hints() const { return place_by_data != nullptr; }
};

// Every policy, in the order in which help lists them; the first is the default.
std::span<const Policy* const> registry();

// The policy of that name, or nullptr.
const Policy* find(std::string_view name);

extern const Policy cache;          // the papers' Affinity
extern const Policy spread;         // even load
extern const Policy memory;         // to where the data is
extern const Policy burst;          // bubbles open at levels that the program gives
extern const Policy gang;           // one team at a time
extern const Policy gang_per_node;  // one team at a time on each node
extern const Policy steal;          // all starts at one place
extern const Policy null;           // no structure
extern const Policy random;         // baseline
extern const Policy places;         // OMP_PLACES and OMP_PROC_BIND

}  // namespace xylem::policy
