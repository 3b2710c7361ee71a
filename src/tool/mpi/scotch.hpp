// Placing ranks by SCOTCH, as paper 004 (section IV-B) does it.
#pragma once

#include <string>
#include <variant>

#include "tool/mpi/mapping.hpp"

namespace xylem::tool::mpi {

// SCOTCH's static mapping on the cluster's tree, made one rank a place (repair), or why there is
// none: libxylem-scotch.so is not beside the command, SCOTCH refuses, or the tree's levels have
// different numbers of children, which its tree of leaves cannot express.
std::variant<Mapping, std::string> by_scotch(const Communication& communication,
                                             const Cluster& cluster);

}  // namespace xylem::tool::mpi
