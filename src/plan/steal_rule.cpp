// Orders of victims; see the header.
#include "plan/steal_rule.hpp"

namespace xylem::plan {

Thief thief_at(Levels levels, int pu) {
  Thief thief{pu, {}, -1};
  for (int level = level_of_pu(levels, pu); level >= 0; level = at(levels, level).parent) {
    if (thief.steps_on_node < 0 && at(levels, level).stands_for(topo::LevelKind::node))
      thief.steps_on_node = static_cast<int>(thief.own_and_above.size());
    thief.own_and_above.push_back(level);
  }
  if (thief.steps_on_node < 0) thief.steps_on_node = static_cast<int>(thief.own_and_above.size());
  return thief;
}

int drawn_turn(int draw, int level) {
  std::uint32_t mixed =
      static_cast<std::uint32_t>(draw) + static_cast<std::uint32_t>(level) * 0x9e3779b9U;
  mixed ^= mixed >> 16;
  mixed *= 0x85ebca6bU;
  mixed ^= mixed >> 13;
  mixed *= 0xc2b2ae35U;
  return static_cast<int>(mixed >> 8 & 0xffff);
}

namespace {

struct Everywhere {
  Levels levels;

  template <class Visit>
  bool each_child(int level, int first, const Visit& visit) const {
    const topo::Level& here = at(levels, level);
    for (int step = 0; step < here.child_count; ++step)
      if (visit(here.first_child + (first + step) % here.child_count)) return true;
    return false;
  }
};

}  // namespace

void victim_order(Levels levels, int pu, const StealRule& rule, std::vector<Victim>& out,
                  int draw) {
  out.clear();
  visit_victims(levels, thief_at(levels, pu), rule, Reach::all, draw, Everywhere{levels},
                [&out](const Victim& victim) {
                  out.push_back(victim);
                  return false;
                });
}

}  // namespace xylem::plan
