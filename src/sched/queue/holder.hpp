// Owns: holders: bubbles that the runtime keeps books on (paper 002, section 2.2.3: what holds
// threads is a run queue or a bubble). The bubbles that a program makes are holders; under a policy
// that gives time slices so are its teams; under others each root has one that only shows its
// outermost team to `xylem top`.
//
// A kept bubble has a run queue of its own, its keeper's: what of it may run and does not run
// stands there and nowhere else. The queue lies on a level, whose workers then look into it, or
// aside, and then nobody does: that is how a gang waits for its turn.
// Invariant: Pool::lying(level) lists exactly the keepers whose `level` is that level.
// Records are never freed, so that whoever holds an old address reads a record, if of another one.
#pragma once

#include <atomic>
#include <cstdint>

#include "sched/queue/run_queue.hpp"

namespace xylem::sched {

enum class HolderKind : uint8_t {
  program,    // made by the program, xylem/bubble.h
  team,       // an outermost team
  inner_team  // a team made by a member of an outermost one
};

// In place of a level.
inline constexpr int lies_aside = -2;
inline constexpr int lies_nowhere = -1;

inline constexpr base::LockRank guests_rank{40, "Holder::guests_lock"};

struct Holder {
  // --- written by who makes it, before others know it ---
  HolderKind kind = HolderKind::program;
  Holder* parent = nullptr;
  std::atomic<uint64_t> number{0};  // from 1; 0: the record is free. relaxed: it is only told

  // --- what the program says of it; relaxed: each is taken when a team is made ---
  std::atomic<int64_t> load{0};     // 0: not told
  std::atomic<int> burst_kind{-1};  // topo::LevelKind at which its teams open; -1: not told
  std::atomic<int> priority{0};

  // --- of a keeper ---
  // A level, lies_aside or lies_nowhere. Written by lay(); sequentially consistent with the counts
  // of queues: lying.cpp has the proof that nothing that waits is forgotten.
  std::atomic<int> level{lies_nowhere};
  RunQueue queue;
  base::SpinLock guests_lock{guests_rank};
  EntityList guests_aside XYLEM_GUARDED_BY(guests_lock);  // fibers of guests, while it lies aside
  Holder* next_lying = nullptr;                           // by the lock of the level's list
  int users = 0;  // by sched::Turns: teams and threads that came to it from elsewhere

  // --- sums; relaxed: they guard no data ---
  std::atomic<int> threads{0};          // that belong to it and to no bubble inside
  std::atomic<int> running{0};          // of these, when the sampler looked last; by the sampler
  std::atomic<int> kept_threads{0};     // of all bubbles whose keeper it is
  std::atomic<int> kept_running{0};     // likewise, by the sampler
  std::atomic<int64_t> cpu_ns{0};       // by the sampler
  std::atomic<int64_t> kept_cpu_ns{0};  // of all whose keeper it is, likewise
  std::atomic<uint64_t> trace_id{0};    // of its first team; 0: not traced
  Holder* next = nullptr;               // of all that are not free; by the lock of holder.cpp

  bool guest_waits() {
    base::Locked locked(guests_lock);
    return !guests_aside.empty();
  }
  // Whose queue keeps what may run of it; null: the PUs' queues do.
  Holder* keeper() const { return keeper_.load(std::memory_order_relaxed); }
  void set_keeper(Holder* keeper) { keeper_.store(keeper, std::memory_order_relaxed); }
  bool held() const {
    // relaxed: who misses it goes on until its next scheduling point
    return keeper() && keeper()->level.load(std::memory_order_relaxed) == lies_aside;
  }

 private:
  // Written by who makes it, before its threads know of it. relaxed: the sampler may read that of a
  // bubble that is gone, and then counts wrong once.
  std::atomic<Holder*> keeper_{nullptr};
};

}  // namespace xylem::sched
