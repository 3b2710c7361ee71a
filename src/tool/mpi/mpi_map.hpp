// `xylem mpi map`: where to put the ranks of an MPI program.
#pragma once

#include <string>

#include "tool/mpi/mapping.hpp"

namespace xylem::tool::mpi {

struct MapOptions {
  std::string machine;   // a drawing of one machine; "": this one
  int machines = 1;      // of that kind
  int cores = 0;         // of a place; 0: one, or a PU where ranks outnumber cores
  std::string launcher;  // "": a table alone
  std::string hosts;     // comma-separated names; "": node0, node1, ...
  std::string output;    // the launcher's file; "": stdout
  std::string svg;       // "": no picture
};

struct Placement {
  Cluster cluster;
  Mapping mapping;
};

// Places the ranks of the file. Throws InputError.
Placement place_ranks(const MapOptions& options, const std::string& file);

// Shows it. Returns the exit code; what is wrong is said in a line.
int map_ranks(const MapOptions& options, const std::string& file);

}  // namespace xylem::tool::mpi
