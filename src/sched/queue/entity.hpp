// Owns: what can stand in a run queue: a started fiber, or a range of a bubble's seeds.
//
// A team of n threads is one Bubble. Its members that have not started are seeds: they take no
// memory of their own, a SeedRange {lo, hi} stands for the members lo..hi-1. A thief splits a seed
// range, so
//   number of seed ranges ever made for a bubble <= number of its seeds
// as every seed range holds at least one seed that no other range holds (DESIGN sections 4 and 5).
#pragma once

#include <atomic>
#include <cstdint>

#include "sched/context/float_control.hpp"

namespace xylem::sched {

class RunQueue;
struct Fiber;
struct Bubble;
struct ExternalThread;
struct Group;
struct Stack;
class KnownTeam;

enum class EntityKind : uint8_t { fiber, seed_range };

struct Entity {
  Entity* next = nullptr;                  // by the lock of the queue it stands in
  Entity* prev = nullptr;                  // likewise
  std::atomic<RunQueue*> queue = nullptr;  // where it stands; written under that queue's lock
  EntityKind kind = EntityKind::fiber;
  bool external_only = false;  // an external thread's fiber: only its own kernel thread may take it
  bool pinned = false;         // may only be taken by workers of the queue's own level
  bool gathered = false;       // a fiber: pinned where it was woken, until it is let go
                               // (worker/gathering.hpp)
  int priority = 0;            // of what stands in one queue the higher goes first
};

// What other layers see of a user-level thread. Fiber (fiber.hpp) is the rest of it.
struct Thread : Entity {
  void* user = nullptr;  // the upper layer's: what it knows of the thread
  int pu = 0;            // that it runs on, or ran on last
};

struct SeedRange : Entity {
  Bubble* bubble = nullptr;
  int lo = 0;  // by the lock of the queue
  int hi = 0;  // likewise
};

// What the members of a bubble run. A constant, one for each kind of bubble.
struct BubbleKind {
  // Runs member `index` of the bubble on the calling context. May suspend; `self` is its thread.
  void (*body)(Bubble& bubble, int index, Thread& self);
  // Called when member `index` has left its fiber; may free the bubble.
  void (*finished)(Bubble& bubble, int index);
  // The bubble that its maker is a member of; null: not said. May be null itself.
  Bubble* (*outer)(const Bubble& bubble) = nullptr;
};

// What a contention group keeps for a member of its outermost teams from one region to the next.
struct KeptMember {
  void* block = nullptr;  // its thread control block, or the stack of its kept kernel thread
  FloatControl floats;    // goes before Bubble::floats; or not known
};

// By cache lines, if it begins at one: what the maker writes while it launches and ends it; what a
// worker reads to run a member, and to open a team of its, a line; and flags, with which the upper
// layer's line begins.
struct Bubble {
  SeedRange* seed_ranges = nullptr;  // room for as many ranges as seeds
  std::atomic<int> seed_ranges_used =
      0;                             // next free one; relaxed: memory is handed over by queue locks
  SeedRange* local_seeds = nullptr;  // of a nested team: its seeds on the maker's queue
  Group* outer_group = nullptr;      // the bubble that the maker came from (place/membership.hpp)
  uint64_t trace_id = 0;             // its number in the trace; 0: not traced
  void (*code)(void*) = nullptr;     // the upper layer's: what tells its region from others
  // The upper layer's: of members that have ended and come back, by member; null: none did.
  std::atomic<SeedRange*> helper_ranges = nullptr;
  // By its maker, from its launch to its end (region.hpp).
  bool arrives = false;        // its unit counts it (group/gang_scheduler.hpp)
  bool opened_region = false;  // the outermost region of its contention group
  bool spins = false;          // each thread gets a kernel thread at once (spinning_regions.hpp)
  bool is_private = false;     // the maker's worker keeps its seeds for itself (short_regions.hpp)

  const BubbleKind* kind = nullptr;   // before it is launched
  KeptMember* kept = nullptr;         // by member, by its contention group; null: nothing is
  KnownTeam* known = nullptr;         // from the last times that its region ran; null: nothing is
  ExternalThread* initial = nullptr;  // the external thread whose region it belongs to
  Group* group = nullptr;             // the innermost group that they belong to; or null
  // Where the sampler adds up the time of its threads; null: nowhere. By member, or the same for
  // all.
  std::atomic<int64_t>* times = nullptr;
  int members = 1;      // an index means member index % members
  int priority = 0;     // of its threads
  FloatControl floats;  // of the maker: what members begin with; or not known

  bool times_by_member = false;
  bool on_kept_threads = false;  // a kernel thread for each member (kept_threads.hpp)
  // These are written before its launch, so that one byte has them.
  bool solo : 1 = false;          // on kept threads, each of which is a solo worker
  bool bound : 1 = false;         // each member has a PU of its own
  bool held : 1 = false;          // its members stay where they were put (plan::Placement)
  bool keeps_blocks : 1 = false;  // KeptMember::block is the members'

  // Only of one that was launched and has not ended.
  Bubble* outer() const { return kind && kind->outer ? kind->outer(*this) : nullptr; }

  SeedRange& new_seed_range(int lo, int hi) {
    SeedRange& seeds = seed_ranges[seed_ranges_used.fetch_add(1, std::memory_order_relaxed)];
    seeds.kind = EntityKind::seed_range;
    seeds.bubble = this;
    seeds.lo = lo;
    seeds.hi = hi;
    seeds.external_only = seeds.pinned = false;
    seeds.priority = priority;
    return seeds;
  }
};

// Where the kernel thread of a member is kept, as its stack, in a team that has one for each.
inline Stack*& kept_thread(const Bubble& bubble, int index) {
  return reinterpret_cast<Stack*&>(bubble.kept[index % bubble.members].block);
}

// A doubly linked list of entities; whoever holds the owner's lock may use it.
class EntityList {
 public:
  bool empty() const { return head_ == nullptr; }
  Entity* front() const { return head_; }
  Entity* back() const { return tail_; }

  void push_front(Entity& e) {
    e.prev = nullptr;
    e.next = head_;
    (head_ ? head_->prev : tail_) = &e;
    head_ = &e;
  }
  void push_back(Entity& e) {
    e.next = nullptr;
    e.prev = tail_;
    (tail_ ? tail_->next : head_) = &e;
    tail_ = &e;
  }
  // Before `next`, or at the end if that is null.
  void insert_before(Entity* next, Entity& e) {
    if (!next) return push_back(e);
    if (!next->prev) return push_front(e);
    e.prev = next->prev;
    e.next = next;
    e.prev->next = next->prev = &e;
  }
  void remove(Entity& e) {
    (e.prev ? e.prev->next : head_) = e.next;
    (e.next ? e.next->prev : tail_) = e.prev;
    e.next = e.prev = nullptr;
  }

 private:
  Entity* head_ = nullptr;
  Entity* tail_ = nullptr;
};

}  // namespace xylem::sched
