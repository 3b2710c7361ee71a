// Owns: what policies have in common for teams of which the program told what data they use.
#pragma once

#include "plan/plan.hpp"
#include "plan/random.hpp"
#include "plan/view.hpp"

namespace xylem::policy {

// To the node that holds most of the data, then as `cache` there. memory.cpp
void place_by_data(const plan::View& view, plan::Random& random, plan::Plan& plan);

// Even load over the machine, so that data that lies nowhere yet comes to as many nodes as it can.
// spread.cpp
void place_evenly(const plan::View& view, plan::Random& random, plan::Plan& plan);

}  // namespace xylem::policy
