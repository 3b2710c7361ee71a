// The parts of a machine that `memory`, `gang` and `gang-per-node` deal with one by one: its memory
// nodes, or its levels of some kind.
#pragma once

#include <vector>

#include "plan/view.hpp"

namespace xylem::policy {

// Levels below (or at) the view's scope that have its PUs between them, each PU below exactly one,
// from left to right: the memory nodes, and of what lies below none the largest levels. Nodes are
// those of View::memory; where it has none, levels of kind node. No nodes at all: the scope.
std::vector<int> domains_of(const plan::View& view);

// The same by levels of the kind of `gang_level`, or, where that is -1, of View::tuning's
// gang_kind, in place of memory nodes. The machine: the scope.
std::vector<int> gang_domains_of(const plan::View& view, int gang_level);

// Index of the domain that holds the level, or -1.
int domain_holding(const plan::View& view, const std::vector<int>& domains, int level);

// True if the entity may run in the domain: its allowed level is the domain, above, or inside.
bool may_run_in(const plan::View& view, int entity, int domain_level);

}  // namespace xylem::policy
