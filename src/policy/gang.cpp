// Policies `gang` and `gang-per-node`: one team at a time (paper 002, section 2.3.2 and
// figure 2.3).
//
// A gang is a top of the view, whatever it holds. One gang has the turn and is attached to the
// queue of the domain, whose PUs share it among its threads; the others are held back. tick()
// suspends the gang and gives the turn to the one that has waited longest (Entity::held_since).
// `gang` has one domain, the scope, and runs one gang however small, as the paper's does, or a
// domain for each level of the kind that View::tuning says; `gang-per-node` has one for each memory
// node. All domains draw from the same gangs.
//
// Invariant: while gangs are held back, each domain in which one of them may run has a gang that
// has the turn; of those who wait, who has waited longest is next. So with g gangs for d domains
// each has the turn once in g / d ticks of all that run.
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "policy/domains.hpp"
#include "policy/lay.hpp"
#include "policy/policy.hpp"

namespace xylem::policy {
namespace {

using plan::View;

class Gangs {
 public:
  Gangs(const View& view, plan::Plan& plan, std::vector<int> domains)
      : view_(view), plan_(plan), domains_(std::move(domains)), turn_(domains_.size(), -1) {}

  void place();
  void tick(int entity);

 private:
  bool waits(int top, int domain) const;
  std::vector<int> queue() const;
  int domain_of(int top) const;
  int best_free_domain(int top) const;
  void give_turns();

  const View& view_;
  plan::Plan& plan_;
  std::vector<int> domains_;
  std::vector<int> turn_;  // of each domain: the gang that has the turn, or -1
};

// The domain in which the gang is attached now, or -1.
int Gangs::domain_of(int top) const {
  int level = view_.entity(top).level;
  return level < 0 ? -1 : domain_holding(view_, domains_, level);
}

// Of the domains without a gang in which this one may run: the one where it ran last, else by room.
int Gangs::best_free_domain(int top) const {
  const plan::Entity& gang = view_.entity(top);
  int best = -1;
  Room best_room;
  for (std::size_t d = 0; d < domains_.size(); ++d) {
    if (turn_[d] >= 0 || !may_run_in(view_, top, domains_[d])) continue;
    Room room = room_of(view_.levels, domains_[d]);
    if (best >= 0 && !better(room, best_room, gang.threads, 0, gang.last_pu)) continue;
    best = static_cast<int>(d);
    best_room = room;
  }
  return best;
}

// The tops in the order in which they are to have turns: those held back by rank, then the others.
std::vector<int> Gangs::queue() const {
  std::vector<int> tops(static_cast<std::size_t>(view_.top_count));
  std::iota(tops.begin(), tops.end(), 0);
  std::sort(tops.begin(), tops.end(), [&](int a, int b) {
    const plan::Entity& one = view_.entity(a);
    const plan::Entity& other = view_.entity(b);
    bool held = one.level == plan::held_back;
    if (held != (other.level == plan::held_back)) return held;
    if (held && one.held_since != other.held_since) return one.held_since < other.held_since;
    return a < b;
  });
  return tops;
}

// A gang that has the turn keeps it; the others take what is free, in their order.
void Gangs::give_turns() {
  std::vector<int> tops = queue();
  for (bool running : {true, false})
    for (int top : tops) {
      if (view_.entity(top).threads == 0) continue;
      int domain = domain_of(top);
      bool has_turn = domain >= 0 && turn_[static_cast<std::size_t>(domain)] == top;
      if (has_turn) continue;
      if (!running) domain = best_free_domain(top);
      if (domain < 0 || turn_[static_cast<std::size_t>(domain)] >= 0) continue;
      if (may_run_in(view_, top, domains_[static_cast<std::size_t>(domain)]))
        turn_[static_cast<std::size_t>(domain)] = top;
    }
}

// What holds no threads, or may run in no domain, takes no turn and holds up nobody: it is laid.
void Gangs::place() {
  give_turns();
  for (int top = 0; top < view_.top_count; ++top) {
    int level = -1;
    bool may_wait = false;
    for (std::size_t d = 0; d < domains_.size(); ++d) {
      if (turn_[d] == top) level = domains_[d];
      may_wait |= may_run_in(view_, top, domains_[d]);
    }
    Item gang = whole(view_, top);
    if (level < 0 && may_wait && view_.entity(top).threads > 0)
      plan_.hold(top, gang.count);
    else
      lay(view_, plan_, gang, level < 0 ? view_.scope : level);
  }
}

bool Gangs::waits(int top, int domain) const {
  const plan::Entity& gang = view_.entity(top);
  return gang.level == plan::held_back && gang.threads > 0 && may_run_in(view_, top, domain);
}

// `entity` is the gang or anything inside it. A gang without threads has the turn if nothing else
// has it: its threads ended.
void Gangs::tick(int entity) {
  while (view_.entity(entity).parent >= 0) entity = view_.entity(entity).parent;
  int index = domain_of(entity);
  if (index < 0) return;
  for (int other = 0; other < view_.top_count; ++other)
    if (other != entity && view_.entity(other).threads > 0 && domain_of(other) == index) return;
  int domain = domains_[static_cast<std::size_t>(index)];
  for (int next : queue()) {
    if (!waits(next, domain)) continue;
    plan_.hold(entity, view_.entity(entity).count);
    return lay(view_, plan_, whole(view_, next), domain);
  }
}

void place_one(const View& view, plan::Random& /*random*/, plan::Plan& plan) {
  Gangs(view, plan, gang_domains_of(view)).place();
}
void tick_one(const View& view, int bubble, plan::Random& /*random*/, plan::Plan& plan) {
  Gangs(view, plan, gang_domains_of(view)).tick(bubble);
}
void place_per_node(const View& view, plan::Random& /*random*/, plan::Plan& plan) {
  Gangs(view, plan, domains_of(view)).place();
}
void tick_per_node(const View& view, int bubble, plan::Random& /*random*/, plan::Plan& plan) {
  Gangs(view, plan, domains_of(view)).tick(bubble);
}

}  // namespace

constinit const Policy gang = {.name = "gang",
                               .help = "one team at a time has the machine, in time slices",
                               .place = place_one,
                               .tick = tick_one,
                               .steal = {},
                               .fills_machine = false,
                               .repeats = false,
                               .sees_all = true,
                               .turns_on_levels = true};

constinit const Policy gang_per_node = {
    .name = "gang-per-node",
    .help = "one team at a time has each memory node, in time slices",
    .place = place_per_node,
    .tick = tick_per_node,
    .steal = {.across_nodes = false},
    .fills_machine = false,
    .repeats = false,
    .sees_all = true};

}  // namespace xylem::policy
