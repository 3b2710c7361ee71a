// Owns: where in the machine's tree devices stand: accelerators are leaves of it (paper 002,
// chapter 3), each at the level whose PUs are near it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "topo/machine.hpp"

namespace xylem::topo {

// By address on the PCI buses ("0000:3b:00.0"; "": unknown): the index in machine.levels() of the
// lowest level that holds all the machine's PUs that hwloc says are near the device. 0, the
// machine: they are all, or it is not known. `description` is what the machine was made from, as
// for load_machine(). Reads the machine once more, which takes milliseconds.
std::vector<int> levels_of_devices(const Machine& machine, std::string_view description,
                                   std::span<const char* const> addresses);

}  // namespace xylem::topo
