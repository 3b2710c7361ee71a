// Owns: decisions on hints. See hint_decision.hpp.
#include "sched/place/hint_decision.hpp"

#include "mem/cost/costs.hpp"
#include "mem/map/memory.hpp"
#include "mem/map/nodes.hpp"
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

}  // namespace

bool threads_follow() {
  const Engine& engine = *Engine::instance();
  return engine.policy().follows_hints() && !engine.gangs().used();
}

Decision decide(std::span<const Hint> hints, std::span<const int> now, bool may_go,
                policy::Allowed allowed) {
  Located located;
  locate(hints, now.size(), located);
  std::vector<int> there;
  if (may_go)
    there = Engine::instance()->pus_by_memory(static_cast<int>(now.size()), located.of_member, now);
  const std::vector<int> nodes_now = nodes_of(now);
  const std::vector<int> nodes_there = nodes_of(there);
  const policy::Weighing weighing =
      policy::weigh({located.uses, nodes_now, nodes_there, allowed}, mem::known_costs());
  const bool go =
      weighing.remedy == policy::Remedy::threads || weighing.remedy == policy::Remedy::mixed;
  Decision made;
  if (go) made.domains = domains_of(made.pus = there);
  for (size_t i = 0; i < hints.size(); ++i) {
    const auto member = static_cast<size_t>(hints[i].number);
    if (weighing.move_pages[i])
      made.pages.push_back({hints[i], (go ? nodes_there : nodes_now)[member]});
  }
  return made;
}

std::vector<int> pus_before_data(int n) { return Engine::instance()->pus_by_memory(n, {}, {}); }

std::vector<int> domains_of(std::span<const int> pus) {
  std::vector<int> domains;
  for (size_t i = 0; i < pus.size(); ++i)
    domains.push_back(Engine::instance()->part_of_machine(pus, static_cast<int>(i)));
  return domains;
}

}  // namespace xylem::sched
