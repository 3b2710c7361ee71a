// Owns: by what names files know OpenMP's runtimes and their functions.
#pragma once

#include <string_view>

namespace xylem::os {

// What of a path stands behind its last slash; all of it where there is none.
inline std::string_view file_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// True if `path` names the library `stem`, as it is ("libgomp.so.1") or as a wheel carries it, with
// a part of its checksum in the name ("libgomp-a34b3233.so.1.0.0").
bool is_library(std::string_view path, std::string_view stem);

// True for a runtime that Xylem stands in for, under either name.
bool is_openmp_runtime(std::string_view path);

// True for the functions that compilers call for OpenMP's constructs, and for its routines.
bool is_openmp_function(const char* symbol);

}  // namespace xylem::os
