// Where this command finds the library that it puts into programs, and what it starts.
#pragma once

#include <string>

namespace xylem::tool {

// The folder that holds libxylem.so, beside the folder of the running command: ../lib, ../lib64,
// ../lib/<machine> or the xylem folder in one of them. "" if it is in none.
std::string library_folder();

// The folder that holds bench/run and the programs that it times: ../bench in a build,
// ../libexec/xylem/bench where Xylem is installed. "" if there is none.
std::string bench_folder();

}  // namespace xylem::tool
