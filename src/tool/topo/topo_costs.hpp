// What `xylem topo --costs` shows: what access to memory and moves of pages cost.
#pragma once

#include <memory>
#include <string>

#include "mem/cost/costs.hpp"
#include "topo/machine.hpp"

namespace xylem::tool {

// Shows the costs that are kept for this machine; measures and keeps them if there are none, or
// with `anew`. Those of a drawing are estimates. `description`: what the machine was made from.
// Returns the command's exit code.
int show_costs(const topo::Machine& machine, const std::string& description, bool anew);

// The tables. `about`: how these costs came to be known, a sentence's end.
std::string costs_text(const topo::Machine& machine, const mem::Costs& costs,
                       const std::string& about);

}  // namespace xylem::tool
