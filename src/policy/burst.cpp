// Policy `burst`: bubbles open at the levels that the program gives, and are regenerated on their
// time slice (paper 002, section 2.3.2, burst scheduling).
//
// place() pulls each bubble down, at each step to the child with the least load for each PU, until
// it comes to a level of the kind it wants; there it opens. Threads stay on that queue, where every
// PU below may take them; bubbles inside go on down. tick() gathers an open bubble in again and
// puts it at the end of the scope's queue, so that others come first; on its next slice it is
// pulled down anew, by the loads of then.
#include <vector>

#include "policy/domains.hpp"
#include "policy/lay.hpp"
#include "policy/policy.hpp"

namespace xylem::policy {
namespace {

using plan::Entity;
using plan::View;

class Burst {
 public:
  Burst(const View& view, plan::Plan& plan)
      : view_(view), plan_(plan), load_(view.levels.size(), 0) {}

  void place();
  void tick(int bubble);

 private:
  bool opens_at(const Entity& bubble, int level) const;
  int lightest_child(int bubble, int level) const;
  void count(std::int64_t load, int level);
  void count_others(int bubble);
  void pull(int bubble, int level);
  bool is_open(const Entity& bubble) const;

  const View& view_;
  plan::Plan& plan_;
  std::vector<std::int64_t> load_;  // below each level, of what the plan has put there so far
};

// A bubble that says nothing opens at the lowest level that has a PU for each of its threads. One
// that finds no level of its kind on its way opens at the PU.
bool Burst::opens_at(const Entity& bubble, int level) const {
  const topo::Level& here = view_.level(level);
  if (here.child_count == 0) return true;
  if (bubble.burst_level >= 0) {
    const topo::Level& wanted = view_.level(bubble.burst_level);
    return plan::lies_below(view_.levels, level, bubble.burst_level) ||
           here.stands_for(wanted.kind, wanted.cache_depth);
  }
  for (int i = here.first_child; i < here.first_child + here.child_count; ++i)
    if (view_.level(i).pu_count >= bubble.threads) return false;
  return true;
}

// Of the children in which it may run, and that have a PU for each thread if one has: the one with
// the least load for each PU.
int Burst::lightest_child(int bubble, int level) const {
  const topo::Level& here = view_.level(level);
  int best = -1;
  Room best_room;
  for (int i = here.first_child; i < here.first_child + here.child_count; ++i) {
    if (!may_run_in(view_, bubble, i)) continue;
    Room room = room_of(view_.levels, i);
    room.load = load_[static_cast<std::size_t>(i)];
    bool fits = room.pus >= view_.entity(bubble).threads;
    bool best_fits = best >= 0 && best_room.pus >= view_.entity(bubble).threads;
    bool lighter = best < 0 || room.load_with(0) < best_room.load_with(0);
    if (fits != best_fits ? best_fits : !lighter) continue;
    best = i;
    best_room = room;
  }
  return best;
}

void Burst::count(std::int64_t load, int level) {
  for (; level >= 0; level = view_.level(level).parent)
    load_[static_cast<std::size_t>(level)] += load;
}

void Burst::pull(int index, int level) {
  const Entity& bubble = view_.entity(index);
  if (!may_run_in(view_, index, level)) level = bubble.allowed;
  while (!opens_at(bubble, level)) level = lightest_child(index, level);
  plan_.burst(index, level);
  for (int i = bubble.first_child; i < bubble.first_child + bubble.child_count; ++i) {
    if (view_.entity(i).kind == plan::EntityKind::bubble) {
      pull(i, level);
    } else {
      count(plan::total_load(view_.entity(i)), level);
      lay(view_, plan_, whole(view_, i), level);
    }
  }
}

void Burst::place() {
  for (int top = 0; top < view_.top_count; ++top) {
    if (view_.entity(top).kind == plan::EntityKind::bubble)
      pull(top, view_.scope);
    else
      lay(view_, plan_, whole(view_, top), view_.scope);
  }
}

bool Burst::is_open(const Entity& bubble) const {
  for (int i = bubble.first_child; i < bubble.first_child + bubble.child_count; ++i)
    if (view_.entity(i).level >= 0) return true;
  return false;
}

// The loads of all that is attached to queues and does not belong to the bubble.
void Burst::count_others(int bubble) {
  std::vector<bool> own(view_.entities.size(), false);
  for (int i = 0; i < static_cast<int>(view_.entities.size()); ++i) {
    const Entity& entity = view_.entity(i);
    auto at = static_cast<std::size_t>(i);
    own[at] = i == bubble || (entity.parent >= 0 && own[static_cast<std::size_t>(entity.parent)]);
    bool holds = entity.kind == plan::EntityKind::run || !is_open(entity);
    if (entity.level >= 0 && holds && !own[at]) count(plan::total_load(entity), entity.level);
  }
}

// What holds pinned threads cannot lie closed above them: it stays as it is.
void Burst::tick(int index) {
  const Entity& bubble = view_.entity(index);
  if (bubble.kind != plan::EntityKind::bubble || bubble.level < 0) return;
  if (!is_open(bubble)) {
    count_others(index);
    return pull(index, bubble.level);
  }
  if (!bubble.narrowed) lay(view_, plan_, whole(view_, index), view_.scope);
}

void place(const View& view, plan::Random& /*random*/, plan::Plan& plan) {
  Burst(view, plan).place();
}
void tick(const View& view, int bubble, plan::Random& /*random*/, plan::Plan& plan) {
  Burst(view, plan).tick(bubble);
}

}  // namespace

constinit const Policy burst = {.name = "burst",
                                .help = "bubbles open at the levels that the program gives",
                                .place = place,
                                .tick = tick,
                                .steal = {},
                                .fills_machine = false,
                                .repeats = false};

}  // namespace xylem::policy
