// Shows a tree of teams to a policy, and reads its plan; see the header.
#include "plan/team_tree.hpp"

#include <algorithm>

namespace xylem::plan {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// A value for each member of each team.
template <class Value>
ByMember<Value> for_each_member(const TeamTree& tree, Value value) {
  ByMember<Value> made;
  for (const TreeTeam& team : tree) made.emplace_back(at(team.n), value);
  return made;
}

std::size_t member_count(const TeamTree& tree) {
  std::size_t count = 0;
  for (const TreeTeam& team : tree) count += at(team.n);
  return count;
}

}  // namespace

ByMember<int> made_by(const TeamTree& tree) {
  ByMember<int> made = for_each_member(tree, -1);
  for (std::size_t team = 1; team < tree.size(); ++team)
    made[at(tree[team].outer)][at(tree[team].maker)] = static_cast<int>(team);
  return made;
}

TreeView::TreeView(Levels levels, const TeamTree& tree, const Wishes& wishes)
    : tree_(tree), made_by_(made_by(tree)), bubble_of_(tree.size()) {
  entities_.resize(1 + member_count(tree));
  find_maker(wishes);
  Forest forest(entities_);
  add(forest, {.kind = EntityKind::bubble, .last_pu = wishes.maker_pu}, -1, {0, -1});
  for (int team = 0; team < static_cast<int>(tree.size()); ++team)
    add_members(forest, team, wishes);
  if (maker_alone_ >= 0) entities_[at(maker_alone_)].allowed = level_of_pu(levels, wishes.maker_pu);
  forest.finish(levels);
  view_ = forest.view(levels);
  for (const Origin& origin : origins_) add_bytes(origin.team, origin.member, wishes.nodes.size());
  if (std::ranges::any_of(bytes_, [](std::int64_t some) { return some > 0; }))
    view_.memory = {wishes.nodes, bytes_, wishes.distances};
}

// The outermost team's maker is one of the threads of the team that its member 0 makes, and so on.
// Where loads may send threads anywhere it is shown alone, as it cannot go.
void TreeView::find_maker(const Wishes& wishes) {
  const auto has_loads = [](const TreeTeam& team) { return !team.loads.empty(); };
  if (!wishes.maker_stays || std::ranges::none_of(tree_, has_loads)) return;
  maker_team_ = 0;
  while (made_by_[at(maker_team_)][0] >= 0) maker_team_ = made_by_[at(maker_team_)][0];
}

void TreeView::add(Forest& forest, Entity entity, int parent, Origin origin) {
  const int index = forest.add(parent, entity);
  if (entity.kind == EntityKind::bubble) bubble_of_[at(origin.team)] = index;
  if (origin.team == maker_team_ && origin.member == 0) maker_alone_ = index;
  origins_.push_back(origin);
}

// True if its members cannot stand in runs: something is known of each.
bool TreeView::is_known_apart(int team, const Wishes& wishes) const {
  const TreeTeam& known = tree_[at(team)];
  const bool by_wish = wishes.each_alone || !wishes.pus.empty();
  return !known.loads.empty() || !known.bytes.empty() || (team == 0 && by_wish) ||
         team == maker_team_;
}

void TreeView::add_members(Forest& forest, int team, const Wishes& wishes) {
  const TreeTeam& known = tree_[at(team)];
  const std::vector<int>& made = made_by_[at(team)];
  const bool apart = is_known_apart(team, wishes);
  for (int member = 0; member < known.n; ++member) {
    Entity entity{.load = known.loads.empty() ? 0 : known.loads[at(member)]};
    const Origin origin{made[at(member)] < 0 ? team : made[at(member)],
                        made[at(member)] < 0 ? member : -1};
    if (origin.member < 0) entity.kind = EntityKind::bubble;
    if (team == 0 && !wishes.pus.empty())
      entity.last_pu = wishes.pus[at(member)];
    else if (team == 0 && member == 0 && (!apart || origin.member < 0))
      entity.last_pu = wishes.maker_pu;
    while (!apart && origin.member >= 0 && member + 1 < known.n && made[at(member + 1)] < 0) {
      ++entity.count;
      ++member;
    }
    add(forest, entity, bubble_of_[at(team)], origin);
  }
}

// Those of a bubble are its maker's, which are told in the team outside.
void TreeView::add_bytes(int team, int member, std::size_t nodes) {
  const TreeTeam& known = tree_[at(team)];
  const bool is_bubble = member < 0;
  const std::size_t before = bytes_.size();
  bytes_.resize(before + nodes);
  if (is_bubble && known.outer < 0) return;  // of the outermost as a whole nobody says anything
  const TreeTeam& teller = is_bubble ? tree_[at(known.outer)] : known;
  if (teller.bytes.empty()) return;
  const std::size_t from = at(is_bubble ? known.maker : member) * nodes;
  std::copy_n(teller.bytes.begin() + static_cast<std::ptrdiff_t>(from), nodes,
              bytes_.begin() + static_cast<std::ptrdiff_t>(before));
}

ByMember<int> TreeView::levels(const Plan& plan) const {
  std::vector<int> bubbles(entities_.size(), -1);
  for (const Move& move : plan.moves())
    if (view_.entity(move.entity).kind == EntityKind::bubble) bubbles[at(move.entity)] = move.level;
  ByMember<int> made = for_each_member(tree_, 0);
  // Until a move says otherwise with the bubble round it: bubbles stand before what they hold.
  for (int index = 0; index < static_cast<int>(view_.entities.size()); ++index) {
    const Entity& entity = view_.entity(index);
    const int round = entity.parent < 0 ? 0 : bubbles[at(entity.parent)];
    if (entity.kind == EntityKind::run)
      std::fill_n(made[at(origins_[at(index)].team)].begin() + origins_[at(index)].member,
                  entity.count, round);
    else if (bubbles[at(index)] < 0)
      bubbles[at(index)] = round;
  }
  for (const Move& move : plan.moves()) {
    const Origin& origin = origins_[at(move.entity)];
    if (origin.member < 0) continue;
    std::fill_n(made[at(origin.team)].begin() + origin.member + move.first, move.count, move.level);
  }
  for (std::size_t team = tree_.size(); team-- > 1;)
    made[at(tree_[team].outer)][at(tree_[team].maker)] = made[team][0];
  return made;
}

ByMember<std::int64_t> TreeView::loads() const {
  ByMember<std::int64_t> made = for_each_member(tree_, std::int64_t{0});
  for (std::size_t index = 0; index < view_.entities.size(); ++index) {
    const Entity& entity = view_.entities[index];
    const Origin& origin = origins_[index];
    if (origin.member < 0) continue;
    std::fill_n(made[at(origin.team)].begin() + origin.member, entity.count, entity.load);
  }
  return made;
}

std::vector<Placement> placements(const TeamTree& tree, const ByMember<int>& levels, Why why) {
  std::vector<Placement> made(tree.size());
  for (std::size_t team = 0; team < tree.size(); ++team) {
    Placement& placement = made[team];
    placement.why = why;
    placement.n = tree[team].n;
    for (int member = 1; member < placement.n; ++member) {
      const int level = levels[team][at(member)];
      if (!placement.ranges.empty() && placement.ranges.back().level == level)
        ++placement.ranges.back().hi;
      else
        placement.ranges.push_back({member, member + 1, level});
    }
  }
  return made;
}

std::vector<int> parts(Levels levels, const TeamTree& tree, const ByMember<int>& thread_levels) {
  std::vector<int> made;
  for (const std::vector<int>& of_team : thread_levels) {
    int part = of_team[0];
    for (const int level : of_team) part = common_level(levels, part, level);
    made.push_back(part);
  }
  for (std::size_t team = tree.size(); team-- > 1;) {
    int& outer = made[at(tree[team].outer)];
    outer = common_level(levels, outer, made[team]);
  }
  return made;
}

double longest(Levels levels, const ByMember<int>& thread_levels,
               const ByMember<std::int64_t>& loads) {
  std::vector<double> below(at(levels[0].pu_count));
  for (std::size_t team = 0; team < loads.size(); ++team)
    for (std::size_t member = 0; member < loads[team].size(); ++member) {
      const topo::Level& level = plan::at(levels, thread_levels[team][member]);
      for (int pu = level.first_pu; pu < level.first_pu + level.pu_count; ++pu)
        below[at(pu)] += static_cast<double>(loads[team][member]) / level.pu_count;
    }
  return *std::ranges::max_element(below);
}

double least_longest(Levels levels, const ByMember<std::int64_t>& loads) {
  std::int64_t all = 0;
  std::int64_t heaviest = 0;
  for (const std::vector<std::int64_t>& of_team : loads)
    for (const std::int64_t load : of_team) {
      all += load;
      heaviest = std::max(heaviest, load);
    }
  return std::max(static_cast<double>(all) / levels[0].pu_count, static_cast<double>(heaviest));
}

}  // namespace xylem::plan
