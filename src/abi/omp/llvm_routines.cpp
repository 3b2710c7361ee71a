// Owns: those omp_* routines that answer programs linked with LLVM's libomp otherwise than those
// linked with libgomp. The linkers record LLVM's version of a name; symbols.table leads it here.
// None of these functions has a name outside.
#include "abi/omp/affinity_text.hpp"
#include "abi/omp/convert.hpp"
#include "omp/env/icv.hpp"
#include "omp/team/query.hpp"

using namespace xylem;
using abi::AffinityText;
using abi::c_text;
using abi::fortran_text;

namespace {

constexpr AffinityText affinity_text{omp::Door::llvm};
constexpr std::uint32_t monotonic_flag = 0x80000000u;  // omp_sched_monotonic

}  // namespace

extern "C" {

std::size_t xylem_llvm_omp_get_affinity_format(char* buffer, std::size_t room) {
  return affinity_text.format(buffer, room);
}
std::int32_t xylem_llvm_omp_get_affinity_format_(char* buffer, std::size_t room) {
  return affinity_text.fortran_format(buffer, room);
}

void xylem_llvm_omp_display_affinity(const char* format) { affinity_text.display(c_text(format)); }
void xylem_llvm_omp_display_affinity_(const char* format, std::size_t length) {
  affinity_text.display(fortran_text(format, length));
}

std::size_t xylem_llvm_omp_capture_affinity(char* buffer, std::size_t room, const char* format) {
  return affinity_text.capture(buffer, room, c_text(format));
}
std::int32_t xylem_llvm_omp_capture_affinity_(char* buffer, const char* format, std::size_t room,
                                              std::size_t length) {
  return affinity_text.fortran_capture(buffer, room, fortran_text(format, length));
}

// The modifier is shown where it was said in so many words: libgomp shows static with it always.
void xylem_llvm_omp_get_schedule(std::uint32_t* kind, int* chunk) {
  const omp::Icvs& icvs = omp::current_icvs();
  const omp::RunSchedule schedule = omp::run_schedule(icvs, omp::Door::llvm);
  *kind = static_cast<std::uint32_t>(schedule.kind) |
          (icvs.run_sched_says_monotonic ? monotonic_flag : 0);
  *chunk = schedule.chunk;
}
void xylem_llvm_omp_get_schedule_(std::uint32_t* kind, std::int32_t* chunk) {
  xylem_llvm_omp_get_schedule(kind, chunk);
}

}  // extern "C"
