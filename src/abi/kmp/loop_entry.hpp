// Owns: how a member enters a loop of Clang's: what doacross.cpp was told of it is part of what the
// loop asks for.
#pragma once

#include "omp/loops/loop.hpp"

namespace xylem::abi::kmp {

// As omp::loop_start().
void enter_loop(omp::Member& member, const omp::LoopRequest& request);

// True if the member's next loop is a doacross loop, which has a record also where it is static.
bool told_of_doacross(const omp::Member& member);

}  // namespace xylem::abi::kmp
