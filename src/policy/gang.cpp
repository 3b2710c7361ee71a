// Policies `gang` and `gang-per-node`: one team at a time (paper 002, section 2.3.2 and
// figure 2.3).
//
// A gang is a top of the view, whatever it holds. It has its turns on one of the levels of a kind,
// and is attached to that level's queue, whose PUs share it among its threads; the others are held
// back. tick() suspends the gang and gives the turn to the one that has waited longest
// (Entity::held_since). The levels of `gang` are the scope, on which one gang runs however small,
// as the paper's does, or those of the kind that View::tuning says, or those that the gang says for
// itself (Entity::gang_level); of `gang-per-node` the memory nodes.
//
// Invariant: of two levels where gangs have turns none lies below the other. Those who wait take
// what is free in the order in which they have waited. Who cannot, as gangs run in parts of its
// level, keeps one level for itself: nobody who has waited less begins there. So with g gangs for d
// levels of one kind each has the turn once in g / d ticks of all that run, and one that is wider
// is not passed by; until it begins, parts of its level may be idle for a slice.
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

std::size_t index(int number) { return static_cast<std::size_t>(number); }

// Where gangs may have turns: levels by the kind that a gang asks for.
class Domains {
 public:
  // `by_nodes`: memory nodes for all.
  Domains(const View& view, bool by_nodes);

  const std::vector<int>& of(int top) const { return kinds_[kind_of_[index(top)]].levels; }

 private:
  struct Kind {
    int gang_level;
    std::vector<int> levels;
  };
  std::size_t find(const View& view, int gang_level);

  std::vector<Kind> kinds_;
  std::vector<std::size_t> kind_of_;  // by top
};

std::size_t Domains::find(const View& view, int gang_level) {
  for (std::size_t i = 0; i < kinds_.size(); ++i)
    if (kinds_[i].gang_level == gang_level) return i;
  kinds_.push_back({gang_level, gang_domains_of(view, gang_level)});
  return kinds_.size() - 1;
}

Domains::Domains(const View& view, bool by_nodes) : kind_of_(index(view.top_count)) {
  if (by_nodes) {
    kinds_.push_back({-1, domains_of(view)});
    return;
  }
  for (int top = 0; top < view.top_count; ++top)
    kind_of_[index(top)] = find(view, view.entity(top).gang_level);
}

// A set of levels of which none lies below another.
class Levels {
 public:
  explicit Levels(const View& view)
      : view_(view), has_(view.levels.size(), false), inside_(view.levels.size(), 0) {}

  void add(int level) {
    has_[index(level)] = true;
    for (int above = level; above >= 0; above = view_.level(above).parent) ++inside_[index(above)];
  }
  // How many lie at the level, above or below it.
  int beside(int level) const {
    for (int above = view_.level(level).parent; above >= 0; above = view_.level(above).parent)
      if (has_[index(above)]) return 1;
    return inside_[index(level)];
  }

 private:
  const View& view_;
  std::vector<bool> has_;
  std::vector<int> inside_;  // at the level and below
};

// The tops in the order in which they are to have turns: those held back by rank, then the others.
std::vector<int> queue_of(const View& view) {
  std::vector<int> tops(index(view.top_count));
  std::iota(tops.begin(), tops.end(), 0);
  std::sort(tops.begin(), tops.end(), [&](int a, int b) {
    const plan::Entity& one = view.entity(a);
    const plan::Entity& other = view.entity(b);
    bool held = one.level == plan::held_back;
    if (held != (other.level == plan::held_back)) return held;
    if (held && one.held_since != other.held_since) return one.held_since < other.held_since;
    return a < b;
  });
  return tops;
}

class Gangs {
 public:
  Gangs(const View& view, plan::Plan& plan, bool by_nodes)
      : view_(view),
        plan_(plan),
        domains_(view, by_nodes),
        queue_(queue_of(view)),
        turns_(view),
        kept_(view),
        level_of_(index(view.top_count), -1) {}

  void place();
  void tick(int entity);

 private:
  bool may_run_somewhere(int top) const;
  int place_of(int top) const;
  int best_level(int top) const;
  int level_to_keep(int top) const;
  void keep_turns(int but);
  void give_turns(bool to_all);

  const View& view_;
  plan::Plan& plan_;
  const Domains domains_;
  const std::vector<int> queue_;
  Levels turns_, kept_;
  std::vector<int> level_of_;  // by top: the level of its turn; -1: it has none
};

bool Gangs::may_run_somewhere(int top) const {
  const std::vector<int>& levels = domains_.of(top);
  return std::any_of(levels.begin(), levels.end(),
                     [&](int level) { return may_run_in(view_, top, level); });
}

// The level of the gang's turn; -1: it has none. It may ask for another kind of level since.
int Gangs::place_of(int top) const {
  const int level = view_.entity(top).level;
  if (level < 0) return -1;
  const std::vector<int>& levels = domains_.of(top);
  const int found = domain_holding(view_, levels, level);
  if (found >= 0) return levels[index(found)];
  return may_run_somewhere(top) ? level : -1;
}

// Of the free levels on which this one may run: the one where it ran last, else by room. -1 if
// there is none.
int Gangs::best_level(int top) const {
  const plan::Entity& gang = view_.entity(top);
  int best = -1;
  Room best_room;
  for (const int level : domains_.of(top)) {
    if (turns_.beside(level) + kept_.beside(level) > 0 || !may_run_in(view_, top, level)) continue;
    const Room room = room_of(view_.levels, level);
    if (best >= 0 && !better(room, best_room, gang.threads, 0, gang.last_pu)) continue;
    best = level;
    best_room = room;
  }
  return best;
}

// Of the levels that nobody keeps: the one with the fewest turns in it. -1 if there is none.
int Gangs::level_to_keep(int top) const {
  int best = -1;
  for (const int level : domains_.of(top)) {
    if (kept_.beside(level) > 0 || !may_run_in(view_, top, level)) continue;
    if (best < 0 || turns_.beside(level) < turns_.beside(best)) best = level;
  }
  return best;
}

// A gang that has the turn keeps it, unless others that came before have it there.
void Gangs::keep_turns(int but) {
  for (const int top : queue_) {
    const bool may_have_one = top != but && view_.entity(top).threads > 0;
    const int level = may_have_one ? place_of(top) : -1;
    if (level < 0 || turns_.beside(level) > 0 || !may_run_in(view_, top, level)) continue;
    turns_.add(level);
    level_of_[index(top)] = level;
  }
}

// In their order, to those held back, or to all without a turn.
void Gangs::give_turns(bool to_all) {
  for (const int top : queue_) {
    const plan::Entity& gang = view_.entity(top);
    if (gang.threads == 0 || level_of_[index(top)] >= 0) continue;
    if (!to_all && gang.level != plan::held_back) continue;
    const int level = best_level(top);
    if (level >= 0) {
      turns_.add(level);
      level_of_[index(top)] = level;
    } else if (const int kept = level_to_keep(top); kept >= 0) {
      kept_.add(kept);
    }
  }
}

// What holds no threads, or may run on no level of turns, takes none and holds up nobody: it is
// laid.
void Gangs::place() {
  keep_turns(-1);
  give_turns(true);
  for (int top = 0; top < view_.top_count; ++top) {
    const int level = level_of_[index(top)];
    const Item gang = whole(view_, top);
    if (level < 0 && view_.entity(top).threads > 0 && may_run_somewhere(top))
      plan_.hold(top, gang.count);
    else
      lay(view_, plan_, gang, level < 0 ? view_.scope : level);
  }
}

// `entity` is the gang or anything inside it. A gang without threads has the turn if nothing else
// has it: its threads ended.
void Gangs::tick(int entity) {
  while (view_.entity(entity).parent >= 0) entity = view_.entity(entity).parent;
  const int ends = place_of(entity);
  keep_turns(entity);
  if (ends < 0 || turns_.beside(ends) > 0) return;
  give_turns(false);
  if (turns_.beside(ends) + kept_.beside(ends) == 0) return;  // nobody wants it
  plan_.hold(entity, view_.entity(entity).count);
  for (int next = 0; next < view_.top_count; ++next)
    if (level_of_[index(next)] >= 0 && view_.entity(next).level == plan::held_back)
      lay(view_, plan_, whole(view_, next), level_of_[index(next)]);
}

void place_one(const View& view, plan::Random& /*random*/, plan::Plan& plan) {
  Gangs(view, plan, false).place();
}
void tick_one(const View& view, int bubble, plan::Random& /*random*/, plan::Plan& plan) {
  Gangs(view, plan, false).tick(bubble);
}
void place_per_node(const View& view, plan::Random& /*random*/, plan::Plan& plan) {
  Gangs(view, plan, true).place();
}
void tick_per_node(const View& view, int bubble, plan::Random& /*random*/, plan::Plan& plan) {
  Gangs(view, plan, true).tick(bubble);
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
