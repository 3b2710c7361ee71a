// Owns: the memory nodes that this layer places pages on: the machine's, by its numbers, and what
// the kernel calls them.
//
// On a synthetic machine (XYLEM_MACHINE) nodes of the synthetic machine are not the kernel's: pages
// then live in our records of synthetic machines alone (synthetic_pages.hpp), the kernel is asked
// nothing, and counts come out as they would on such a machine (DESIGN section 9).
#pragma once

#include <cstdint>
#include <vector>

#include "os/numa.hpp"
#include "topo/machine.hpp"

namespace xylem::mem {

// Called once when the runtime starts, before anything else of this layer. The machine stays.
void start(const topo::Machine& machine);
const topo::Machine& machine();

int node_count();
// Nodes are the kernel's, and there is more than one.
bool kernel_places_pages();
// The nodes are those of a synthetic machine.
bool nodes_are_synthetic();

int kernel_node(int node);         // -1: the kernel does not have it
int node_of_kernel(int os_index);  // -1: the machine does not have it
int node_of_pu(int pu);            // the nearest; -1
// Where the calling thread runs now: its worker's PU, or the processor of a thread that the runtime
// has not met. -1: not known.
int current_node();
using NodeList = std::vector<int>;
NodeList usable_nodes();        // with memory that the process may take, by number; reads sysfs
bool has_memory(int node);      // and the process may take from it
int64_t total_bytes(int node);  // -1: not known
int64_t free_bytes(
    int node);  // likewise; reads sysfs, on a synthetic machine the records of synthetic machines
// Bytes by node that pages can still be moved into: what is free but for what the kernel keeps for
// itself. Empty where that is not known. Reads files that are long on large machines.
std::vector<int64_t> room_bytes();
// The node, of those with memory that the process may use, with the most free memory.
int least_loaded_node();
// The node itself if it has memory that the process may use, else the nearest that has.
int nearest_with_memory(int node);

// Counts a call that the kernel refused, and says so once. `what` goes on "the kernel refuses to ".
void record_refusal(const char* what, int error);
int64_t refusals();

}  // namespace xylem::mem
