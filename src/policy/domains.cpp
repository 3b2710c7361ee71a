// Cutting a machine into memory nodes; see the header.
#include "policy/domains.hpp"

#include <algorithm>

namespace xylem::policy {
namespace {

using plan::View;

bool is_node(const View& view, int level) {
  if (view.memory.nodes.empty()) return view.level(level).kind == topo::LevelKind::node;
  return std::find(view.memory.nodes.begin(), view.memory.nodes.end(), level) !=
         view.memory.nodes.end();
}

// Appends the domains below `level`; false, and appends nothing, if no node lies there.
bool cut(const View& view, int level, std::vector<int>& domains) {
  if (is_node(view, level)) {
    domains.push_back(level);
    return true;
  }
  const topo::Level& top = view.level(level);
  std::size_t before = domains.size();
  bool found = false;
  for (int i = top.first_child; i < top.first_child + top.child_count; ++i) {
    bool has_node = cut(view, i, domains);
    if (!has_node) domains.push_back(i);
    found |= has_node;
  }
  if (!found) domains.resize(before);
  return found;
}

}  // namespace

std::vector<int> domains_of(const View& view) {
  std::vector<int> domains;
  if (!cut(view, view.scope, domains)) domains.push_back(view.scope);
  return domains;
}

int domain_holding(const View& view, const std::vector<int>& domains, int level) {
  for (std::size_t i = 0; i < domains.size(); ++i)
    if (plan::lies_below(view.levels, level, domains[i])) return static_cast<int>(i);
  return -1;
}

bool may_run_in(const View& view, int entity, int domain_level) {
  int allowed = view.entity(entity).allowed;
  return plan::lies_below(view.levels, allowed, domain_level) ||
         plan::lies_below(view.levels, domain_level, allowed);
}

}  // namespace xylem::policy
