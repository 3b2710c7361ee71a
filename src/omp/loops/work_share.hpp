// Owns: the worksharing constructs of a team (loops, sections, scopes): one record for each, in the
// order in which every member meets them, and where each member stands.
//
// The records form a chain, which begins with an anchor, or with the record of a construct combined
// with the region. A member goes from the one it is at to the next; the first to want that makes
// it. Members may run ahead of each other by any number of constructs (nowait). Invariants:
//   left == members that have gone on past the record (or the anchor) with no barrier since they
//     came to it, and the first, who makes the successor; it counts itself when it begins, as
//     nobody else can go on before it ends. All members meet barriers at the same places of the
//     chain, so either all others count themselves or none does.
//   left < n  => it keeps its place and its number; its successor is written at most once
//   left == n => nobody can reach it, nor what is before it; who made it so has these records to
//     himself, and makes them anew
//   a barrier opened since a member came to a record => all have come to it, so nobody can reach
//     what is before it; who makes its successor has that to himself
//   every record of a team is in made_, from when it is taken until close(); besides, it is in the
//   chain, or in spare_, or in the hands of one member (cursor.making, .stock, .gone, or left == n)
// So a chain is as long as its fastest member is ahead of its slowest, and with barriers two or
// three records take turns for ever, and nobody counts; without, they change hands in batches, as
// members that go in step would meet at each of them. A team has no record before its first
// construct; then it borrows them from the shelf of its maker's processor, and close() gives them
// back there: a shelf never runs dry because others carry its records away.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/check.hpp"
#include "base/spin_lock.hpp"
#include "omp/loops/doacross.hpp"
#include "omp/loops/loop_ranges.hpp"
#include "omp/loops/loop_schedule.hpp"
#include "omp/loops/turn.hpp"
#include "omp/tasks/task_reduction.hpp"
#include "omp/team/cancel_absence.hpp"

namespace xylem::omp {

struct Member;
class LoopSite;
class RepeatedLoop;

// How a loop's chunks are given out; `runtime` and `auto` are resolved before.
// dealt: dynamic, in any order (loop_ranges.hpp); dealt_in_turn: whose chunks had owners in turn
// (loop_homes.hpp). affinity is what requests say: in records it is
// owned_block or owned_cyclic (affinity.hpp). recorded, repeated: in records, of loops that
// requests call dynamic or guided (repeated.hpp).
enum class LoopKind : uint8_t {
  none,
  static_block,
  static_chunk,
  dynamic,
  guided,
  dealt,
  dealt_in_turn,
  affinity,
  owned_block,
  owned_cyclic,
  recorded,
  repeated
};

// A loop of the team; the same for all members.
struct Loop {
  LoopKind kind = LoopKind::none;
  bool ordered = false;  // with a turn to hand on
  // Chunks are taken by adding to `next`. dynamic: where it cannot wrap around (fits_fetch_add);
  // guided: where it has numbers of chunks.
  bool fetch_add = false;
  // Members may wait in it for what another member's chunks do: ordered or doacross.
  bool others_may_wait = false;
  bool whole_chunks = false;  // guided: sizes are multiples of `chunk`
  bool is_guided = false;     // recorded: not dynamic
  uint64_t chunk = 1;         // iterations; >= 1
  IterationSpace space;
};

struct WorkShare;

// One step of the chain: what members need to go on from it. An anchor has nothing else.
struct WorkStep {
  uint32_t number = 1;  // of the construct in its team; where members start it is 1
  // acq_rel: the last to leave has it to itself
  std::atomic<uint32_t> left{0};
  // Written once (release) by the member that left first, read by all others (acquire). In spare_
  // of the first record of a batch: the next batch.
  std::atomic<WorkShare*> successor{nullptr};
  // In the chain: the record before it, if nobody counts who leaves that, until somebody has it to
  // himself; written by who makes this one, and then by who goes on from it. Else the next of a
  // batch: in WorkShares::spare_, in a stock, among the gone.
  WorkShare* link = nullptr;
  bool is_record = false;  // else it is the anchor
  uint8_t gap = 0;         // of a record: bytes from the start of malloc's block to it
  uint8_t batch = 0;       // in spare_, of the first record of a batch: how many are linked
};

// One construct. All but the atomics is written by the member that makes it, before publish(). By
// cache lines: what members write when they go on; what they read for each chunk, and what they
// write when they hand a turn on, which nobody does but in ordered loops, where all look for the
// turn there; the rest; what they write for each chunk.
struct alignas(64) WorkShare : WorkStep {
  WorkShare() { is_record = true; }
  ~WorkShare() {
    drop_memory();
    drop_reductions();
  }
  WorkShare(const WorkShare&) = delete;
  WorkShare& operator=(const WorkShare&) = delete;

  // As a new record; its memory is kept. Nobody else knows it.
  void renew();
  // Memory of `bytes` bytes that lives as long as the construct: a copy of `contents`, or zeros.
  void* make_memory(size_t bytes, const void* contents = nullptr);
  void drop_memory() {
    if (memory) [[unlikely]]
      std::free(memory);
    memory = nullptr;
    memory_room = 0;
  }
  void drop_reductions() {
    if (reductions) [[unlikely]]
      release_reductions(reductions);
    reductions = nullptr;
  }

  WorkShare* made_before = nullptr;      // in WorkShares::made_
  ReductionBlock* reductions = nullptr;  // of the first member, for the others to join
  void* memory = nullptr;                // what make_memory() gave; owned
  size_t memory_room = 0;                // bytes

  alignas(64) Loop loop;
  Turn turn;  // of an ordered loop

  Doacross doacross;

  // dynamic and guided: the first iteration not given out, or the number of the first chunk
  // (guided, Loop::fetch_add), of the loop and of the one when the record serves again
  // (WorkCursor::serves_again): they take turns. Who takes the first chunk of one makes the other
  // ready: all are done with that, and whom it serves next passes a barrier before. relaxed: a
  // chunk carries no data; what the loop's body needs was published with the record. Of a loop with
  // owners: of_extent: their extent, of_run: the number of its run.
  static constexpr int of_extent = 0, of_run = 1;
  alignas(64) std::atomic<uint64_t> next[2] = {};
  LoopRanges ranges;    // dealt: what is not given out; all only read it, for their own range
  uint64_t offset = 0;  // of a loop with owners: LoopOwners::offset
  union {
    LoopSite* site = nullptr;  // likewise: who waits for the run's end; null: nobody
    RepeatedLoop* repeated;    // of a loop that is recorded or repeated
  };
};
static_assert(base::kChecked || sizeof(WorkShare) == 256);  // checked locks are larger

class WorkShares;

// Where a member stands. Only its own fiber looks.
struct WorkCursor {
  void start(WorkStep& first) { at = &first; }  // at the beginning of a region

  // The construct that it is in.
  WorkShare& current() const { return static_cast<WorkShare&>(*at); }

  WorkStep* at = nullptr;       // that construct, or the last it was in; at first the anchor
  WorkShare* making = nullptr;  // claimed by arrive() and not yet published
  WorkShare* stock = nullptr;   // records that it has taken to make its next constructs of
  // Records that all have left, to be put in spare_ together.
  WorkShare* gone = nullptr;
  uint16_t gone_count = 0;
  bool nowait = false;       // end_nowait() was its construct's end
  bool left_region = false;  // early: it is cancelled
  uint32_t barriers = 0;     // that had opened when it came to its construct
  // static: chunks taken; dynamic: 1 once it has found none left; guided: the number of the chunk
  // behind its last one; dealt: see next_dealt() in loop.cpp.
  uint64_t trip = 0;
  // ordered: what it runs, its turn not yet handed on; doacross: too. guided: ends where the
  // member's last chunk ends, once trip is not 0.
  Chunk chunk;
  void* told = nullptr;  // by the compiled code, of its next loop (abi/kmp/doacross.cpp); owned
  uint32_t singles = 0;  // single constructs met; may run over
  uint8_t counter = 0;   // dynamic and guided: which of WorkShare::next the loop has
  uint16_t ordered_left = 0;  // ordered regions of its chunk that it has left; may run over

  // A barrier has opened since it came to its construct, so all are done with that. If then all
  // members come to an equal loop, the record serves once more: nobody makes one, nor waits for it.
  void serve_again(uint32_t barriers_now) {
    barriers = barriers_now;
    trip = 0;
    nowait = false;
    counter ^= 1;
  }
};

// Which of a team's single constructs a member has entered. relaxed: what their bodies wrote is
// ordered by the barrier behind, or not at all.
class SingleClaims {
 public:
  // True for the first member that meets this construct.
  bool claim(WorkCursor& cursor) {
    uint32_t met = cursor.singles++;
    // The count is behind `met` as soon as one member has entered.
    return entered_.load(std::memory_order_relaxed) == met &&
           entered_.compare_exchange_strong(met, met + 1, std::memory_order_relaxed);
  }

 private:
  std::atomic<uint32_t> entered_{0};
};

class WorkShares {
 public:
  WorkShares() = default;
  ~WorkShares() { close(); }
  WorkShares(const WorkShares&) = delete;
  WorkShares& operator=(const WorkShares&) = delete;

  // For a new region of n members, before any of them starts. `shelf`: a number, the same for teams
  // that are made on one processor.
  void open(int n, int shelf);
  // Where members start.
  WorkStep& anchor() { return anchor_; }
  // If a construct is combined with the region: its record, where members start instead.
  WorkShare& open_with_construct();
  // After all members have ended. Nobody else is there any more.
  void close() XYLEM_NO_THREAD_ANALYSIS {
    absences.clear();
    if (made_) give_all_back();
  }

  // True if the member, about to make a construct, is far ahead of the slowest one. It need not
  // wait, but what it makes then is memory that is touched for the first time: it may give way
  // shortly, and then calls waited().
  bool far_ahead(const WorkCursor& cursor) const {
    if (cursor.stock != nullptr) return false;  // looks when it takes: it shares that cache line
    // relaxed: hints
    return cursor.at->successor.load(std::memory_order_relaxed) == nullptr &&
           in_use_.load(std::memory_order_relaxed) >= most_in_use_.load(std::memory_order_relaxed);
  }
  // True if the slowest has come so near that waiting was worth while.
  bool caught_up() const {
    return in_use_.load(std::memory_order_relaxed) <=
           most_in_use_.load(std::memory_order_relaxed) / 2;
  }
  // If it was in vain, twice as many are in use before the next wait.
  void waited();

  // The member goes on to its next construct, after so many of the team's barriers. True if it is
  // the first: then it fills cursor.making, without suspending, and calls publish(). Else the
  // construct is ready in cursor.current().
  bool arrive(WorkCursor& cursor, uint32_t barriers);
  void publish(WorkCursor& cursor);

  // Names the construct that was cancelled last, see work_share.cpp; 0 if none. relaxed: a hint
  // until the barrier that ends the construct.
  std::atomic<uint64_t> cancelled_construct{0};
  Absences absences;  // empty unless cancellation is on

 private:
  static constexpr uint32_t first_most_in_use = 256;
  static constexpr uint32_t most_in_batch = 16;

  static void take_those_before(WorkCursor& cursor, WorkStep& step);
  void retire(WorkCursor& cursor, WorkStep& step);
  static void collect(WorkCursor& cursor, WorkShare& share);
  WorkShare& take(WorkShare*& stock) XYLEM_EXCLUDES(lock_);
  WorkShare& borrow_one() XYLEM_REQUIRES(lock_);
  void give_all_back();
  void put_gone(WorkCursor& cursor) XYLEM_EXCLUDES(lock_);
  void record_in_use(uint32_t more) XYLEM_REQUIRES(lock_) {
    // relaxed: written under the lock, else a hint
    in_use_.store(in_use_.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }

  uint32_t n_ = 1;
  uint16_t shelf_ = 0;
  WorkStep anchor_;
  // Written for each construct, so behind what is only read.
  base::SpinLock lock_{{40, "WorkShares::lock_"}};
  // Records outside of spare_: the chain and what members have in hand. Written under the lock.
  std::atomic<uint32_t> in_use_{0};
  std::atomic<uint32_t> most_in_use_{first_most_in_use};  // before who is ahead waits; any member
  // Batches of records that are in nobody's hands; left as they were.
  WorkShare* spare_ XYLEM_GUARDED_BY(lock_) = nullptr;
  WorkShare* made_ XYLEM_GUARDED_BY(lock_) = nullptr;  // all that it has borrowed
};

// The member ends its construct without a barrier. It leaves the record when it comes to the next.
inline void end_nowait(WorkCursor& cursor) { cursor.nowait = true; }

// `cancel for`, `cancel sections`: marks the construct the member is in, whether it has a record or
// not (compilers inline static loops). The construct's barrier makes the mark void.
void cancel_worksharing(Member& member);
bool worksharing_cancelled(Member& member);

}  // namespace xylem::omp
