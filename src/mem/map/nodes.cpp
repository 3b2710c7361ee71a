// Owns: nodes. See nodes.hpp.
#include "mem/map/nodes.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/report.hpp"
#include "mem/map/caller.hpp"
#include "mem/map/synthetic_pages.hpp"
#include "os/memory.hpp"
#include "os/running.hpp"
#include "os/zones.hpp"

namespace xylem::mem {

namespace {

// Written before anything else of this layer runs.
constinit const topo::Machine* the_machine = nullptr;
constinit std::atomic<int64_t> refused{0};  // relaxed: a count

// Processors beside no memory: the nearest node of each, by PU; null where there are none. Written
// with the machine.
constinit int* far_pus = nullptr;

bool is_node(int node) { return node >= 0 && node < node_count(); }

int64_t told_bytes(int node) { return static_cast<int64_t>(machine().node(node).bytes); }

// The kernel's nodes with memory that the process may use; all when it does not say.
os::NodeSet usable_kernel_nodes() {
  os::NodeSet usable;
  os::NodeSet allowed;
  const bool known = os::nodes_with_memory(usable) == 0;
  const bool limited = os::nodes_allowed(allowed) == 0;
  for (size_t i = 0; i < usable.words.size(); ++i) {
    if (!known) usable.words[i] = ~0ul;
    if (limited) usable.words[i] &= allowed.words[i];
  }
  return usable;
}

bool takes_memory(int node, const os::NodeSet& usable) {
  return nodes_are_synthetic() ? told_bytes(node) > 0 : usable.has(kernel_node(node));
}

bool has_far_pus() {
  const auto pus = machine().pus();
  return std::any_of(pus.begin(), pus.end(), [](const topo::Pu& pu) { return pu.node < 0; });
}

// By the kernel's distances; where nobody knows any, the first node.
int nearest_by_distance(int cpu) {
  int best = 0;
  int least = -1;
  for (int node = 0; !nodes_are_synthetic() && node < node_count(); ++node) {
    const int distance = os::distance_to_node(cpu, kernel_node(node));
    if (told_bytes(node) == 0 || distance < 0 || (least >= 0 && distance >= least)) continue;
    best = node;
    least = distance;
  }
  return best;
}

int* find_far_pus() {
  auto* found = new int[static_cast<size_t>(machine().pu_count())];
  for (int pu = 0; pu < machine().pu_count(); ++pu)
    found[pu] = machine().pu_node(pu) < 0 ? nearest_by_distance(machine().pu_os_index(pu)) : -1;
  return found;
}

}  // namespace

void start(const topo::Machine& machine) {
  the_machine = &machine;
  delete[] far_pus;
  far_pus = has_far_pus() ? find_far_pus() : nullptr;
}
const topo::Machine& machine() { return *the_machine; }

int node_count() { return machine().node_count(); }
bool nodes_are_synthetic() { return machine().synthetic(); }
bool kernel_places_pages() { return !nodes_are_synthetic() && node_count() > 1; }

int kernel_node(int node) {
  return nodes_are_synthetic() || !is_node(node) ? -1 : machine().node(node).os_index;
}
int node_of_kernel(int os_index) {
  return nodes_are_synthetic() ? -1 : machine().node_of_os_index(os_index);
}
int node_of_pu(int pu) {
  if (pu < 0 || pu >= machine().pu_count()) return -1;
  const int node = machine().pu_node(pu);
  return node < 0 && far_pus ? far_pus[pu] : node;
}

// On a real machine the kernel knows best: external threads are not bound. A processor that the
// machine in force does not have came with a wider cpuset.
int current_node() {
  if (nodes_are_synthetic()) return node_of_pu(caller().pu());
  const os::RunningOn here = os::running_on();
  const int node = node_of_pu(here.cpu >= 0 ? machine().pu_of_os_index(here.cpu) : -1);
  if (node >= 0) return node;
  const int of_kernel = node_of_kernel(here.node);
  return of_kernel >= 0 ? of_kernel : nearest_by_distance(here.cpu);
}

NodeList usable_nodes() {
  const os::NodeSet usable = nodes_are_synthetic() ? os::NodeSet{} : usable_kernel_nodes();
  NodeList list;
  for (int node = 0; node < node_count(); ++node)
    if (takes_memory(node, usable)) list.push_back(node);
  return list;
}

bool has_memory(int node) {
  if (!is_node(node)) return false;
  return takes_memory(node, nodes_are_synthetic() ? os::NodeSet{} : usable_kernel_nodes());
}

int64_t total_bytes(int node) {
  if (!is_node(node)) return -1;
  return nodes_are_synthetic() ? told_bytes(node) : os::node_memory(kernel_node(node)).total;
}

int64_t free_bytes(int node) {
  if (!is_node(node)) return -1;
  if (!nodes_are_synthetic()) return os::node_memory(kernel_node(node)).free;
  return told_bytes(node) -
         synthetic_pages().pages_on(node) * static_cast<int64_t>(os::page_size());
}

std::vector<int64_t> room_bytes() {
  std::vector<int64_t> room, kept;
  if (!nodes_are_synthetic()) os::free_bytes_kept(kept);  // where that is not known all is room
  for (int node = 0; node < node_count(); ++node) {
    const int64_t free = free_bytes(node);
    if (free < 0) return {};
    const auto of_kernel = static_cast<std::size_t>(kernel_node(node));  // -1: above all
    room.push_back(free - (of_kernel < kept.size() ? kept[of_kernel] : 0));
  }
  return room;
}

int least_loaded_node() {
  int best = -1;
  int64_t most = -1;
  for (const int node : usable_nodes()) {
    const int64_t free = free_bytes(node);
    if (best >= 0 && free <= most) continue;
    best = node;
    most = free;
  }
  return best >= 0 ? best : 0;
}

int nearest_with_memory(int node) {
  int best = -1;
  for (const int other : usable_nodes()) {
    if (other == node) return node;
    const bool nearer = best >= 0 && machine().has_distances() &&
                        machine().distance(node, other) < machine().distance(node, best);
    if (best < 0 || nearer) best = other;
  }
  return best >= 0 ? best : node;
}

void record_refusal(const char* what, int error) {
  refused.fetch_add(1, std::memory_order_relaxed);
  const char* name = strerrorname_np(error < 0 ? -error : error);
  base::warn_once(
      "the kernel refuses to %s (%s): the program goes on, and pages stay where they are; "
      "`xylem doctor` tells what the process may do",
      what, name ? name : "unknown error");
}
int64_t refusals() { return refused.load(std::memory_order_relaxed); }

}  // namespace xylem::mem
