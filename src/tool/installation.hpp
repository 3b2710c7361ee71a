// Where this command finds the library that it puts into programs.
#pragma once

#include <string>

namespace xylem::tool {

// The folder that holds libxylem.so, beside the folder of the running command: ../lib, ../lib64,
// ../lib/<machine> or the xylem folder in one of them. "" if it is in none.
std::string library_folder();

}  // namespace xylem::tool
