// Owns: the worksharing constructs of a team (loops, sections, scopes): one record for each, in the
// order in which every member meets them, and where each member stands.
//
// The records form a chain. A member goes from the record it is at to the next one; the first to
// want it makes it. Members may run ahead of each other by any number of constructs (nowait).
// Conservation: left == members that have gone on past the record; at n nobody can reach it and it
// is made anew for a later construct. So a chain is as long as its fastest member is ahead of its
// slowest, and with barriers two records take turns for ever.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "fiber/spin_lock.hpp"
#include "omp/cancel_absence.hpp"
#include "omp/doacross.hpp"
#include "omp/loop_schedule.hpp"
#include "omp/ordered_gate.hpp"

namespace xylem::omp {

struct Member;

// How a loop's chunks are given out; `runtime` and `auto` are resolved before.
enum class LoopKind : uint8_t { none, static_block, static_chunk, dynamic, guided };

// A loop of the team; the same for all members.
struct Loop {
  LoopKind kind = LoopKind::none;
  bool ordered = false;    // with a turn to hand on
  bool fetch_add = false;  // dynamic: `next` cannot wrap around
  uint64_t chunk = 1;      // iterations; >= 1
  IterationSpace space;
};

// One construct. All but the atomics is written by the member that makes it, before publish().
struct WorkShare {
  WorkShare() = default;
  ~WorkShare() {
    if (memory) [[unlikely]]
      std::free(memory);
  }
  WorkShare(const WorkShare&) = delete;
  WorkShare& operator=(const WorkShare&) = delete;

  // True if members may wait in it for what another member's chunks do.
  bool others_may_wait() const { return loop.ordered || doacross.is_open(); }
  // Zeroed memory of `bytes` bytes that lives as long as the construct.
  void* make_memory(size_t bytes);

  Loop loop;
  void* memory = nullptr;           // what make_memory() gave; owned
  size_t memory_room = 0;           // bytes
  uintptr_t* reductions = nullptr;  // of the first member, for the others to join
  uint32_t number = 1;              // of the construct in its team; the anchor has 1
  Doacross doacross;

  char pad_before[64];  // members fetch chunks while others read the loop
  // dynamic and guided: the first iteration not given out. relaxed: a chunk carries no data; what
  // the loop's body needs was published with the record.
  std::atomic<uint64_t> next{0};
  char pad_after[64];
  Gate turn;  // ordered: the first iteration whose chunk has not handed its turn on

  // True once a member makes the successor. relaxed: exactly one exchange gives false.
  std::atomic<bool> successor_claimed{false};
  // Written once by that member (release), read by all others (acquire).
  std::atomic<WorkShare*> successor{nullptr};
  std::atomic<uint32_t> left{0};     // acq_rel: the last to leave has it to itself
  WorkShare* link = nullptr;         // in WorkShares::spare_
  WorkShare* made_before = nullptr;  // in WorkShares::made_
};

class WorkShares;

// Where a member stands. Only its own fiber looks.
struct WorkCursor {
  void start(WorkShares& works);  // at the beginning of a region

  WorkShare* current = nullptr;  // the construct it is in, or was in last
  WorkShare* making = nullptr;   // claimed by arrive() and not yet published
  uint64_t trip = 0;             // static: chunks taken
  Chunk chunk;                   // ordered: what it runs, its turn not yet handed on; doacross: too
  uint64_t singles = 0;          // single constructs met
  bool left_region = false;      // early: it is cancelled
};

class WorkShares {
 public:
  WorkShares() = default;
  ~WorkShares() { close(); }
  WorkShares(const WorkShares&) = delete;
  WorkShares& operator=(const WorkShares&) = delete;

  // For a new region of n members, before any of them starts.
  void open(int n);
  // After all members have ended.
  void close() XYLEM_EXCLUDES(lock_);

  // Where members start: the record of a construct combined with the region, else only an anchor.
  WorkShare& first() { return first_; }

  // The member goes on to its next construct. True if it is the first: then it fills cursor.making,
  // without suspending, and calls publish(). Else the construct is ready in cursor.current.
  bool arrive(WorkCursor& cursor);
  void publish(WorkCursor& cursor);

  // single: true for the first member that meets this construct.
  bool claim_single(WorkCursor& cursor);

  // Names the construct that was cancelled last, see work_share.cpp; 0 if none. relaxed: a hint
  // until the barrier that ends the construct.
  std::atomic<uint64_t> cancelled_construct{0};
  Absences absences;  // empty unless cancellation is on

 private:
  void move_on(WorkCursor& cursor, WorkShare& to);
  WorkShare& take() XYLEM_EXCLUDES(lock_);
  void put(WorkShare& share) XYLEM_EXCLUDES(lock_);

  uint32_t n_ = 1;
  // Single constructs that some member has entered. relaxed: what their bodies wrote is ordered by
  // the barrier behind, or not at all.
  std::atomic<uint64_t> singles_{0};
  fiber::SpinLock lock_;
  WorkShare* spare_ XYLEM_GUARDED_BY(lock_) = nullptr;  // not in the chain
  WorkShare* made_ XYLEM_GUARDED_BY(lock_) = nullptr;   // all but first_ and second_
  WorkShare first_;
  WorkShare second_;
};

inline void WorkCursor::start(WorkShares& works) { current = &works.first(); }

// `cancel for`, `cancel sections`: marks the construct the member is in, whether it has a record or
// not (compilers inline static loops). The construct's barrier makes the mark void.
void cancel_worksharing(Member& member);
bool worksharing_cancelled(Member& member);

}  // namespace xylem::omp
