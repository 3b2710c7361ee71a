// Owns: hwloc's topology, opened as a description says: the real machine, an XML file or a
// synthetic description. Invariant: the process's binding is never touched, and plugins are not
// loaded unless an XML file needs one.
#pragma once

#include <hwloc.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>

#include "base/result.hpp"

namespace xylem::topo {

struct CloseTopology {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, CloseTopology>;

enum class Source : std::uint8_t { real, xml, synthetic };

struct Description {
  Source source = Source::real;
  std::array<char, 4096> text{};  // the file's path or the synthetic description
};

// Of the text that load_machine() takes. False: it is empty or too long.
bool parse_description(std::string_view text, Description& out);

// Devices are leaves beside the PUs; to look for them takes milliseconds.
enum class Devices : std::uint8_t { left_out, kept };

// Opens what is described, with those flags of hwloc's beside our own.
base::Result<Topology> open_topology(const Description& description, Devices devices,
                                     unsigned long flags = 0);

}  // namespace xylem::topo
