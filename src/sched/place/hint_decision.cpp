// Owns: decisions on hints. See hint_decision.hpp.
#include "sched/place/hint_decision.hpp"

#include <numeric>

#include "mem/cost/costs.hpp"
#include "mem/map/memory.hpp"
#include "mem/map/nodes.hpp"
#include "sched/place/contention_group.hpp"
#include "sched/place/engine.hpp"

namespace xylem::sched {

namespace {

constexpr int passes_if_not_told = 10;

// Where the data is: bytes by node, of each hint and of each member.
struct Located {
  std::vector<int64_t> of_hint;    // [hint * nodes + node]
  std::vector<int64_t> of_member;  // [member * nodes + node]
  std::vector<policy::Use> uses;   // of each hint in turn; they look into of_hint
};

void locate(std::span<const Hint> hints, size_t members, Located& located) {
  const auto nodes = static_cast<size_t>(mem::node_count());
  located.of_hint.assign(hints.size() * nodes, 0);
  located.of_member.assign(members * nodes, 0);
  for (size_t i = 0; i < hints.size(); ++i) {
    const Hint& hint = hints[i];
    const std::span<int64_t> bytes(located.of_hint.data() + i * nodes, nodes);
    mem::add_bytes_by_node(hint.start, hint.bytes, bytes);
    for (size_t node = 0; node < nodes; ++node)
      located.of_member[static_cast<size_t>(hint.number) * nodes + node] += bytes[node];
    const double passes = hint.passes > 0 ? hint.passes : passes_if_not_told;
    located.uses.push_back({.thread = hint.number,
                            .reads = hint.reads ? passes : 0,
                            .writes = hint.writes ? passes : 0,
                            .bytes = bytes});
  }
}

std::vector<int> nodes_of(std::span<const int> pus) {
  std::vector<int> nodes;
  for (const int pu : pus) nodes.push_back(pu >= 0 ? mem::node_of_pu(pu) : -1);
  return nodes;
}

// Of the members that hints are about; nobody counts who is near no node.
std::vector<int> streams_of(std::span<const Hint> hints, std::span<const int> nodes) {
  std::vector<int> streams(static_cast<size_t>(mem::node_count()));
  std::vector<bool> is_counted(nodes.size());
  for (const Hint& hint : hints) {
    const auto member = static_cast<size_t>(hint.number);
    if (is_counted[member] || nodes[member] < 0) continue;
    is_counted[member] = true;
    ++streams[static_cast<size_t>(nodes[member])];
  }
  return streams;
}

// Of threads, by PU.
using Counts = std::vector<int>;

int threads_below(const topo::Level& level, const Counts& counts) {
  const auto first = counts.begin() + level.first_pu;
  return std::accumulate(first, first + level.pu_count, 0);
}

// Makes parts of the members of a tree's teams.
class Parts {
 public:
  Parts(const plan::TeamTree& tree, const plan::ByMember<int>& pus)
      : levels_(Engine::instance()->machine().levels()),
        made_(plan::made_by(tree)),
        pus_(pus),
        all_(static_cast<size_t>(levels_[0].pu_count)) {
    for (size_t member = 0; member < made_[0].size(); ++member) count(0, member, all_);
  }

  std::vector<Part> of_team(size_t team) const {
    std::vector<Part> parts;
    for (size_t member = 0; member < made_[team].size(); ++member) {
      const int inner = made_[team][member];
      parts.push_back({.pu = pus_[team][member], .domain = domain(team, member)});
      if (inner >= 0) parts.back().inner = of_team(static_cast<size_t>(inner));
    }
    return parts;
  }

 private:
  // Adds the member's threads: itself, or those of the team that it makes.
  void count(size_t team, size_t member, Counts& counts) const {
    const int inner = made_[team][member];
    if (inner < 0) ++counts[static_cast<size_t>(pus_[team][member])];
    for (size_t i = 0; inner >= 0 && i < made_[static_cast<size_t>(inner)].size(); ++i)
      count(static_cast<size_t>(inner), i, counts);
  }

  // The largest level that holds all threads of the member and no others; if there is none, the
  // lowest that holds them.
  int domain(size_t team, size_t member) const {
    Counts own(all_.size());
    count(team, member, own);
    int part = plan::level_of_pu(levels_, pus_[team][member]);
    const int threads = std::accumulate(own.begin(), own.end(), 0);
    while (threads_below(plan::at(levels_, part), own) < threads)
      part = plan::at(levels_, part).parent;
    for (int wider = part; wider >= 0 && threads_below(plan::at(levels_, wider), all_) == threads;
         wider = plan::at(levels_, wider).parent)
      part = wider;
    return part;
  }

  const plan::Levels levels_;
  const plan::ByMember<int> made_;
  const plan::ByMember<int>& pus_;
  Counts all_;
};

}  // namespace

bool threads_follow() {
  const Engine& engine = *Engine::instance();
  return engine.policy().follows_hints() && !engine.gangs().used();
}

bool threads_seek_data() { return threads_follow() && Engine::instance()->policy().seeks_data; }

std::vector<Part> parts_by_data(const plan::TeamTree& tree) {
  return Parts(tree, Engine::instance()->pus_by_memory(tree, {})).of_team(0);
}

Decision decide(std::span<const Hint> hints, std::span<const int> now, plan::TeamTree tree,
                bool may_go, policy::Allowed allowed, std::span<const double> beside) {
  Located located;
  locate(hints, now.size(), located);
  tree[0].bytes = located.of_member;
  plan::ByMember<int> there(1);
  if (may_go) there = Engine::instance()->pus_by_memory(tree, now);
  const std::vector<int> nodes_now = nodes_of(now);
  const std::vector<int> nodes_there = nodes_of(there[0]);
  const policy::Weighing weighing =
      policy::weigh({located.uses, nodes_now, nodes_there, allowed, beside}, mem::known_costs());
  const bool go =
      weighing.remedy == policy::Remedy::threads || weighing.remedy == policy::Remedy::mixed;
  Decision made;
  if (go) made.parts = Parts(tree, there).of_team(0);
  made.streams = streams_of(hints, go ? nodes_there : nodes_now);
  for (size_t i = 0; i < hints.size(); ++i) {
    const auto member = static_cast<size_t>(hints[i].number);
    if (weighing.move_pages[i])
      made.pages.push_back({hints[i], (go ? nodes_there : nodes_now)[member]});
  }
  return made;
}

std::vector<double> streams_beside(const Thread& thread) {
  const ContentionGroup& group = contention_group(static_cast<const Fiber&>(thread));
  return streams_beside(group.streams, static_cast<size_t>(mem::node_count()));
}

void tell_streams(TeamStreams& team, const Thread& thread, const std::vector<int>& streams) {
  team.tell(&contention_group(static_cast<const Fiber&>(thread)).streams, streams);
}

// Nobody uses anything in it.
std::vector<Part> parts_before_data(const plan::TeamTree& tree) { return parts_by_data(tree); }

std::vector<Part> parts_on(std::span<const int> pus) {
  const plan::TeamTree tree{{.n = static_cast<int>(pus.size())}};
  return Parts(tree, {{pus.begin(), pus.end()}}).of_team(0);
}

}  // namespace xylem::sched
