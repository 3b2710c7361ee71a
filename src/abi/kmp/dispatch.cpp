// Owns: LLVM's entry points of loops whose chunks are handed out one by one: every schedule but the
// static ones, and all ordered loops.
#include "abi/kmp/kmp.hpp"
#include "abi/kmp/loop_bounds.hpp"
#include "abi/kmp/loop_entry.hpp"
#include "abi/kmp/schedule_decode.hpp"
#include "omp/loops/affinity.hpp"
#include "omp/team/query.hpp"
#include "omp/tool/work.hpp"

using namespace xylem::abi::kmp;
using xylem::omp::current_member;
namespace tool = xylem::omp::tool;

namespace {

// What a tool is told of: guided chunks of one thread are one block, as on libomp.
xylem::omp::LoopRequest as_told(xylem::omp::LoopRequest request, int threads) {
  using xylem::omp::LoopKind;
  if (threads == 1 && request.schedule.kind == LoopKind::guided)
    request.schedule.kind = LoopKind::static_block;
  return request;
}

// All of these are inlined in the entry points: a tool is told where they were called.

template <typename Int>
[[gnu::always_inline]] inline void init(int32_t number, const LoopBounds<Int>& bounds,
                                        Signed<Int> chunk) {
  const DecodedSchedule decoded = decode_schedule(number, chunk);
  xylem::omp::LoopRequest request;
  request.space = space_of(bounds);
  request.schedule = with_runtime(decoded);
  request.ordered = decoded.ordered;
  request.exact_chunks = decoded.one_by_one;
  xylem::omp::Member& member = current_member();
  if (xylem::omp::loops_are_named && !decoded.one_by_one && !told_of_doacross(member))
      [[unlikely]] {
    request.is_numbered = true;
    request.code = tool::here().code;
  }
  if (xylem::omp::loop_affinity.on && decoded.may_have_owners() && !told_of_doacross(member))
      [[unlikely]] {
    request.is_numbered = true;
    xylem::omp::add_affinity(request, tool::here().code);
  }
  if (tool::on()) [[unlikely]]
    tool::begin_work(tool::record_of(member),
                     tool::work_of(tool::here(), as_told(request, member.team->n)));
  enter_loop(member, request);
}

// The block of the calling thread's team is the loop. *last: the loop of all teams ends in it.
template <typename Int>
[[gnu::always_inline]] inline void init_of_team(int32_t number, int32_t* last,
                                                const LoopBounds<Int>& all, Signed<Int> chunk) {
  const Sharer team{xylem::omp::team_num(), xylem::omp::num_teams()};
  const Part<Int> block = part_of(all, {}, team);
  if (last) *last = block.has_last;
  init<Int>(number, {block.lower, block.upper, all.step}, chunk);
}

// Without more iterations nothing is written: *last says still what the member's last chunk was.
template <typename Int>
[[gnu::always_inline]] inline int32_t next(int32_t* last, Int* lower, Int* upper,
                                           Signed<Int>* stride) {
  xylem::omp::Member& member = current_member();
  xylem::omp::InclusiveBounds bounds;
  const bool any = tool::on() ? tool::loop_next(tool::here(), member, bounds)
                              : xylem::omp::loop_next(member, bounds);
  if (!any) {
    if (tool::on()) [[unlikely]]
      tool::end_divided(tool::here());
    end_nowait(member.work);  // the barrier, if there is one, has a call of its own
    return 0;
  }
  *lower = static_cast<Int>(bounds.first);
  *upper = static_cast<Int>(bounds.last);
  if (stride) *stride = static_cast<Signed<Int>>(bounds.step);
  if (last) *last = bounds.ends_loop;
  return 1;
}

}  // namespace

extern "C" {

XYLEM_EXPORT void __kmpc_dispatch_init_4(const Location*, ThreadNumber, int32_t schedule,
                                         int32_t lower, int32_t upper, int32_t step,
                                         int32_t chunk) {
  init<int32_t>(schedule, {lower, upper, step}, chunk);
}

XYLEM_EXPORT void __kmpc_dispatch_init_4u(const Location*, ThreadNumber, int32_t schedule,
                                          uint32_t lower, uint32_t upper, int32_t step,
                                          int32_t chunk) {
  init<uint32_t>(schedule, {lower, upper, step}, chunk);
}

XYLEM_EXPORT void __kmpc_dispatch_init_8(const Location*, ThreadNumber, int32_t schedule,
                                         int64_t lower, int64_t upper, int64_t step,
                                         int64_t chunk) {
  init<int64_t>(schedule, {lower, upper, step}, chunk);
}

XYLEM_EXPORT void __kmpc_dispatch_init_8u(const Location*, ThreadNumber, int32_t schedule,
                                          uint64_t lower, uint64_t upper, int64_t step,
                                          int64_t chunk) {
  init<uint64_t>(schedule, {lower, upper, step}, chunk);
}

XYLEM_EXPORT void __kmpc_dist_dispatch_init_4(const Location*, ThreadNumber, int32_t schedule,
                                              int32_t* last, int32_t lower, int32_t upper,
                                              int32_t step, int32_t chunk) {
  init_of_team<int32_t>(schedule, last, {lower, upper, step}, chunk);
}

XYLEM_EXPORT void __kmpc_dist_dispatch_init_4u(const Location*, ThreadNumber, int32_t schedule,
                                               int32_t* last, uint32_t lower, uint32_t upper,
                                               int32_t step, int32_t chunk) {
  init_of_team<uint32_t>(schedule, last, {lower, upper, step}, chunk);
}

XYLEM_EXPORT void __kmpc_dist_dispatch_init_8(const Location*, ThreadNumber, int32_t schedule,
                                              int32_t* last, int64_t lower, int64_t upper,
                                              int64_t step, int64_t chunk) {
  init_of_team<int64_t>(schedule, last, {lower, upper, step}, chunk);
}

XYLEM_EXPORT void __kmpc_dist_dispatch_init_8u(const Location*, ThreadNumber, int32_t schedule,
                                               int32_t* last, uint64_t lower, uint64_t upper,
                                               int64_t step, int64_t chunk) {
  init_of_team<uint64_t>(schedule, last, {lower, upper, step}, chunk);
}

XYLEM_EXPORT int32_t __kmpc_dispatch_next_4(const Location*, ThreadNumber, int32_t* last,
                                            int32_t* lower, int32_t* upper, int32_t* stride) {
  return next(last, lower, upper, stride);
}

XYLEM_EXPORT int32_t __kmpc_dispatch_next_4u(const Location*, ThreadNumber, int32_t* last,
                                             uint32_t* lower, uint32_t* upper, int32_t* stride) {
  return next(last, lower, upper, stride);
}

XYLEM_EXPORT int32_t __kmpc_dispatch_next_8(const Location*, ThreadNumber, int32_t* last,
                                            int64_t* lower, int64_t* upper, int64_t* stride) {
  return next(last, lower, upper, stride);
}

XYLEM_EXPORT int32_t __kmpc_dispatch_next_8u(const Location*, ThreadNumber, int32_t* last,
                                             uint64_t* lower, uint64_t* upper, int64_t* stride) {
  return next(last, lower, upper, stride);
}

// An iteration of an ordered loop has ended, or the loop. A turn that no ordered region handed on
// goes on when the member asks for its next chunk.
XYLEM_EXPORT void __kmpc_dispatch_fini_4(const Location*, ThreadNumber) {}
XYLEM_EXPORT void __kmpc_dispatch_fini_4u(const Location*, ThreadNumber) {}
XYLEM_EXPORT void __kmpc_dispatch_fini_8(const Location*, ThreadNumber) {}
XYLEM_EXPORT void __kmpc_dispatch_fini_8u(const Location*, ThreadNumber) {}
XYLEM_EXPORT void __kmpc_dispatch_deinit(const Location*, ThreadNumber) {}

}  // extern "C"
