// Owns: near nodes on the machine's memory. See near_nodes.hpp.
#include "hetero/run/near_nodes.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "hetero/data/memory_node.hpp"
#include "mem/cost/costs.hpp"
#include "mem/heap/heap.hpp"
#include "mem/map/memory.hpp"
#include "mem/map/nodes.hpp"

namespace xylem::hetero {

namespace {

// So many pages of a piece tell where it lies.
constexpr size_t most_pages_asked = 16;
constexpr size_t alignment = 64;

// By the machine's number of the node: its near node; main_memory: it has none. Written once,
// before the first task.
constinit std::array<int, most_near_nodes> near_nodes{};

int locate(const void* start, size_t bytes) {
  std::array<int64_t, most_near_nodes> by_node{};
  const auto nodes = static_cast<size_t>(mem::node_count());
  mem::add_bytes_by_node(start, bytes, std::span(by_node).first(nodes), most_pages_asked);
  const auto most = std::max_element(by_node.begin(), by_node.end());
  return *most == 0 ? unknown_node : static_cast<int>(most - by_node.begin());
}

int number_of(int numa) {
  return numa < 0 || numa >= most_near_nodes ? main_memory : near_nodes[static_cast<size_t>(numa)];
}

// By where the kernel thread runs: one of the program's own serves a PU and is bound to none.
int here() { return number_of(mem::current_node()); }

// The driver's device is the machine's number of the node, plus 1.
void* device_of(int numa) { return reinterpret_cast<void*>(static_cast<intptr_t>(numa) + 1); }
int numa_of(void* device) { return static_cast<int>(reinterpret_cast<intptr_t>(device)) - 1; }

MemoryDriver driver_of(int numa) {
  MemoryDriver driver;
  driver.device = device_of(numa);
  driver.allocate = [](void* device, size_t bytes) {
    return mem::heap_allocate(numa_of(device), bytes, alignment, true);
  };
  driver.release = [](void*, void* memory) { mem::heap_free(memory); };
  return driver;
}

// Half of what is free when codelets start: the rest is the program's.
size_t capacity_of(int numa) {
  const int64_t free = mem::free_bytes(numa);
  return free < 0 ? SIZE_MAX : static_cast<size_t>(free) / 2;
}

bool has_processors(int numa) {
  for (int pu = 0; pu < mem::machine().pu_count(); ++pu)
    if (mem::node_of_pu(pu) == numa) return true;
  return false;
}

}  // namespace

void add_near_nodes(Memories& memories, NearCopies wanted) {
  if (wanted == NearCopies::off || mem::node_count() < 2 || mem::node_count() > most_near_nodes)
    return;
  const plan::Costs& costs = mem::known_costs();
  if (wanted == NearCopies::measured && !costs.measured) return;
  for (const int numa : mem::usable_nodes())
    if (has_processors(numa))
      near_nodes[static_cast<size_t>(numa)] =
          memories.add_near(driver_of(numa), numa, capacity_of(numa), {&costs, locate, here});
}

int near_node_of(int pu) { return number_of(mem::node_of_pu(pu)); }

}  // namespace xylem::hetero
