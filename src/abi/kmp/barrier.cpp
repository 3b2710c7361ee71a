// Owns: LLVM's entry points of barriers, and of constructs that one thread runs: single, master,
// masked. Decodes, calls omp/, returns.
#include "abi/kmp/kmp.hpp"
#include "base/export.hpp"
#include "omp/loops/single.hpp"

using namespace xylem::abi::kmp;
using xylem::omp::current_member;

extern "C" {

XYLEM_EXPORT void __kmpc_barrier(const Location*, ThreadNumber) {
  xylem::omp::team_barrier(current_member());
}

XYLEM_EXPORT int32_t __kmpc_single(const Location*, ThreadNumber) {
  return xylem::omp::single_enter(current_member());
}
XYLEM_EXPORT void __kmpc_end_single(const Location*, ThreadNumber) {}

XYLEM_EXPORT int32_t __kmpc_master(const Location*, ThreadNumber) {
  return current_member().num == 0;
}
XYLEM_EXPORT void __kmpc_end_master(const Location*, ThreadNumber) {}

XYLEM_EXPORT int32_t __kmpc_masked(const Location*, ThreadNumber, int32_t filter) {
  return current_member().num == filter;
}
XYLEM_EXPORT void __kmpc_end_masked(const Location*, ThreadNumber) {}

}  // extern "C"
