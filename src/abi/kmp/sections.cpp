// Owns: LLVM's entry points of the sections construct, for compilers that hand sections out one by
// one (Clang 19 makes a static loop of them). Sections are numbered from 0.
#include "omp/loops/sections.hpp"

#include <limits>

#include "abi/kmp/kmp.hpp"

using namespace xylem::abi::kmp;
using xylem::omp::current_member;

extern "C" {

// False in a team of one: the compiled code runs all sections and does not ask for the next one.
// How many there are is said with each question for the next one, by all members alike.
XYLEM_EXPORT int32_t __kmpc_sections_init(const Location*, ThreadNumber) {
  xylem::omp::Member& member = current_member();
  if (member.team->n == 1) return 0;
  sections_start(member, std::numeric_limits<int32_t>::max(), {});
  return 1;
}

// The section that the member is to run now; `count` or more when there are no more.
XYLEM_EXPORT int32_t __kmpc_next_section(const Location*, ThreadNumber, int32_t count) {
  const unsigned section = sections_next(current_member());
  return section == 0 ? count : static_cast<int32_t>(section - 1);
}

XYLEM_EXPORT void __kmpc_end_sections(const Location*, ThreadNumber) {
  end_nowait(current_member().work);  // the barrier, if there is one, has a call of its own
}

}  // extern "C"
