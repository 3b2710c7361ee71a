// Owns: the two families of entry points that programs call the runtime by: GCC's and LLVM's. Where
// GCC's libgomp and LLVM's libomp answer differently, a program gets what the runtime answers that
// it was built with: an entry point knows its family by its name, an omp_ routine by the version of
// the name that the program was linked with (src/abi/symbols.table).
#pragma once

#include <cstdint>

namespace xylem::omp {

enum class Door : std::uint8_t { gnu, llvm };

}  // namespace xylem::omp
