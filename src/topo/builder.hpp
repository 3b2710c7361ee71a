// Fills one Machine from one hwloc topology.
//
// Owns: Builder, the only friend of Machine. Invariant: it reads the topology and changes nothing
// in it; the Machine keeps nothing of it.
#pragma once

#include <hwloc.h>

#include <cstdint>
#include <vector>

#include "os/cpus.hpp"
#include "topo/machine.hpp"
#include "topo/tree.hpp"

namespace xylem::topo {

class Builder {
 public:
  Builder(hwloc_topology_t topology, Machine& machine) : topology_(topology), machine_(machine) {}

  // allowed: which PUs the process may use; nullptr: all that are there.
  void build(const os::CpuSet* allowed, bool drawn);

 private:
  int add_object(hwloc_obj_t object, int around);
  int add_memory(hwloc_obj_t object, int below);
  void add_bank(hwloc_obj_t bank, int draft);
  int new_draft(const Level& level);
  void add_pu(hwloc_obj_t object, int draft);
  void place_all();
  void offer_node(int node);
  int pus_of_node(int node) const;
  void read_distances();
  void read_attribute(hwloc_memattr_id_t id, std::vector<std::uint64_t>& matrix);
  std::uint64_t attribute(hwloc_memattr_id_t id, hwloc_obj_t from, hwloc_obj_t to) const;

  hwloc_topology_t topology_;
  Machine& machine_;
  std::vector<Draft> drafts_;
  std::vector<int> pu_drafts_;    // draft of each PU
  std::vector<int> node_drafts_;  // draft of each node's level; -1 for one without PUs
};

}  // namespace xylem::topo
