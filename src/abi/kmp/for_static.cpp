// Owns: LLVM's entry points of loops with a static schedule. A member finds its part by itself: the
// loop has no record, and nothing that members share. So do sections, and teams (distribute).
#include "abi/kmp/kmp.hpp"
#include "abi/kmp/loop_bounds.hpp"
#include "abi/kmp/loop_entry.hpp"
#include "abi/kmp/schedule_decode.hpp"
#include "omp/loops/affinity.hpp"
#include "omp/team/query.hpp"
#include "omp/tool/work.hpp"

using namespace xylem::abi::kmp;
using xylem::omp::Chunk;
using xylem::omp::current_member;
using xylem::omp::IterationSpace;
using xylem::omp::Member;
using xylem::omp::Schedule;
namespace tool = xylem::omp::tool;

namespace {

// What an entry point reads and writes in the compiled code's memory.
template <typename Int>
struct Slots {
  int32_t* has_last;  // may be null
  Int* lower;
  Int* upper;
  Signed<Int>* stride;

  void put(const Part<Int>& part) const {
    *lower = part.lower;
    *upper = part.upper;
    *stride = part.stride;
    if (has_last) *has_last = part.has_last;
  }
};

Sharer this_team() { return {xylem::omp::team_num(), xylem::omp::num_teams()}; }
Sharer this_thread(const Member& member) { return {member.num, member.team->n}; }

tool::WorkKind kind_of(const Location* location) {
  if (location && location->flags & location_flags::sections) return tool::WorkKind::sections;
  if (location && location->flags & location_flags::distribute) return tool::WorkKind::distribute;
  return tool::WorkKind::loop_static;
}

// All chunks of one sharer, before it runs the first: the compiled code calls for no later one.
template <typename Int>
void tell_chunks(const LoopBounds<Int>& bounds, const Schedule& clause, Sharer sharer) {
  if (!tool::callback<tool::Event::dispatch>()) return;
  const IterationSpace space = space_of(bounds);
  const Schedule schedule = division(clause, space.count, sharer.of);
  for (uint64_t trip = 0;; ++trip) {
    const Chunk chunk = chunk_of(space.count, schedule, sharer, trip);
    if (!any(chunk)) return;
    tool::tell_divided_chunk(space, chunk);
  }
}

// The construct of `count` iterations, and the sharer's chunks of `bounds`. Inlined in entry
// points, as what calls it: a tool is told where they were called.
template <typename Int>
[[gnu::always_inline]] inline void tell(tool::WorkKind kind, uint64_t count,
                                        const LoopBounds<Int>& bounds, const Schedule& clause,
                                        Sharer sharer) {
  tool::begin_divided(tool::here(), kind, count);
  tell_chunks(bounds, clause, sharer);
}

// Plain schedule(static), of which the compiled code runs one chunk; not sections.
bool may_have_owners(const Location* location, const DecodedSchedule& decoded,
                     const Member& member) {
  const Schedule& schedule = decoded.schedule;
  return member.team->n > 1 && !decoded.among_teams && !schedule.whole_chunks &&
         schedule.kind == xylem::omp::LoopKind::static_block &&
         kind_of(location) == tool::WorkKind::loop_static;
}

// The loop at `code` has a record all the same, so that all members see the same owners.
Chunk owned_chunk(const IterationSpace& space, Member& member, const void* code) {
  if (space.count == 0) return {};
  xylem::omp::LoopRequest request;
  request.space = space;
  request.only_blocks = request.is_numbered = true;
  xylem::omp::add_affinity(request, code);
  xylem::omp::loop_start(member, request);
  const Chunk block = xylem::omp::owned_block(member, member.work.current());
  end_nowait(member.work);  // the barrier, if there is one, has a call of its own
  return block;
}

template <typename Int>
[[gnu::always_inline]] inline void init_owned(const Slots<Int>& slots,
                                              const LoopBounds<Int>& bounds, Member& member) {
  const IterationSpace space = space_of(bounds);
  const Chunk block = owned_chunk(space, member, tool::here().code);
  slots.put(any(block) ? block_part<Int>(space, block) : no_part(bounds));
  if (!tool::on()) [[likely]]
    return;
  tool::begin_divided(tool::here(), tool::WorkKind::loop_static, space.count);
  if (any(block)) tool::tell_divided_chunk(space, block);
}

template <typename Int>
[[gnu::always_inline]] inline void init_static(const Location* location, const Slots<Int>& slots,
                                               int32_t number, Signed<Int> step,
                                               Signed<Int> chunk) {
  Member& member = current_member();
  const DecodedSchedule decoded = decode_schedule(number, chunk);
  const LoopBounds<Int> bounds{*slots.lower, *slots.upper, step};
  if (told_of_doacross(member)) [[unlikely]] {
    xylem::omp::LoopRequest request;
    request.space = space_of(bounds);
    request.schedule = decoded.schedule;
    enter_loop(member, request);
  } else if (xylem::omp::loop_affinity.static_loops && may_have_owners(location, decoded, member))
      [[unlikely]] {
    return init_owned(slots, bounds, member);
  }
  const Sharer sharer = decoded.among_teams ? this_team() : this_thread(member);
  slots.put(part_of(bounds, decoded.schedule, sharer));
  if (tool::on()) [[unlikely]]
    tell(kind_of(location), space_of(bounds).count, bounds, decoded.schedule, sharer);
}

// The chunks of a team: dist_schedule(static, chunk).
template <typename Int>
[[gnu::always_inline]] inline void init_team_static(const Slots<Int>& slots, Signed<Int> step,
                                                    Signed<Int> chunk) {
  const DecodedSchedule decoded = decode_schedule(schedule_numbers::distribute_chunked, chunk);
  const LoopBounds<Int> bounds{*slots.lower, *slots.upper, step};
  slots.put(part_of(bounds, decoded.schedule, this_team()));
  if (tool::on()) [[unlikely]]
    tell(tool::WorkKind::distribute, space_of(bounds).count, bounds, decoded.schedule, this_team());
}

// A block for each team, and of that a part for each of its threads. *upper_of_team: the end of the
// team's block.
template <typename Int>
[[gnu::always_inline]] inline void init_both_static(const Slots<Int>& slots, int32_t number,
                                                    Int* upper_of_team, Signed<Int> step,
                                                    Signed<Int> chunk) {
  const LoopBounds<Int> all{*slots.lower, *slots.upper, step};
  const Part<Int> block = part_of(all, {}, this_team());
  const LoopBounds<Int> of_team{block.lower, block.upper, step};
  *upper_of_team = block.upper;
  const Schedule schedule = decode_schedule(number, chunk).schedule;
  const Sharer thread = this_thread(current_member());
  Part<Int> part = part_of(of_team, schedule, thread);
  part.has_last = part.has_last && block.has_last;
  slots.put(part);
  if (tool::on()) [[unlikely]]
    tell(tool::WorkKind::distribute, space_of(all).count, of_team, schedule, thread);
}

}  // namespace

extern "C" {

XYLEM_EXPORT void __kmpc_for_static_init_4(const Location* location, ThreadNumber, int32_t schedule,
                                           int32_t* last, int32_t* lower, int32_t* upper,
                                           int32_t* stride, int32_t step, int32_t chunk) {
  init_static<int32_t>(location, {last, lower, upper, stride}, schedule, step, chunk);
}

XYLEM_EXPORT void __kmpc_for_static_init_4u(const Location* location, ThreadNumber,
                                            int32_t schedule, int32_t* last, uint32_t* lower,
                                            uint32_t* upper, int32_t* stride, int32_t step,
                                            int32_t chunk) {
  init_static<uint32_t>(location, {last, lower, upper, stride}, schedule, step, chunk);
}

XYLEM_EXPORT void __kmpc_for_static_init_8(const Location* location, ThreadNumber, int32_t schedule,
                                           int32_t* last, int64_t* lower, int64_t* upper,
                                           int64_t* stride, int64_t step, int64_t chunk) {
  init_static<int64_t>(location, {last, lower, upper, stride}, schedule, step, chunk);
}

XYLEM_EXPORT void __kmpc_for_static_init_8u(const Location* location, ThreadNumber,
                                            int32_t schedule, int32_t* last, uint64_t* lower,
                                            uint64_t* upper, int64_t* stride, int64_t step,
                                            int64_t chunk) {
  init_static<uint64_t>(location, {last, lower, upper, stride}, schedule, step, chunk);
}

XYLEM_EXPORT void __kmpc_for_static_fini(const Location*, ThreadNumber) {
  if (tool::on()) [[unlikely]]
    tool::end_divided(tool::here());
}

XYLEM_EXPORT void __kmpc_team_static_init_4(const Location*, ThreadNumber, int32_t* last,
                                            int32_t* lower, int32_t* upper, int32_t* stride,
                                            int32_t step, int32_t chunk) {
  init_team_static<int32_t>({last, lower, upper, stride}, step, chunk);
}

XYLEM_EXPORT void __kmpc_team_static_init_4u(const Location*, ThreadNumber, int32_t* last,
                                             uint32_t* lower, uint32_t* upper, int32_t* stride,
                                             int32_t step, int32_t chunk) {
  init_team_static<uint32_t>({last, lower, upper, stride}, step, chunk);
}

XYLEM_EXPORT void __kmpc_team_static_init_8(const Location*, ThreadNumber, int32_t* last,
                                            int64_t* lower, int64_t* upper, int64_t* stride,
                                            int64_t step, int64_t chunk) {
  init_team_static<int64_t>({last, lower, upper, stride}, step, chunk);
}

XYLEM_EXPORT void __kmpc_team_static_init_8u(const Location*, ThreadNumber, int32_t* last,
                                             uint64_t* lower, uint64_t* upper, int64_t* stride,
                                             int64_t step, int64_t chunk) {
  init_team_static<uint64_t>({last, lower, upper, stride}, step, chunk);
}

XYLEM_EXPORT void __kmpc_dist_for_static_init_4(const Location*, ThreadNumber, int32_t schedule,
                                                int32_t* last, int32_t* lower, int32_t* upper,
                                                int32_t* upper_of_team, int32_t* stride,
                                                int32_t step, int32_t chunk) {
  init_both_static<int32_t>({last, lower, upper, stride}, schedule, upper_of_team, step, chunk);
}

XYLEM_EXPORT void __kmpc_dist_for_static_init_4u(const Location*, ThreadNumber, int32_t schedule,
                                                 int32_t* last, uint32_t* lower, uint32_t* upper,
                                                 uint32_t* upper_of_team, int32_t* stride,
                                                 int32_t step, int32_t chunk) {
  init_both_static<uint32_t>({last, lower, upper, stride}, schedule, upper_of_team, step, chunk);
}

XYLEM_EXPORT void __kmpc_dist_for_static_init_8(const Location*, ThreadNumber, int32_t schedule,
                                                int32_t* last, int64_t* lower, int64_t* upper,
                                                int64_t* upper_of_team, int64_t* stride,
                                                int64_t step, int64_t chunk) {
  init_both_static<int64_t>({last, lower, upper, stride}, schedule, upper_of_team, step, chunk);
}

XYLEM_EXPORT void __kmpc_dist_for_static_init_8u(const Location*, ThreadNumber, int32_t schedule,
                                                 int32_t* last, uint64_t* lower, uint64_t* upper,
                                                 uint64_t* upper_of_team, int64_t* stride,
                                                 int64_t step, int64_t chunk) {
  init_both_static<uint64_t>({last, lower, upper, stride}, schedule, upper_of_team, step, chunk);
}

}  // extern "C"
