// What `xylem topo` shows: a machine with what this process may use of it.
//
// Owns: MachineView and the words for levels. Invariant: worker w is bound to the w-th allowed PU
// in tree order, as the runtime binds it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "topo/machine.hpp"

namespace xylem::tool {

struct MachineView {
  std::unique_ptr<topo::Machine> machine;
  std::span<const topo::Level> levels;  // the machine's collapsed or full ones
  std::vector<int> numbers;             // what each level is called by
  std::vector<int> node_at;             // node whose level this is; -1 if none
  std::vector<int> workers;             // worker of each logical PU; -1 if not allowed
  std::string host;                     // its name; what was drawn for a drawing
  int allowed = 0;
  double quota = 0;  // 0: none
  int team = 1;      // default team size
};

// A view on a loaded machine. `drawing` is the description, "" for this machine.
MachineView make_view(std::unique_ptr<topo::Machine> machine, const std::string& drawing,
                      bool full);

// "Package 1", "Node 0", "L3 2", "Core 5", "PU 12".
std::string level_title(const MachineView& view, int level);

// " (15.6 GiB)" for a level that holds memory, else "".
std::string level_memory(const MachineView& view, int level);

// "2 of 4 PUs allowed, no CPU quota, default team of 2 threads".
std::string allowance_text(const MachineView& view);

// "4 PUs, 2 nodes".
std::string machine_text(const MachineView& view);

}  // namespace xylem::tool
