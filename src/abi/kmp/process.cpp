// Owns: LLVM's entry points about the process as a whole.
#include "abi/kmp/kmp.hpp"
#include "base/export.hpp"

using namespace xylem::abi::kmp;

extern "C" {

// The runtime starts when it is needed, and ends with the process.
XYLEM_EXPORT void __kmpc_begin(const Location*, int32_t) {}
XYLEM_EXPORT void __kmpc_end(const Location*) {}

XYLEM_EXPORT int32_t __kmpc_ok_to_fork(const Location*) { return 1; }

}  // extern "C"
