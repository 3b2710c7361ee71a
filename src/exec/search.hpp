// Owns: how a worker finds work: its PU's queue, the queues of the levels above from the bottom up
// (paper 002, section 2.2.3), then other PUs' queues in the order of the policy's steal rule,
// nearest first (section 2.4.4). Built once for a machine and a rule; read only afterwards.
#pragma once

#include <memory>
#include <vector>

#include "fiber/pool.hpp"
#include "plan/steal_rule.hpp"

namespace xylem::exec {

class Search {
 public:
  Search(const topo::Machine& machine, const plan::StealRule& rule);

  // Never blocks. The parts of a share that the worker does not run itself go to its own queue.
  fiber::Work find(fiber::Worker& worker, fiber::Order order) const;

  // True if some queue beyond the worker's own has entities. A hint.
  bool anything_to_steal(fiber::Worker& worker) const;

 private:
  struct Route {
    std::vector<int> above;             // levels over the PU, nearest first
    std::vector<plan::Victim> victims;  // queues of others, in the order of the rule
  };
  fiber::Work steal_from(fiber::Worker& worker, fiber::Pool& pool, int level) const;

  const topo::Machine& machine_;
  std::vector<Route> routes_;  // by PU
};

}  // namespace xylem::exec
