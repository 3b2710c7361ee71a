// Owns: the chain of worksharing constructs of a team. See work_share.hpp.
#include "omp/work_share.hpp"

#include <cstdlib>
#include <cstring>

#include "base/report.hpp"
#include "omp/team.hpp"
#include "os/clock.hpp"

namespace xylem::omp {

void* WorkShare::make_memory(size_t bytes) {
  if (bytes > memory_room) {
    std::free(memory);
    memory = std::malloc(bytes);
    if (memory == nullptr) base::fatal("out of memory for a worksharing construct");
    memory_room = bytes;
  }
  std::memset(memory, 0, bytes);
  return memory;
}

namespace {

// As a new record; its memory is kept. Nobody else knows it.
void renew(WorkShare& share) {
  share.loop.kind = LoopKind::none;
  share.loop.ordered = false;
  share.reductions = nullptr;
  if (share.doacross.is_open()) share.doacross.release();
  // relaxed: the record is published anew before anybody looks
  share.successor_claimed.store(false, std::memory_order_relaxed);
  share.successor.store(nullptr, std::memory_order_relaxed);
  share.left.store(0, std::memory_order_relaxed);
}

// The one who makes it fills a record and does not wait for anybody, but may lose its processor.
WorkShare& wait_for_successor(WorkShare& at) {
  for (int turn = 0;; ++turn) {
    WorkShare* next = at.successor.load(std::memory_order_acquire);  // pairs with publish()
    if (next) return *next;
    if (turn < 100) {
      os::relax();
    } else {
      os::yield_to_kernel();
    }
  }
}

}  // namespace

// Nobody else is there.
void WorkShares::open(int n) XYLEM_NO_THREAD_ANALYSIS {
  n_ = static_cast<uint32_t>(n);
  // relaxed: the members start after this
  singles_.store(0, std::memory_order_relaxed);
  cancelled_construct.store(0, std::memory_order_relaxed);
  renew(first_);
  first_.number = 1;
  second_.link = nullptr;
  spare_ = &second_;
}

// Nobody else is there any more.
void WorkShares::close() XYLEM_NO_THREAD_ANALYSIS {
  absences.clear();
  spare_ = nullptr;
  while (WorkShare* share = made_) {
    made_ = share->made_before;
    delete share;
  }
}

bool WorkShares::arrive(WorkCursor& cursor) {
  WorkShare& at = *cursor.current;
  cursor.trip = 0;
  cursor.chunk = {};
  WorkShare* next = at.successor.load(std::memory_order_acquire);  // pairs with publish()
  if (!next) {
    // relaxed: decides who, publishes nothing
    if (!at.successor_claimed.exchange(true, std::memory_order_relaxed)) {
      cursor.making = &take();
      cursor.making->number = at.number + 1;
      return true;
    }
    next = &wait_for_successor(at);
  }
  move_on(cursor, *next);
  return false;
}

void WorkShares::publish(WorkCursor& cursor) {
  WorkShare& made = *cursor.making;
  cursor.making = nullptr;
  cursor.current->successor.store(&made, std::memory_order_release);  // pairs with arrive()
  move_on(cursor, made);
}

void WorkShares::move_on(WorkCursor& cursor, WorkShare& to) {
  WorkShare& from = *cursor.current;
  cursor.current = &to;
  // acq_rel: the last one sees that all others are done with it
  if (n_ == 1 || from.left.fetch_add(1, std::memory_order_acq_rel) + 1 == n_) put(from);
}

WorkShare& WorkShares::take() {
  fiber::Locked locked(lock_);
  if (WorkShare* share = spare_) {
    spare_ = share->link;
    return *share;
  }
  auto* share = new WorkShare;
  share->made_before = made_;
  made_ = share;
  return *share;
}

void WorkShares::put(WorkShare& share) {
  renew(share);
  fiber::Locked locked(lock_);
  share.link = spare_;
  spare_ = &share;
}

bool WorkShares::claim_single(WorkCursor& cursor) {
  uint64_t met = cursor.singles++;
  // The count exceeds `met` as soon as one member has entered. relaxed: see singles_
  return singles_.load(std::memory_order_relaxed) == met &&
         singles_.compare_exchange_strong(met, met + 1, std::memory_order_relaxed);
}

namespace {

// A construct that can be cancelled has a barrier at its end. So all its members have met the same
// records and passed the same number of barriers, and no later construct shares both numbers.
uint64_t construct_name(Member& member) {
  const uint64_t barriers = member.team->barrier.generation.load(std::memory_order_relaxed);
  return uint64_t{member.work.current->number} << 32 | static_cast<uint32_t>(barriers + 1);
}

}  // namespace

void cancel_worksharing(Member& member) {
  if (member.team->n == 1) return;  // it leaves the construct by itself, and passes no barriers
  // relaxed: a hint, see cancelled_construct
  member.team->works.cancelled_construct.store(construct_name(member), std::memory_order_relaxed);
}

bool worksharing_cancelled(Member& member) {
  const std::atomic<uint64_t>& cancelled = member.team->works.cancelled_construct;
  const uint64_t name = cancelled.load(std::memory_order_relaxed);  // relaxed: a hint
  return name != 0 && name == construct_name(member);
}

}  // namespace xylem::omp
