// libgomp's entry points of the sections and scope constructs.
#include "omp/loops/sections.hpp"

#include "abi/gomp/clause_decode.hpp"
#include "abi/gomp/loop_decode.hpp"
#include "base/export.hpp"
#include "omp/team/team.hpp"

using namespace xylem::omp;

extern "C" {

XYLEM_EXPORT unsigned GOMP_sections2_start(unsigned count, uintptr_t* reductions, void** mem) {
  Member& member = current_member();
  const Extras extras = xylem::abi::decode_extras(reductions, mem);
  sections_start(member, count, extras);
  xylem::abi::answer_extras(member, extras, reductions, mem);
  return sections_next(member);
}

XYLEM_EXPORT unsigned GOMP_sections_start(unsigned count) {
  Member& member = current_member();
  sections_start(member, count, {});
  return sections_next(member);
}

XYLEM_EXPORT unsigned GOMP_sections_next() { return sections_next(current_member()); }

XYLEM_EXPORT void GOMP_sections_end() { team_barrier(current_member()); }
XYLEM_EXPORT bool GOMP_sections_end_cancel() { return team_barrier_cancel(current_member()); }
XYLEM_EXPORT void GOMP_sections_end_nowait() { end_nowait(current_member().work); }

XYLEM_EXPORT void GOMP_parallel_sections_start(void (*fn)(void*), void* data, unsigned num_threads,
                                               unsigned count) {
  parallel_loop_begin(fn, data, num_threads, ProcBind::none, sections_request(count));
}

XYLEM_EXPORT void GOMP_parallel_sections(void (*fn)(void*), void* data, unsigned num_threads,
                                         unsigned count, unsigned flags) {
  const ProcBind bind = xylem::abi::proc_bind(flags);
  parallel_loop_begin(fn, data, num_threads, bind, sections_request(count));
  fn(data);
  parallel_end();
}

XYLEM_EXPORT void GOMP_scope_start(uintptr_t* reductions) {
  Member& member = current_member();
  const Extras extras = xylem::abi::decode_extras(reductions, nullptr);
  construct_start(member, extras);
  xylem::abi::answer_extras(member, extras, reductions, nullptr);
}

}  // extern "C"
