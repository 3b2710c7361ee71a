// Owns: the chain of worksharing constructs of a team. See work_share.hpp.
#include "omp/loops/work_share.hpp"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/relax.hpp"
#include "base/report.hpp"
#include "omp/team/team.hpp"
#include "os/clock.hpp"

namespace xylem::omp {

void* WorkShare::make_memory(size_t bytes, const void* contents) {
  if (bytes > memory_room) {
    std::free(memory);
    memory = std::malloc(bytes);
    if (memory == nullptr) base::fatal("out of memory for a worksharing construct");
    memory_room = bytes;
  }
  if (contents) {
    std::memcpy(memory, contents, bytes);
  } else {
    std::memset(memory, 0, bytes);
  }
  return memory;
}

void WorkShare::renew() {
  loop.kind = LoopKind::none;
  loop.ordered = loop.others_may_wait = false;
  drop_reductions();
  if (doacross.is_open()) doacross.release();
  // relaxed: the record is published anew before anybody looks
  successor.store(nullptr, std::memory_order_relaxed);
  left.store(0, std::memory_order_relaxed);
  link = nullptr;
}

namespace {

// --- shelves -------------------------------------------------------------------------------------

// Records that no team has. Not a list under a lock but slots that are emptied and filled in one
// step each: teams of one shelf may open, run and end at the same time.
struct alignas(64) Shelf {
  std::atomic<WorkShare*> slots[8];
};
constexpr int shelf_count = 64;
constinit Shelf shelves[shelf_count];

// malloc() with room to align in is much faster than aligned_alloc().
WorkShare* make_record() {
  constexpr size_t room = alignof(WorkShare) - alignof(std::max_align_t);
  auto* raw = static_cast<char*>(std::malloc(sizeof(WorkShare) + room));
  if (!raw) base::fatal("out of memory for a worksharing construct");
  const uintptr_t behind = reinterpret_cast<uintptr_t>(raw) % alignof(WorkShare);
  const size_t gap = behind == 0 ? 0 : alignof(WorkShare) - behind;
  auto* share = new (raw + gap) WorkShare;
  share->gap = static_cast<uint8_t>(gap);
  return share;
}

void delete_record(WorkShare* share) {
  char* raw = reinterpret_cast<char*>(share) - share->gap;
  share->~WorkShare();
  std::free(raw);
}

WorkShare* borrow(Shelf& shelf) {
  for (std::atomic<WorkShare*>& slot : shelf.slots) {
    if (slot.load(std::memory_order_relaxed) == nullptr) continue;  // relaxed: a hint
    // acquire: pairs with the release in give_back()
    if (WorkShare* share = slot.exchange(nullptr, std::memory_order_acquire)) return share;
  }
  return make_record();
}

void give_back(Shelf& shelf, WorkShare* share) {
  share->drop_memory();
  share->drop_reductions();
  if (share->doacross.is_open()) share->doacross.release();
  for (std::atomic<WorkShare*>& slot : shelf.slots) {
    WorkShare* seen = slot.load(std::memory_order_relaxed);  // relaxed: a hint
    // release: pairs with the acquire in borrow()
    if (!seen && slot.compare_exchange_strong(seen, share, std::memory_order_release,
                                              std::memory_order_relaxed))
      return;
  }
  delete_record(share);
}

// What the next construct needs comes while this one runs: each line is as far away as the member
// that wrote it.
void fetch(WorkShare& share) {
  __builtin_prefetch(static_cast<WorkStep*>(&share), 1);
  __builtin_prefetch(&share.loop, 1);
}

constexpr int most_relaxes = 8;

// The one who makes it fills a record and does not wait for anybody, but may lose its processor.
WorkShare& wait_for_successor(WorkStep& at) {
  for (int turn = 0;; ++turn) {
    WorkShare* next = at.successor.load(std::memory_order_acquire);  // pairs with publish()
    if (next) return *next;
    if (turn < 100) {  // more seldom each time: each poll takes the line from who makes it
      for (int i = 0; i <= turn && i < most_relaxes; ++i) base::relax();
    } else {
      os::yield_to_kernel();
    }
  }
}

}  // namespace

// Nobody else is there, and there are no records. relaxed throughout: the members start after this
void WorkShares::open(int n, int shelf) {
  n_ = static_cast<uint32_t>(n);
  shelf_ = static_cast<uint16_t>(static_cast<unsigned>(shelf) % shelf_count);
  anchor_.left.store(0, std::memory_order_relaxed);
  anchor_.successor.store(nullptr, std::memory_order_relaxed);
  cancelled_construct.store(0, std::memory_order_relaxed);
}

WorkShare& WorkShares::open_with_construct() {
  WorkShare* stock = nullptr;
  WorkShare& share = take(stock);
  share.renew();
  share.number = 1;
  return share;
}

// The last construct is in the chain still, and if members left early, more.
void WorkShares::give_all_back() XYLEM_NO_THREAD_ANALYSIS {
  spare_ = nullptr;
  // relaxed: nobody else is there
  in_use_.store(0, std::memory_order_relaxed);
  most_in_use_.store(first_most_in_use, std::memory_order_relaxed);
  while (WorkShare* share = made_) {
    made_ = share->made_before;
    give_back(shelves[shelf_], share);
  }
}

namespace {

// True for the first to leave, who makes the successor. Looks before it writes: others do both.
bool leave_first(WorkStep& at) {
  uint32_t none = 0;
  // relaxed: decides who, publishes nothing
  return at.left.load(std::memory_order_relaxed) == 0 &&
         at.left.compare_exchange_strong(none, 1, std::memory_order_relaxed);
}

}  // namespace

bool WorkShares::arrive(WorkCursor& cursor, uint32_t barriers) {
  WorkStep& at = *cursor.at;
  const bool all_came = barriers != cursor.barriers;
  cursor.barriers = barriers;
  cursor.trip = 0;
  cursor.counter = 0;
  cursor.chunk = {};
  WorkShare* next = at.successor.load(std::memory_order_acquire);  // pairs with publish()
  if (!next) {
    if (leave_first(at)) {
      if (all_came) take_those_before(cursor, at);
      cursor.making = &take(cursor.stock);
      cursor.making->renew();
      cursor.making->number = at.number + 1;
      const bool nobody_counts = all_came && n_ > 1;  // a team of one has left it: see publish()
      if (nobody_counts && at.is_record) cursor.making->link = static_cast<WorkShare*>(&at);
      return true;
    }
    next = &wait_for_successor(at);
  }
  cursor.at = next;
  // acq_rel: the last one sees that all others are done with it
  if (!all_came && at.left.fetch_add(1, std::memory_order_acq_rel) + 1 == n_) retire(cursor, at);
  cursor.nowait = false;
  return false;
}

void WorkShares::publish(WorkCursor& cursor) {
  WorkStep& at = *cursor.at;
  cursor.at = cursor.making;
  at.successor.store(cursor.making, std::memory_order_release);  // pairs with arrive()
  cursor.making = nullptr;
  if (n_ == 1) retire(cursor, at);
  cursor.nowait = false;
}

// All have come to the step.
void WorkShares::take_those_before(WorkCursor& cursor, WorkStep& step) {
  while (WorkShare* share = step.link) {
    step.link = share->link;
    share->link = cursor.stock;
    cursor.stock = share;
  }
}

// Its loop's cache line is only read here; who takes it writes that anyway, and renews it.
void WorkShares::collect(WorkCursor& cursor, WorkShare& share) {
  if (share.doacross.is_open()) share.doacross.release();
  share.drop_reductions();
  share.link = cursor.gone;
  cursor.gone = &share;
  ++cursor.gone_count;
}

// Everybody has left it. Without a barrier in between, the next construct's maker is at work by
// now: several are put at once, so that the two seldom meet.
void WorkShares::retire(WorkCursor& cursor, WorkStep& step) {
  if (!step.is_record) return;
  for (auto* share = static_cast<WorkShare*>(&step); share;) {
    WorkShare* const before = share->link;
    collect(cursor, *share);
    share = before;
  }
  if (!cursor.nowait || cursor.gone_count >= most_in_batch) put_gone(cursor);
}

void WorkShares::put_gone(WorkCursor& cursor) {
  WorkShare& first = *cursor.gone;
  first.batch = static_cast<uint8_t>(cursor.gone_count);
  {
    base::Locked locked(lock_);
    first.successor.store(spare_, std::memory_order_relaxed);  // relaxed: under the lock
    spare_ = &first;
    record_in_use(0U - cursor.gone_count);
  }
  cursor.gone = nullptr;
  cursor.gone_count = 0;
}

void WorkShares::waited() {
  const uint32_t most = most_in_use_.load(std::memory_order_relaxed);  // relaxed: as in far_ahead()
  if (in_use_.load(std::memory_order_relaxed) >= most && most < 1u << 30)
    most_in_use_.store(most * 2, std::memory_order_relaxed);
}

// Takes a batch if it can: members that are done with records put them meanwhile, and each time
// that the lock's cache line goes back and forth is as long as all the rest.
WorkShare& WorkShares::take(WorkShare*& stock) {
  if (!stock) {
    base::Locked locked(lock_);
    stock = spare_;
    if (!stock) return borrow_one();
    spare_ = stock->successor.load(std::memory_order_relaxed);  // relaxed: under the lock
    record_in_use(stock->batch);
  }
  WorkShare& share = *stock;
  stock = share.link;
  if (stock) fetch(*stock);
  return share;
}

WorkShare& WorkShares::borrow_one() {
  WorkShare* share = borrow(shelves[shelf_]);
  share->made_before = made_;
  made_ = share;
  record_in_use(1);
  return *share;
}

namespace {

// A construct that can be cancelled has a barrier at its end. So all its members have met the same
// records and passed the same number of barriers, and no later construct shares both numbers.
uint64_t construct_name(Member& member) {
  const uint64_t barriers = member.team->barrier.generation.load(std::memory_order_relaxed);
  return uint64_t{member.work.at->number} << 32 | static_cast<uint32_t>(barriers + 1);
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
