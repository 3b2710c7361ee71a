// A placement in the words of the launchers that start MPI programs.
//
// Owns: the formats, and how each is used. Pure functions from Mapping to text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tool/mpi/mapping.hpp"

namespace xylem::tool::mpi {

struct Launch {
  std::string file;     // contents of a file to write, "" if the launcher takes words alone
  std::string command;  // how the file is used; FILE stands for its name
};

// What a launcher is called on our command line, and what it is.
struct Launcher {
  const char* name;
  const char* about;
  Launch (*write)(const Cluster& cluster, const Mapping& mapping,
                  const std::vector<std::string>& hosts);
};

// `hosts` has a name for each machine of the cluster that `write` is given.
const std::vector<Launcher>& launchers();

// nullptr if there is none of that name.
const Launcher* find_launcher(std::string_view name);

}  // namespace xylem::tool::mpi
