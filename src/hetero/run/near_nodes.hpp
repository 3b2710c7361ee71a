// Owns: the process's near nodes: the machine's memory nodes on which data of codelets has copies
// for the processors near them (data/near_access.hpp).
#pragma once

#include <cstdint>

namespace xylem::hetero {

class Memories;

// XYLEM_NEAR_COPIES. measured: where what access costs was measured (mem/cost/costs.hpp).
enum class NearCopies : uint8_t { off, measured, on };

// Adds the machine's memory nodes, if it has several and `wanted` allows copies there. None of a
// machine of more than most_near_nodes. Once, after the devices, before the first piece.
void add_near_nodes(Memories& memories, NearCopies wanted);
// The memory node for accesses of a processor of the machine's: its near node; main memory: it has
// none.
int near_node_of(int pu);

}  // namespace xylem::hetero
