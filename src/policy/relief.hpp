// Owns: who goes where a PU idles beside others that have much to do: one member of a team, with
// the teams that it opens and with its memory (paper 000, section 3.1: a processor becomes idle). A
// pure function of where the members are, of the processor time that each was measured to need, and
// of what it costs to bring its memory.
//
// Invariant: a relief shortens the longest time of the PUs that it takes from and gives to by at
// least `least_gain` of what it was, and costs no more than the budget.
#pragma once

#include <span>
#include <vector>

#include "plan/levels.hpp"

namespace xylem::policy {

// A member and the teams inside, which share the PUs below `level` alike.
struct Burden {
  int level = 0;
  double ns = 0;         // processor time of all its threads
  double bring_ns = -1;  // of bringing its memory to another node; negative: it stays where it is
};

struct Relief {
  int burden = -1;  // -1: nobody goes
  int level = -1;   // where to
  double gain_ns = 0;
  double cost_ns = 0;
};

// Parts of what the PUs had to do before; less is not worth a move.
inline constexpr double least_gain = 0.1;

// The move that gains most. Members go to levels of as many PUs as their own. nodes: level of each
// memory node.
Relief best_relief(plan::Levels levels, std::span<const int> nodes, std::span<const Burden> burdens,
                   double budget_ns);

// Time of the PU that has most to do.
double longest_ns(plan::Levels levels, std::span<const Burden> burdens);

}  // namespace xylem::policy
