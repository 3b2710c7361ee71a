// The machine as an immutable tree of levels, made from hwloc.
//
// Owns: Machine, its levels, nodes, distances and memory attributes. Invariant (kept by check()):
// levels are in breadth-first order, the children of a level are contiguous and partition its PUs,
// leaves and only leaves are PUs, and logical PU numbers 0..pu_count-1 follow the tree from left
// to right. A Machine never changes after load_machine(), so any thread may read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "os/cpus.hpp"

namespace xylem::topo {

// `group` is what hwloc calls Group or Die: PUs that are near each other for no named reason.
enum class LevelKind : std::uint8_t { machine, package, node, cache, core, pu, group };

// The kind in lower case, as it is printed; the literal lives for ever.
const char* kind_name(LevelKind kind);

struct Level {
  LevelKind kind = LevelKind::machine;
  std::uint8_t cache_depth = 0;   // 3 for L3 ...; 0 for what is no cache
  std::uint16_t merged = 0;       // bits_of() each level of these PUs, if this stands for a chain
  int os_index = -1;              // as hwloc's os_index; -1 if none
  std::uint64_t cache_bytes = 0;  // of a cache; 0 also where hwloc does not know
  int parent = -1;                // index in the same tree; -1 for the machine
  int first_child = -1;           // children are first_child .. first_child + child_count - 1
  int child_count = 0;
  int first_pu = 0;  // logical PUs first_pu .. first_pu + pu_count - 1 lie below
  int pu_count = 0;

  // True if it is such a level, or stands for one. A cache of that depth; 0: of any.
  bool stands_for(LevelKind wanted, int depth = 0) const;
};

// A set of kinds and of depths of caches, of one level: a bit for each.
std::uint16_t bits_of(LevelKind kind, int cache_depth);

// A bank of memory. Several may share one level (HBM beside DRAM); one without PUs has level -1.
struct Node {
  int os_index = -1;
  int level = -1;       // index in levels() of the level that holds exactly its PUs
  int full_level = -1;  // the same in full_levels()
  std::uint64_t bytes = 0;
};

struct Pu {
  int os_index = -1;
  int level = -1;       // index in levels()
  int full_level = -1;  // index in full_levels()
  int node = -1;        // index of the nearest node; -1 if the machine has none above it
  bool allowed = true;  // false only for real machines loaded without restriction
};

class Machine {
 public:
  // The default tree: chains of levels that hold the same PUs are one level. Of a chain that holds
  // the root the machine stays, of one that ends in a leaf the PU; else node, package, core,
  // group, then the outermost cache. levels()[0] is the machine.
  std::span<const Level> levels() const { return levels_; }
  // Every level, chains kept, with the same logical PUs.
  std::span<const Level> full_levels() const { return full_levels_; }

  int pu_count() const { return static_cast<int>(pus_.size()); }
  std::span<const Pu> pus() const { return pus_; }
  int pu_level(int pu) const { return pus_[static_cast<std::size_t>(pu)].level; }
  int pu_os_index(int pu) const { return pus_[static_cast<std::size_t>(pu)].os_index; }
  int pu_node(int pu) const { return pus_[static_cast<std::size_t>(pu)].node; }
  // Logical PU with this os index, or -1.
  int pu_of_os_index(int os_index) const;
  // Lowest level of levels() that holds both logical PUs.
  int common_level(int pu_a, int pu_b) const;

  // True if made from a drawing, not the machine we run on: workers are not bound.
  bool synthetic() const { return drawn_; }

  // Nodes are numbered 0 .. node_count() - 1 in hwloc's logical order.
  int node_count() const { return static_cast<int>(nodes_.size()); }
  const Node& node(int index) const { return nodes_[static_cast<std::size_t>(index)]; }
  // Index of the node with this os index, or -1.
  int node_of_os_index(int os_index) const;
  // Of each node, Node::level.
  std::vector<int> node_levels() const;

  // Relative latency of reaching `to` from `from` as the firmware tells it (10 is local).
  bool has_distances() const { return !distances_.empty(); }
  std::uint64_t distance(int from, int to) const { return at(distances_, from, to); }

  // From the PUs of node `from` to memory of node `to`; 0 where hwloc does not know.
  std::uint64_t bandwidth_mib(int from, int to) const { return at(bandwidths_, from, to); }
  std::uint64_t latency_ns(int from, int to) const { return at(latencies_, from, to); }

  // Walks the whole machine; nullptr if every invariant holds, else which one does not.
  const char* check() const;

 private:
  friend class Builder;
  friend class MachineFile;

  std::uint64_t at(const std::vector<std::uint64_t>& matrix, int from, int to) const {
    if (matrix.empty()) return 0;
    return matrix[static_cast<std::size_t>(from) * nodes_.size() + static_cast<std::size_t>(to)];
  }

  std::vector<Level> levels_;
  std::vector<Level> full_levels_;
  std::vector<Pu> pus_;
  std::vector<Node> nodes_;
  std::vector<std::uint64_t> distances_;   // node_count() squared, or empty if unknown
  std::vector<std::uint64_t> bandwidths_;  // likewise
  std::vector<std::uint64_t> latencies_;   // likewise
  bool drawn_ = false;
};

// description: "" is this machine; "xml:FILE" or a path that ends in .xml is an hwloc XML file;
// anything else is an hwloc synthetic description ("pack:2 [numa] core:4 pu:2"). With
// restrict_to_allowed only the PUs of the process's affinity mask and cgroup are there; a synthetic
// machine is never restricted. The caller owns the machine (delete). Not for signal handlers.
base::Result<Machine*> load_machine(std::string_view description, bool restrict_to_allowed);

// The same of this machine, restricted to `allowed` (not empty). What was read is kept in a file in
// the folder `cache_folder`/xylem (kept_machine.hpp), and taken from there until the next boot;
// "": nothing is kept.
base::Result<Machine*> load_this_machine(const os::CpuSet& allowed, const char* cache_folder);

// How many threads may really run at once: the least of the PUs allowed and the CPU quota rounded
// up (quota <= 0: none), at least 1.
int usable_threads(int allowed, double quota);

}  // namespace xylem::topo
