// `xylem mpi map`: where to put the ranks of an MPI program.
#pragma once

#include <string>

namespace xylem::tool::mpi {

struct MapOptions {
  std::string machine;   // a drawing of one machine; "": this one
  int machines = 1;      // of that kind
  std::string launcher;  // "": a table alone
  std::string hosts;     // comma-separated names; "": node0, node1, ...
  std::string output;    // the launcher's file; "": stdout
  std::string svg;       // "": no picture
};

// Returns the exit code; what is wrong is said in a line.
int map_ranks(const MapOptions& options, const std::string& file);

}  // namespace xylem::tool::mpi
