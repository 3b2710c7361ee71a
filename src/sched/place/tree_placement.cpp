// Owns: asking the policy where the members of one team go of which it is known what data they use.
#include <algorithm>

#include "sched/group/decision.hpp"
#include "sched/place/engine.hpp"

namespace xylem::sched {

namespace {

// View::memory of a bubble with a run for each member, from what is known of the members.
struct Hints {
  std::vector<int> nodes;
  std::vector<int64_t> bytes;
};

Hints hints_of(const topo::Machine& machine, int n, std::span<const int64_t> bytes) {
  Hints made;
  for (int node = 0; node < machine.node_count(); ++node)
    made.nodes.push_back(machine.node(node).level);
  made.bytes.resize(made.nodes.size());  // of the bubble itself nothing is said
  made.bytes.insert(made.bytes.end(), bytes.begin(), bytes.end());
  made.bytes.resize(made.nodes.size() * (static_cast<size_t>(n) + 1));
  return made;
}

// Members that share a level take its PUs in turn.
int turn_of(const std::vector<int>& levels, size_t member) {
  return static_cast<int>(std::count(
      levels.begin(), levels.begin() + static_cast<std::ptrdiff_t>(member), levels[member]));
}

bool holds(const topo::Level& level, int pu) {
  return pu >= level.first_pu && pu < level.first_pu + level.pu_count;
}

}  // namespace

std::vector<int> Engine::pus_by_memory(int n, std::span<const int64_t> bytes,
                                       std::span<const int> last_pus) const {
  std::vector<plan::Entity> memory(static_cast<size_t>(n) + 1);
  plan::Forest forest(memory);
  forest.add(-1, {.kind = plan::EntityKind::bubble, .last_pu = maker_pu});
  for (size_t i = 0; i < static_cast<size_t>(n); ++i)
    forest.add(0, {.last_pu = last_pus.empty() ? -1 : last_pus[i]});
  forest.finish(machine_.levels());
  plan::View view = forest.view(machine_.levels());
  view.tuning = tuning_;
  const Hints hints = hints_of(machine_, n, bytes);
  const bool lies_somewhere = std::ranges::any_of(bytes, [](int64_t some) { return some > 0; });
  if (lies_somewhere) view.memory = {hints.nodes, hints.bytes};
  const Place told = lies_somewhere ? policy_.place_by_data : policy_.place_before_data;
  const Place way = told ? told : policy_.place;
  plan::Plan plan;
  plan::Random random(static_cast<uint64_t>(n));
  decide_place_by(way, policy_, view, random, plan);

  std::vector<int> levels(static_cast<size_t>(n));  // the machine, unless a move says otherwise
  for (const plan::Move& move : plan.moves()) {
    if (move.burst) continue;
    const bool whole = view.entity(move.entity).kind == plan::EntityKind::bubble;
    const size_t first = whole ? 0 : static_cast<size_t>(move.entity - 1);
    std::fill_n(levels.begin() + static_cast<std::ptrdiff_t>(first), whole ? n : 1, move.level);
  }
  std::vector<int> pus(levels.size());
  for (size_t i = 0; i < pus.size(); ++i) {
    const topo::Level& level = plan::at(machine_.levels(), levels[i]);
    pus[i] = level.first_pu + turn_of(levels, i) % level.pu_count;
  }
  return pus;
}

int Engine::part_of_machine(std::span<const int> pus, int member) const {
  const int own = pus[static_cast<size_t>(member)];
  int part = machine_.pu_level(own);
  for (int level = part; level >= 0; level = plan::at(machine_.levels(), level).parent) {
    const topo::Level& wider = plan::at(machine_.levels(), level);
    for (size_t i = 0; i < pus.size(); ++i)
      if (static_cast<int>(i) != member && holds(wider, pus[i])) return part;
    part = level;
  }
  return part;
}

}  // namespace xylem::sched
