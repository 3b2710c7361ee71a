// Owns: asking a policy. The one way in which the runtime does it, and the watch on how long the
// answer takes.
//
// A policy cannot go astray unseen: one that makes moves without end, throws an entity away or
// answers nonsense ends the program with its name and the law that it broke (plan/check.hpp), and
// so does one that does not return. Builds without checks trust our own policies to keep the laws,
// look at the answers of those from outside (policy/foreign.hpp) all the same, and only warn of one
// that does not return.
#pragma once

#include <cstdint>

#include "policy/policy.hpp"

namespace xylem::sched {

// Clears `plan` and has policy.place() fill it. Any thread.
void decide_place(const policy::Policy& policy, const plan::View& view, plan::Random& random,
                  plan::Plan& plan);

// The same by another of the policy's functions: place_by_data or place_before_data.
using Place = decltype(policy::Policy::place);
void decide_place_by(Place place, const policy::Policy& policy, const plan::View& view,
                     plan::Random& random, plan::Plan& plan);

// The same by policy.tick(), which must be there, at the end of a time slice of `bubble`.
void decide_tick(const policy::Policy& policy, const plan::View& view, int bubble,
                 plan::Random& random, plan::Plan& plan);

// The same by one of the policy's hooks, which must be there, about a PU. No hook holds anything
// back.
enum class Hook : uint8_t { idle, wake };
void decide_hook(const policy::Policy& policy, Hook hook, const plan::View& view, int pu,
                 plan::Random& random, plan::Plan& plan);

// What policy.met(), which must be there, says to a worker of the PU of the first top.
plan::Share decide_met(const policy::Policy& policy, const plan::View& view, int pu,
                       plan::Random& random);

// How long a policy may think before it counts as one that does not end.
inline constexpr int64_t decision_limit_ns = 10'000'000'000;

// To be called again and again while there may be decisions: ends the program if one has lasted for
// `limit_ns`; without checks it warns once. A time in which nobody looked (the process was stopped,
// or the machine asleep) counts as a quarter of a second at most. Decisions of the parent of a
// fork() do not count in the child. Any thread; the monitor does it. As the monitor itself asks
// policies with time slices or hooks, and waits for others who do, the first decision of one of
// those starts a thread that does it as well.
void watch_decisions(int64_t now_ns, int64_t limit_ns = decision_limit_ns);

// The last of the program's threads has gone: the thread that watches decisions must not keep the
// process alive. The next decision may start another.
void end_watcher();

struct DecisionSlot;  // decision.cpp

// While it lives watch_decisions() knows that the policy is asked; decide_place() and decide_tick()
// have one. For tests that ask a policy themselves. Of more than 16 at a time the others go
// unwatched. `what` is a literal.
class Deciding {
 public:
  Deciding(const policy::Policy& policy, const char* what);
  ~Deciding();
  Deciding(const Deciding&) = delete;
  Deciding& operator=(const Deciding&) = delete;

 private:
  DecisionSlot* slot_;  // null: unwatched
};

}  // namespace xylem::sched
