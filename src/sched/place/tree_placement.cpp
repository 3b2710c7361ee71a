// Owns: asking the policy where the threads of a whole tree of teams go.
#include <algorithm>
#include <numeric>

#include "sched/group/decision.hpp"
#include "sched/place/engine.hpp"

namespace xylem::sched {

using plan::ByMember;
using plan::TeamTree;
using plan::TreeView;

namespace {

constexpr TreeView::Wishes top_level = {.maker_pu = maker_pu, .maker_stays = true};

int64_t load_of(std::span<const OpenTeam> teams) {
  int64_t sum = 0;
  for (const OpenTeam& team : teams) sum += team.load;
  return sum;
}

int64_t sum_of(const ByMember<int64_t>& loads) {
  int64_t sum = 0;
  for (const std::vector<int64_t>& of_team : loads)
    sum = std::accumulate(of_team.begin(), of_team.end(), sum);
  return sum;
}

// A thread goes where the middle of its load lies, in a row of all loads that is as long as the
// machine has PUs; those of one team stand together in it.
class Row {
 public:
  // The row of the tree begins behind so much; `scale`: of its loads to those of the row.
  Row(const TeamTree& tree, double before, double scale, double per_pu)
      : made_(plan::made_by(tree)), at_(before), scale_(scale), per_pu_(per_pu) {}

  // Writes the PU of each thread of the team and of the teams inside.
  void place(size_t team, const ByMember<int64_t>& loads, ByMember<int>& pus) {
    pus.resize(made_.size());
    pus[team].resize(made_[team].size());
    for (size_t member = 0; member < made_[team].size(); ++member) {
      const int inner = made_[team][member];
      if (inner >= 0) {
        place(static_cast<size_t>(inner), loads, pus);
        pus[team][member] = pus[static_cast<size_t>(inner)][0];
        continue;
      }
      const double load = scale_ * static_cast<double>(loads[team][member]);
      pus[team][member] = static_cast<int>((at_ + load / 2) / per_pu_);
      at_ += load;
    }
  }

 private:
  const ByMember<int> made_;
  double at_;
  const double scale_, per_pu_;
};

// [from * nodes + to]; empty: the machine does not say.
std::vector<uint64_t> distances_of(const topo::Machine& machine) {
  std::vector<uint64_t> distances;
  if (!machine.has_distances()) return distances;
  for (int from = 0; from < machine.node_count(); ++from)
    for (int to = 0; to < machine.node_count(); ++to)
      distances.push_back(machine.distance(from, to));
  return distances;
}

// Threads that share a level take its PUs in turn.
ByMember<int> pus_of(plan::Levels levels, const TeamTree& tree, const ByMember<int>& by) {
  std::vector<int> taken(levels.size());
  const ByMember<int> made = plan::made_by(tree);
  ByMember<int> pus = by;
  for (size_t team = 0; team < tree.size(); ++team)
    for (size_t member = 0; member < by[team].size(); ++member) {
      if (made[team][member] >= 0) continue;
      const auto at = static_cast<size_t>(by[team][member]);
      pus[team][member] = levels[at].first_pu + taken[at]++ % levels[at].pu_count;
    }
  for (size_t team = tree.size(); team-- > 1;)
    pus[static_cast<size_t>(tree[team].outer)][static_cast<size_t>(tree[team].maker)] =
        pus[team][0];
  return pus;
}

}  // namespace

ByMember<int> Engine::levels_of(const TeamTree& tree) const {
  const TreeView view(machine_.levels(), tree, top_level);
  plan::Plan plan;
  decide(view.view(), static_cast<uint64_t>(tree[0].n), plan);
  return view.levels(plan);
}

ByMember<int64_t> Engine::loads_of(const TeamTree& tree) const {
  return TreeView(machine_.levels(), tree, top_level).loads();
}

ByMember<int> Engine::beside(const TeamTree& tree, std::span<const OpenTeam> teams, int own) const {
  const std::vector<int> in_order = levels_of(TeamTree{{.n = pu_count()}})[0];
  const ByMember<int64_t> loads = loads_of(tree);
  const double scale = static_cast<double>(teams[static_cast<size_t>(own)].load) /
                       static_cast<double>(sum_of(loads));
  const double before = static_cast<double>(load_of(teams.first(static_cast<size_t>(own))));
  ByMember<int> levels;
  Row(tree, before, scale, static_cast<double>(load_of(teams)) / pu_count())
      .place(0, loads, levels);
  for (std::vector<int>& of_team : levels)
    for (int& pu : of_team) pu = in_order[static_cast<size_t>(std::min(pu, pu_count() - 1))];
  return levels;
}

ByMember<int> Engine::pus_by_memory(const TeamTree& tree, std::span<const int> last_pus) const {
  const std::vector<int> nodes = machine_.node_levels();
  const std::vector<uint64_t> distances = distances_of(machine_);
  const TreeView view(machine_.levels(), tree,
                      {.maker_pu = maker_pu,
                       .each_alone = true,
                       .pus = last_pus,
                       .nodes = nodes,
                       .distances = distances});
  plan::View shown = view.view();
  shown.tuning = tuning_;
  const bool lies_somewhere = !shown.memory.bytes.empty();
  const Place told = lies_somewhere ? policy_.place_by_data : policy_.place_before_data;
  plan::Plan plan;
  plan::Random random(static_cast<uint64_t>(tree[0].n));
  decide_place_by(told ? told : policy_.place, policy_, shown, random, plan);
  return pus_of(machine_.levels(), tree, view.levels(plan));
}

}  // namespace xylem::sched
