// Rows of the machine: see top_tree.hpp.
#include "tool/top/top_tree.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "sched/worker/pool.hpp"
#include "tool/top/top_sharing.hpp"
#include "topo/machine.hpp"

namespace xylem::tool {

namespace {

using sched::LiveLevel;
using sched::LivePu;

std::string kind_of(const LiveLevel& level) {
  const std::string kind = topo::kind_name(static_cast<topo::LevelKind>(level.kind));
  return level.cache_depth > 0 ? fmt::format("l{}{}", level.cache_depth, kind) : kind;
}

// `steps` above the level, or as far as it goes.
size_t above(const LiveSnapshot& snapshot, size_t level, int steps) {
  for (; steps > 0 && snapshot.levels[level].parent >= 0; --steps)
    level = static_cast<size_t>(snapshot.levels[level].parent);
  return level;
}

int node_of(const LiveSnapshot& snapshot, int pu) {
  return static_cast<int>(snapshot.pus[static_cast<size_t>(pu)].node);
}

bool one_node(const LiveSnapshot& snapshot, const LiveLevel& level) {
  for (int64_t pu = level.first_pu; pu < level.first_pu + level.pu_count; ++pu)
    if (node_of(snapshot, static_cast<int>(pu)) !=
        node_of(snapshot, static_cast<int>(level.first_pu)))
      return false;
  return true;
}

void add_steals(TopRow& row, const std::string& from, double rate) {
  for (auto& [name, sum] : row.steals_from) {
    if (name != from) continue;
    sum += rate;
    return;
  }
  row.steals_from.emplace_back(from, rate);
}

void add_pu(const Measure& measure, int pu, TopRow& row) {
  const auto at = static_cast<size_t>(pu);
  const LivePu& it = measure.last.pus[at];
  const PuRates& rates = measure.pus[at];
  row.pus.push_back(pu);
  ++row.states[measure.alive() ? seat_name(it.state) : "idle"];
  if (measure.alive() && it.state == static_cast<int64_t>(sched::SlotState::lent))
    row.lent_to = borrower_of(measure, pu);
  row.turns += rates.turns;
  row.steals += rates.all_steals;
  row.awake += rates.awake;
  if (measure.alive()) row.extras += it.extras;
  if (measure.alive() && it.bubble != 0) row.bubbles.push_back(it.bubble);
  for (int step = 0; step < sched::live_steps; ++step) {
    if (rates.steals[step] <= 0) continue;
    const size_t meet = above(measure.last, static_cast<size_t>(it.level), step + 1);
    add_steals(row, kind_of(measure.last.levels[meet]), rates.steals[step]);
  }
}

void add_waiting(const Measure& measure, TopRow& row) {
  if (!measure.alive() || row.pus.empty()) return;
  std::vector<bool> mine(measure.last.pus.size());
  for (const int pu : row.pus) mine[static_cast<size_t>(pu)] = true;
  for (const LiveLevel& level : measure.last.levels) {
    bool all = level.waiting > 0;
    for (int64_t pu = level.first_pu; all && pu < level.first_pu + level.pu_count; ++pu)
      all = mine[static_cast<size_t>(pu)];
    if (all) row.waiting += level.waiting;
  }
}

TopRow group_row(const Measure& measure, int node, bool several) {
  TopRow row;
  row.group = true;
  row.node = node;
  row.name = node < 0 ? (several ? "no node" : "machine") : fmt::format("node{}", node);
  for (int pu = 0; pu < static_cast<int>(measure.last.pus.size()); ++pu)
    if (node_of(measure.last, pu) == node) add_pu(measure, pu, row);
  row.awake /= static_cast<double>(std::max<size_t>(row.pus.size(), 1));
  add_waiting(measure, row);
  return row;
}

// The rows below a group, each for a level `fold` steps above its PUs.
void add_units(const Measure& measure, const TopRow& group, const std::vector<std::string>& names,
               int fold, std::vector<TopRow>& rows) {
  size_t done = measure.last.levels.size();
  for (const int pu : group.pus) {
    const auto own = static_cast<size_t>(measure.last.pus[static_cast<size_t>(pu)].level);
    size_t unit = above(measure.last, own, fold);
    if (!one_node(measure.last, measure.last.levels[unit])) unit = own;
    if (unit == done) {
      add_pu(measure, pu, rows.back());
      continue;
    }
    done = unit;
    rows.emplace_back();
    rows.back().name = names[unit];
    add_pu(measure, pu, rows.back());
  }
}

}  // namespace

std::vector<std::string> level_names(const LiveSnapshot& snapshot) {
  std::map<std::string, int> count;
  std::vector<std::string> names;
  for (const LiveLevel& level : snapshot.levels) {
    const std::string kind = kind_of(level);
    const auto of_kind = static_cast<topo::LevelKind>(level.kind);
    if (of_kind == topo::LevelKind::machine)
      names.push_back(kind);
    else if (of_kind == topo::LevelKind::pu)  // from left to right, whatever their depth
      names.push_back(fmt::format("{}{}", kind, level.first_pu));
    else
      names.push_back(fmt::format("{}{}", kind, count[kind]++));
  }
  return names;
}

const char* seat_name(int64_t state) {
  switch (static_cast<sched::SlotState>(state)) {
    case sched::SlotState::absent:
      return "absent";
    case sched::SlotState::awake:
      return "awake";
    case sched::SlotState::searching:
      return "searching";
    case sched::SlotState::parked:
      return "parked";
    case sched::SlotState::broken:
      return "broken";
    case sched::SlotState::lent:
      return "lent";
  }
  return "?";
}

int most_folds(const LiveSnapshot& snapshot) {
  int most = 0;
  for (const LivePu& pu : snapshot.pus) {
    int steps = 0;
    for (auto level = static_cast<size_t>(pu.level); snapshot.levels[level].parent >= 0; ++steps)
      level = static_cast<size_t>(snapshot.levels[level].parent);
    most = std::max(most, steps);
  }
  return most;
}

std::vector<TopRow> top_rows(const Measure& measure, int fold) {
  const std::vector<std::string> names = level_names(measure.last);
  std::vector<int> nodes;
  nodes.reserve(measure.last.pus.size());
  for (int pu = 0; pu < static_cast<int>(measure.last.pus.size()); ++pu)
    nodes.push_back(node_of(measure.last, pu));
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  std::vector<TopRow> rows;
  for (const int node : nodes) {
    const TopRow group = group_row(measure, node, nodes.size() > 1);
    rows.push_back(group);
    if (fold < 0) continue;
    const size_t first = rows.size();
    add_units(measure, group, names, fold, rows);
    for (size_t row = first; row < rows.size(); ++row) {
      rows[row].awake /= static_cast<double>(rows[row].pus.size());
      add_waiting(measure, rows[row]);
    }
  }
  return rows;
}

}  // namespace xylem::tool
