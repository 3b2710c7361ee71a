// Owns: worksharing loops of a team. See loop.hpp.
#include "omp/loops/loop.hpp"

#include <algorithm>

#include "base/relax.hpp"
#include "omp/env/settings.hpp"
#include "omp/loops/affinity.hpp"
#include "omp/loops/ordered.hpp"
#include "omp/loops/repeated.hpp"
#include "omp/tasks/task_reduction.hpp"
#include "omp/team/query.hpp"
#include "omp/team/team.hpp"
#include "omp/team/team_memory.hpp"

namespace xylem::omp {

constinit bool loops_are_named = false;

Schedule make_schedule(ScheduleKind kind, uint64_t chunk, ChunkOrder order) {
  const uint64_t at_least_one = std::max<uint64_t>(chunk, 1);
  switch (kind) {
    case ScheduleKind::dynamic_schedule:
      return {.kind = LoopKind::dynamic, .order = order, .chunk = at_least_one};
    case ScheduleKind::guided_schedule:
    case ScheduleKind::trapezoidal_schedule:
      return {.kind = LoopKind::guided, .chunk = at_least_one};
    case ScheduleKind::static_schedule:
      if (chunk != 0) return {.kind = LoopKind::static_chunk, .chunk = chunk};
      break;
    case ScheduleKind::auto_schedule:
      break;
  }
  return {};
}

Schedule runtime_schedule(ChunkOrder order, Door door) {
  const Icvs& icvs = current_icvs();
  if (icvs.run_sched_monotonic) order = ChunkOrder::monotonic;
  if (icvs.run_sched_nonmonotonic && order == ChunkOrder::unsaid) order = ChunkOrder::any;
  RunSchedule said = run_schedule(icvs, door);
  if (door == Door::llvm && said.kind == ScheduleKind::auto_schedule)
    said = {ScheduleKind::guided_schedule, 1};  // as libomp takes it
  return make_schedule(said.kind, said.chunk > 0 ? static_cast<uint64_t>(said.chunk) : 0, order);
}

Schedule settle(const Schedule& schedule, uint64_t count, int members) {
  if (!schedule.whole_chunks || schedule.kind != LoopKind::static_block || count == 0)
    return schedule;
  const uint64_t share = steps(count, static_cast<uint64_t>(members));
  return {.kind = LoopKind::static_chunk, .chunk = multiple_from(share, schedule.chunk)};
}

namespace {

DoacrossBlocks doacross_blocks(const LoopRequest& request, int members) {
  if (request.any_owner) return {false, 1, members};
  const Schedule schedule = settle(request.schedule, request.space.count, members);
  switch (schedule.kind) {
    case LoopKind::static_block:
    case LoopKind::none:
    case LoopKind::affinity:  // no doacross loop has it, nor owners
    case LoopKind::owned_block:
    case LoopKind::owned_cyclic:
    case LoopKind::recorded:  // likewise
    case LoopKind::repeated:
    case LoopKind::dealt_in_turn:
      return {true, 1, members};
    case LoopKind::static_chunk:
    case LoopKind::dynamic:
    case LoopKind::dealt:
      return {false, schedule.chunk, members};
    case LoopKind::guided:  // chunks of any size: each iteration is a block
      return {false, 1, members};
  }
  return {};
}

// Of the member that makes the record, before the others see it.
void prepare_extras(Member& member, WorkShare& share, const Extras& extras) {
  if (extras.reductions) {
    begin_shared_reductions(member, extras.reductions, nullptr);
    share.reductions = extras.reductions;
  }
  if (extras.memory != 0) share.make_memory(extras.memory, extras.contents);
}

// Of the members that come later.
void join_extras(Member& member, WorkShare& share, const Extras& extras) {
  if (extras.reductions) begin_shared_reductions(member, extras.reductions, share.reductions);
}

}  // namespace

namespace {

bool in_any_order(ChunkOrder order) {
  if (order == ChunkOrder::unsaid) return read_runtime_settings().nonmonotonic;
  return order == ChunkOrder::any;
}

void deal_if_worth(WorkShare& share, int members, const LoopRequest& request) {
  Loop& loop = share.loop;
  if (!in_any_order(request.schedule.order) || request.ordered || request.depth != 0) return;
  const uint64_t chunks = loop.space.count == 0 ? 0 : steps(loop.space.count, loop.chunk);
  const int ranges = std::min(members, globals().usable_threads);  // lane_of() says whose
  if (!LoopRanges::worth(chunks, ranges)) return;
  loop.kind = LoopKind::dealt;
  share.site = nullptr;
  share.ranges.deal(chunks, ranges, members_a_node(ranges));
}

// True where something is remembered of the loop by which it is divided, which is dynamic or
// guided.
bool divide_as_known(WorkShare& share, int members, const LoopRequest& request) {
  if (request.code == nullptr) return false;
  if (dynamic_loops_repeat && repeat_loop(share, members, request)) return true;
  return loop_affinity.dynamic_loops && share.loop.kind == LoopKind::dynamic &&
         deal_to_owners(share, members, request);
}

// Members that take guided chunks by their numbers go through the sizes of all. For two on each
// processor that is less than what exchanges cost that others make fail (scale.md); it is more for
// many on a few, and where there is one.
bool takes_by_adding(const Loop& loop, int members) {
  if (loop.kind != LoopKind::guided) return fits_fetch_add(loop.space.count, loop.chunk, members);
  const int processors = globals().usable_threads;
  return processors > 1 && members <= 2 * processors;
}

bool is_dynamic(LoopKind kind) { return kind == LoopKind::dynamic || kind == LoopKind::guided; }

// A member that is alone gets all chunks, in their order: they may as well be one.
Schedule schedule_for(int members, const LoopRequest& request) {
  if (members == 1 && !request.exact_chunks) return {};
  return settle(request.schedule, request.space.count, members);
}

}  // namespace

void prepare_loop(WorkShare& share, int members, const LoopRequest& request) {
  Loop& loop = share.loop;
  const Schedule schedule = schedule_for(members, request);
  loop.kind = schedule.kind;
  loop.chunk = schedule.chunk;
  loop.whole_chunks = schedule.whole_chunks;
  loop.space = request.space;
  loop.fetch_add = takes_by_adding(loop, members);
  loop.ordered = request.ordered && members > 1;  // one member's iterations are in order
  const bool is_known =
      loops_are_named && is_dynamic(loop.kind) && divide_as_known(share, members, request);
  if (!is_known) deal_if_worth(share, members, request);
  // Only where it is used: it has a cache line of its own. relaxed: published with the record
  if (is_dynamic(loop.kind) || loop.kind == LoopKind::recorded)
    for (std::atomic<uint64_t>& next : share.next) next.store(0, std::memory_order_relaxed);
  else if (loop.kind == LoopKind::affinity) [[unlikely]]
    choose_owners(share, members, request);
  if (loop.ordered) share.turn.reset(members, members <= globals().usable_threads);
  if (request.depth != 0 && members > 1) {
    share.doacross.open(request.depth, request.sizes, doacross_blocks(request, members));
  }
  loop.others_may_wait = loop.ordered || share.doacross.is_open();
}

namespace {

// Who is ahead polls rarely: each poll takes a cache line from those who catch up.
constexpr int polls_ahead = 8;
constexpr int relaxes_ahead = 16;  // turns of base::relax() before each

// Lets members that are far behind come nearer, if they can do so at once: one that waits for this
// very PU, or one that runs. Not those that others keep off their processors.
void let_others_catch_up(Member& member, WorkShares& works) {
  if (sched::others_wait(*member.thread)) {
    sched::yield();
  } else {
    for (int poll = 0; poll < polls_ahead && !works.caught_up(); ++poll)
      for (int i = 0; i < relaxes_ahead; ++i) base::relax();
  }
  works.waited();
}

bool arrive(Member& member) {
  WorkShares& works = member.team->works;
  // relaxed: a member reads it after it has passed the barrier before, which ordered it
  const uint32_t barriers = member.team->barrier.generation.load(std::memory_order_relaxed);
  if (barriers == member.work.barriers && works.far_ahead(member.work)) [[unlikely]]
    let_others_catch_up(member, works);
  return works.arrive(member.work, barriers);
}

}  // namespace

namespace {

bool is_wanted_again(const Loop& loop, int members, const LoopRequest& request) {
  const Schedule schedule = schedule_for(members, request);
  const IterationSpace& space = request.space;
  return loop.kind == schedule.kind && loop.chunk == schedule.chunk &&
         loop.whole_chunks == schedule.whole_chunks && loop.space.count == space.count &&
         loop.space.first == space.first && loop.space.step == space.step &&
         loop.space.end == space.end;
}

// The loop equals the construct that the member is in, and a barrier has opened since, or the
// member is alone: then that construct's record serves again. All members see the same. Not for
// what needs more of a record than the loop's counter, nor where members may leave early.
bool record_serves_again(Member& member, const LoopRequest& request) {
  WorkCursor& cursor = member.work;
  // relaxed: a member reads it after it has passed the barrier before, which ordered it
  const uint32_t barriers = member.team->barrier.generation.load(std::memory_order_relaxed);
  const bool alone = member.team->n == 1;
  if (barriers == cursor.barriers && !alone) return false;
  if (!cursor.at->is_record || globals().cancellation) return false;
  const Extras& extras = request.extras;
  const bool ordered = request.ordered && !alone;
  if (ordered || request.depth != 0 || extras.reductions || extras.memory != 0) return false;
  if (request.code != nullptr) return false;
  const WorkShare& share = cursor.current();
  if (share.loop.others_may_wait || share.reductions) return false;
  if (share.loop.space.count == 0 || !is_wanted_again(share.loop, member.team->n, request))
    return false;
  cursor.serve_again(barriers);
  return true;
}

}  // namespace

void loop_start(Member& member, const LoopRequest& request) {
  WorkShares& works = member.team->works;
  if (record_serves_again(member, request)) return;
  if (arrive(member)) {
    WorkShare& share = *member.work.making;
    prepare_loop(share, member.team->n, request);
    prepare_extras(member, share, request.extras);
    works.publish(member.work);
    if (globals().cancellation) settle_new(*member.team, share);
  } else {
    join_extras(member, member.work.current(), request.extras);
  }
}

void construct_start(Member& member, const Extras& extras) {
  WorkShares& works = member.team->works;
  if (arrive(member)) {
    prepare_extras(member, *member.work.making, extras);
    works.publish(member.work);
  } else {
    join_extras(member, member.work.current(), extras);
  }
}

void* construct_memory(const Member& member) { return member.work.current().memory; }

namespace {

// By who has taken the first chunk.
void make_other_ready(const WorkCursor& cursor, WorkShare& share) {
  share.next[cursor.counter ^ 1].store(0, std::memory_order_relaxed);
}

// The functions that take a chunk of a counter are inlined where a chunk is taken and where it is
// recorded as well: a call costs the chunks of all loops some 5 %.

// Without a poll of the counter before: that would fetch its cache line twice for each chunk, once
// to read and once to write. Who has found nothing left does not add again (fits_fetch_add).
// relaxed throughout: see WorkShare::next
[[gnu::always_inline]] inline Chunk add_chunk(WorkCursor& cursor, WorkShare& share) {
  const Loop& loop = share.loop;
  if (cursor.trip != 0) return {};
  const uint64_t seen = share.next[cursor.counter].fetch_add(loop.chunk, std::memory_order_relaxed);
  if (seen == 0) make_other_ready(cursor, share);
  const Chunk chunk = dynamic_chunk(loop.space.count, loop.chunk, seen);
  if (!any(chunk)) cursor.trip = 1;
  return chunk;
}

[[gnu::always_inline]] inline Chunk next_dynamic(WorkCursor& cursor, WorkShare& share) {
  const Loop& loop = share.loop;
  if (loop.fetch_add) return add_chunk(cursor, share);
  std::atomic<uint64_t>& next = share.next[cursor.counter];
  const uint64_t count = loop.space.count;
  uint64_t seen = next.load(std::memory_order_relaxed);
  Chunk chunk;
  do {
    chunk = dynamic_chunk(count, loop.chunk, seen);
  } while (any(chunk) &&
           !next.compare_exchange_weak(seen, seen + chunk.count, std::memory_order_relaxed));
  if (seen == 0) make_other_ready(cursor, share);
  return chunk;
}

Chunk next_dealt(Member& member, WorkShare& share) {
  const Loop& loop = share.loop;
  constexpr uint64_t done = UINT64_MAX;
  uint64_t number = 0;
  uint64_t& own = member.work.trip;  // its range and one
  if (own == 0) own = static_cast<uint64_t>(owned_range(member, share.ranges.count())) + 1;
  if (own == done || !share.ranges.take(static_cast<int>(own - 1), number)) {
    end_run(share);
    return {};
  }
  if (number == share.ranges.last()) own = done;
  if (loop.kind == LoopKind::dealt_in_turn) [[unlikely]]
    return chunk_in_turn(share, number);
  return dynamic_chunk(loop.space.count, loop.chunk, number * loop.chunk);
}

// By its number: nobody takes one in vain.
[[gnu::always_inline]] inline Chunk add_guided(WorkCursor& cursor, WorkShare& share, int members) {
  const Loop& loop = share.loop;
  const uint64_t number = share.next[cursor.counter].fetch_add(1, std::memory_order_relaxed);
  if (number == 0) make_other_ready(cursor, share);
  GuidedPlace place{cursor.trip, cursor.trip == 0 ? 0 : cursor.chunk.first + cursor.chunk.count};
  const Chunk chunk =
      guided_chunk_at(loop.space.count, loop.chunk, members, loop.whole_chunks, place, number);
  cursor.trip = place.number;
  cursor.chunk = {place.first, 0};
  return chunk;
}

// Not inlined: all other loops pay for its registers.
[[gnu::noinline]] Chunk next_guided(WorkCursor& cursor, WorkShare& share, int members) {
  const Loop& loop = share.loop;
  if (loop.fetch_add) return add_guided(cursor, share, members);
  std::atomic<uint64_t>& next = share.next[cursor.counter];
  uint64_t seen = next.load(std::memory_order_relaxed);
  Chunk chunk;
  do {
    chunk = guided_chunk(loop.space.count, loop.chunk, members, seen, loop.whole_chunks);
  } while (any(chunk) &&
           !next.compare_exchange_weak(seen, seen + chunk.count, std::memory_order_relaxed));
  if (seen == 0) make_other_ready(cursor, share);
  return chunk;
}

// Not inlined: likewise.
[[gnu::noinline]] Chunk next_recorded(Member& member, WorkShare& share) {
  const Chunk chunk = share.loop.is_guided ? next_guided(member.work, share, member.team->n)
                                           : next_dynamic(member.work, share);
  record_chunk(member, share, chunk);
  return chunk;
}

Chunk take_chunk(Member& member, WorkShare& share) {
  const Loop& loop = share.loop;
  const int members = member.team->n;
  switch (loop.kind) {
    case LoopKind::dynamic:
      return next_dynamic(member.work, share);
    case LoopKind::guided:
      return next_guided(member.work, share, members);
    case LoopKind::dealt:
    case LoopKind::dealt_in_turn:
      return next_dealt(member, share);
    case LoopKind::static_block:
      if (member.work.trip++ != 0) return {};
      return static_block(loop.space.count, members, member.num);
    case LoopKind::static_chunk:
      return static_chunk(loop.space.count, loop.chunk, members, member.num, member.work.trip++);
    case LoopKind::owned_block:
    case LoopKind::owned_cyclic:
      return next_owned(member, share);
    case LoopKind::recorded:
      return next_recorded(member, share);
    case LoopKind::repeated:
      return next_repeated(member, share);
    case LoopKind::affinity:  // of no record
    case LoopKind::none:
      break;
  }
  return {};
}

Chunk next_chunk(Member& member, WorkShare& share) {
  sched::scheduling_point(*member.thread);
  if (share.loop.ordered) hand_on_turn(member);
  if (globals().cancellation && worksharing_cancelled(member)) {
    leave_construct(member);
    return {};
  }
  const Chunk chunk = take_chunk(member, share);
  if (any(chunk) && share.loop.others_may_wait) {
    member.work.chunk = chunk;
    member.work.ordered_left = 0;
  }
  return chunk;
}

}  // namespace

bool loop_next(Member& member, ChunkBounds& bounds) {
  WorkShare& share = member.work.current();
  const Chunk chunk = next_chunk(member, share);
  if (!any(chunk)) return false;
  bounds = chunk_bounds(share.loop.space, chunk);
  return true;
}

bool loop_next(Member& member, InclusiveBounds& bounds) {
  WorkShare& share = member.work.current();
  const Chunk chunk = next_chunk(member, share);
  if (!any(chunk)) return false;
  bounds = inclusive_bounds(share.loop.space, chunk);
  return true;
}

// The other members have not begun; member 0 has, at the anchor.
void prepare_first_loop(Team& team, void* request) {
  WorkShare& share = team.works.open_with_construct();
  prepare_loop(share, team.n, *static_cast<const LoopRequest*>(request));
  team.first_step = &share;
  team.master.work.start(share);
}

void parallel_loop_begin(void (*function)(void*), void* data, unsigned wanted, ProcBind bind,
                         const LoopRequest& request) {
  LoopRequest copy = request;
  parallel_begin({.function = function,
                  .data = data,
                  .wanted = wanted,
                  .bind = bind,
                  .prepare = prepare_first_loop,
                  .argument = &copy});
}

}  // namespace xylem::omp
