// Cutting a machine into memory nodes; see the header.
#include "policy/domains.hpp"

#include <algorithm>

namespace xylem::policy {
namespace {

using plan::View;

bool is_node(const View& view, int level) {
  if (view.memory.nodes.empty()) return view.level(level).stands_for(topo::LevelKind::node);
  return std::find(view.memory.nodes.begin(), view.memory.nodes.end(), level) !=
         view.memory.nodes.end();
}

struct GangKind {
  topo::LevelKind kind;
  int cache_depth;  // 0: any
};

GangKind gang_kind(const View& view, int gang_level) {
  if (gang_level < 0) return {view.tuning.gang_kind, view.tuning.gang_cache_depth};
  return {view.level(gang_level).kind, 0};
}

// Appends the domains below `level`, those for which `is_one`; false, and appends nothing, if none
// lies there.
template <typename IsOne>
bool cut(const View& view, int level, IsOne is_one, std::vector<int>& domains) {
  if (is_one(view, level)) {
    domains.push_back(level);
    return true;
  }
  const topo::Level& top = view.level(level);
  std::size_t before = domains.size();
  bool found = false;
  for (int i = top.first_child; i < top.first_child + top.child_count; ++i) {
    bool has_one = cut(view, i, is_one, domains);
    if (!has_one) domains.push_back(i);
    found |= has_one;
  }
  if (!found) domains.resize(before);
  return found;
}

template <typename IsOne>
std::vector<int> domains_where(const View& view, IsOne is_one) {
  std::vector<int> domains;
  if (!cut(view, view.scope, is_one, domains)) domains.push_back(view.scope);
  return domains;
}

}  // namespace

std::vector<int> domains_of(const View& view) { return domains_where(view, is_node); }

std::vector<int> gang_domains_of(const View& view, int gang_level) {
  const GangKind wanted = gang_kind(view, gang_level);
  if (wanted.kind == topo::LevelKind::machine) return {view.scope};
  return domains_where(view, [wanted](const View& its, int level) {
    return its.level(level).stands_for(wanted.kind, wanted.cache_depth);
  });
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
