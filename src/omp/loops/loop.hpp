// Owns: worksharing loops of a team: how they start and how members get their chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "omp/env/icv.hpp"
#include "omp/loops/loop_schedule.hpp"
#include "omp/loops/work_share.hpp"

namespace xylem::omp {

struct Team;

// In which order a thread gets its chunks: that of the iterations (monotonic), or any. unsaid: the
// clause may have the `nonmonotonic` modifier or none, which compiled code does not tell apart. Any
// order is right then by OpenMP 5.0, but programs rely on that of the iterations: they get it
// unless the user sets XYLEM_NONMONOTONIC.
enum class ChunkOrder : uint8_t { monotonic, unsaid, any };

// Two words, so that functions return it in registers: what is written byte by byte and then copied
// by sixteen waits until it is in the cache, some ten nanoseconds each time.
struct Schedule {
  LoopKind kind = LoopKind::static_block;
  ChunkOrder order = ChunkOrder::monotonic;  // only dynamic schedules make use of `any`
  // static_block and guided: every size but the last is a multiple of `chunk` (the simd modifier).
  bool whole_chunks = false;
  uint64_t chunk = 1;
};
static_assert(sizeof(Schedule) == 16 && std::is_trivially_copyable_v<Schedule>);

// As a schedule clause or the ICV says. chunk == 0: none was given.
Schedule make_schedule(ScheduleKind kind, uint64_t chunk, ChunkOrder order = ChunkOrder::monotonic);
// schedule(runtime): run-sched-var of the calling task. `unsaid`: the clause has not the monotonic
// modifier; the ICV may have one.
Schedule runtime_schedule(ChunkOrder order = ChunkOrder::monotonic, Door door = Door::gnu);

// The schedule with blocks of whole chunks as what they are: one chunk of equal size for each
// member. Others are returned as they are.
Schedule settle(const Schedule& schedule, uint64_t count, int members);

// What a construct may want besides its iterations.
struct Extras {
  ReductionBlock* reductions = nullptr;  // of tasks (task_reduction.hpp); null: none
  size_t memory = 0;                     // bytes that its members share (construct_memory)
  const void* contents = nullptr;        // what they start with, copied; null: zeros
};

struct LoopRequest {
  IterationSpace space;
  Schedule schedule;
  bool ordered = false;
  bool exact_chunks = false;        // also where a member is alone: sections come one by one
  unsigned depth = 0;               // of a doacross loop; 0: it is none
  const uint64_t* sizes = nullptr;  // doacross: iterations of each nested loop
  // doacross: the iterations of loop 0 are not those that are shared out, so two neighbours may
  // belong to any two members, whatever the schedule is.
  bool any_owner = false;
  bool only_blocks = false;  // affinity: each member runs one chunk at most
  // affinity: the space is that of the iterations' numbers, from 0: the compiled code does not say
  // where the loop begins. Shorter runs of it then end where the first one did, or begin there.
  bool is_numbered = false;
  // Which loop of the program it is, where that is asked for (name_loop).
  const void* code = nullptr;
  Extras extras;
};

// The member enters the loop that `request` describes, as every member of the team does.
void loop_start(Member& member, const LoopRequest& request);

// The member's next iterations; false when it has no more or the loop is cancelled. In an ordered
// loop it also hands on the turn of the last ones, and may wait for it.
bool loop_next(Member& member, ChunkBounds& bounds);
bool loop_next(Member& member, InclusiveBounds& bounds);

// Dynamic and guided loops say where they stand in the program's code (name_loop), as something is
// remembered of each (repeated.hpp, affinity.hpp). Written when the runtime starts, before any
// region.
extern constinit bool loops_are_named;

[[gnu::always_inline]] inline void name_loop(LoopRequest& request, const void* code) {
  if (loops_are_named) [[unlikely]]
    request.code = code;
}

// Describes a loop in a record that no member uses yet.
void prepare_loop(WorkShare& share, int members, const LoopRequest& request);

// The member enters a construct that has no iterations (scope).
void construct_start(Member& member, const Extras& extras);

// The memory that the construct which the member is in asked for, the same for all members, filled
// by the first. Lives as long as the construct.
void* construct_memory(const Member& member);

// `#pragma omp parallel for`: as parallel_begin() of team.hpp, for a region that is one loop. Its
// members call loop_next() at once. prepare_first_loop: for parallel_begin_with(), with the
// request.
void prepare_first_loop(Team& team, void* request);
void parallel_loop_begin(void (*function)(void*), void* data, unsigned wanted, ProcBind bind,
                         const LoopRequest& request);

}  // namespace xylem::omp
