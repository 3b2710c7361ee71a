// Owns: what runs codelets: each processor of the machine is an executor. And which is whose
// neighbour.
#pragma once

#include <span>
#include <vector>

#include "hetero/data/memory_node.hpp"
#include "hetero/policy/policy.hpp"
#include "topo/machine.hpp"

namespace xylem::hetero {

// Once, before the first task.
void make_executors(const topo::Machine& machine);

std::span<const Executor> executors();
inline int executor_count() { return static_cast<int>(executors().size()); }
// The others, nearest first.
std::span<const int> neighbours(int executor);
// The process's.
Memories& memories();

}  // namespace xylem::hetero
