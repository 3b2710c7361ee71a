// libgomp's entry points of the sections and scope constructs.
#include "omp/loops/sections.hpp"

#include "abi/gomp/clause_decode.hpp"
#include "abi/gomp/loop_decode.hpp"
#include "base/export.hpp"
#include "omp/tool/regions.hpp"
#include "omp/tool/work.hpp"

using namespace xylem::omp;

namespace {

// Inlined in the entry points: a tool is told where they were called.
[[gnu::always_inline]] inline void enter_sections(Member& member, unsigned count,
                                                  const Extras& extras) {
  if (tool::on()) [[unlikely]]
    return tool::sections_start(tool::here(), member, count, extras);
  sections_start(member, count, extras);
}

[[gnu::always_inline]] inline unsigned next_section(Member& member) {
  if (tool::on()) [[unlikely]]
    return tool::sections_next(tool::here(), member);
  return sections_next(member);
}

}  // namespace

extern "C" {

XYLEM_EXPORT unsigned GOMP_sections2_start(unsigned count, uintptr_t* reductions, void** mem) {
  Member& member = current_member();
  const Extras extras = xylem::abi::decode_extras(reductions, mem);
  enter_sections(member, count, extras);
  xylem::abi::answer_extras(member, extras, reductions, mem);
  return next_section(member);
}

XYLEM_EXPORT unsigned GOMP_sections_start(unsigned count) {
  Member& member = current_member();
  enter_sections(member, count, {});
  return next_section(member);
}

XYLEM_EXPORT unsigned GOMP_sections_next() { return next_section(current_member()); }

XYLEM_EXPORT void GOMP_sections_end() {
  if (tool::on()) [[unlikely]]
    return tool::construct_end(tool::here());
  team_barrier(current_member());
}
XYLEM_EXPORT bool GOMP_sections_end_cancel() {
  if (tool::on()) [[unlikely]]
    return tool::construct_end_cancel(tool::here());
  return team_barrier_cancel(current_member());
}
XYLEM_EXPORT void GOMP_sections_end_nowait() {
  if (tool::on()) [[unlikely]]
    return tool::construct_end_nowait(tool::here());
  end_nowait(current_member().work);
}

XYLEM_EXPORT void GOMP_parallel_sections_start(void (*fn)(void*), void* data, unsigned num_threads,
                                               unsigned count) {
  const LoopRequest request = sections_request(count);
  if (tool::on()) [[unlikely]]
    return tool::parallel_loop_begin(tool::here(),
                                     {.function = fn, .data = data, .wanted = num_threads}, request,
                                     tool::work_of_sections(tool::here(), request));
  parallel_loop_begin(fn, data, num_threads, ProcBind::none, request);
}

XYLEM_EXPORT void GOMP_parallel_sections(void (*fn)(void*), void* data, unsigned num_threads,
                                         unsigned count, unsigned flags) {
  const ProcBind bind = xylem::abi::proc_bind(flags);
  const LoopRequest request = sections_request(count);
  if (tool::on()) [[unlikely]] {
    tool::parallel_loop(tool::here(),
                        {.function = fn, .data = data, .wanted = num_threads, .bind = bind},
                        request, tool::work_of_sections(tool::here(), request));
    return;
  }
  parallel_loop_begin(fn, data, num_threads, bind, request);
  fn(data);
  parallel_end();
}

XYLEM_EXPORT void GOMP_scope_start(uintptr_t* reductions) {
  Member& member = current_member();
  const Extras extras = xylem::abi::decode_extras(reductions, nullptr);
  if (tool::on()) [[unlikely]]
    tool::construct_start(tool::here(), member, extras);
  else
    construct_start(member, extras);
  xylem::abi::answer_extras(member, extras, reductions, nullptr);
}

}  // extern "C"
