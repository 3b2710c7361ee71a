// Owns: groups: the records of bubbles that are scheduled, or counted, as a whole (paper 002,
// section 2.2.3: what holds threads is a run queue or a bubble). The bubbles that a program makes
// have one; under a policy that gives time slices so have its teams; under other policies each
// contention group has one that only shows its outermost team to `xylem top`.
//
// A group that is scheduled as a whole is a unit. It has a run queue of its own: what of it is
// ready stands there and nowhere else. A unit is attached to a level, whose workers then take from
// its queue, or it is suspended, and then nobody does: that is how a gang waits for its turn.
// Invariant: Pool::attached(level) lists exactly the units whose `level` is that level.
// Records are never freed: whoever holds an old address reads a record, if that of another group.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "sched/queue/run_queue.hpp"
#include "topo/machine.hpp"

namespace xylem::sched {

enum class GroupKind : uint8_t {
  program,    // made by the program, xylem/bubble.h
  team,       // an outermost team
  inner_team  // a team made by a member of an outermost one
};

// In place of a level.
inline constexpr int suspended = -2;
inline constexpr int detached = -1;

inline constexpr base::LockRank suspended_rank{40, "Group::suspended_lock"};

struct Group {
  // --- written by who makes it, before others know it ---
  GroupKind kind = GroupKind::program;
  Group* parent = nullptr;
  std::atomic<uint64_t> number{0};  // from 1; 0: the record is free. relaxed: it is only told

  // --- what the program says of it; relaxed: each is taken when a team is made ---
  std::atomic<int64_t> load{0};                              // 0: not told
  std::atomic<std::optional<topo::LevelKind>> burst_kind{};  // at which its teams open
  std::atomic<std::optional<topo::LevelKind>> gang_kind{};   // on which it has its turns
  std::atomic<int> priority{0};
  std::atomic<int64_t> slice_ns{0};  // of its turns; 0: as long as the others'

  // --- of a unit ---
  // A level, suspended or detached. Written by attach(); sequentially consistent with the counts
  // of queues: worker/unit_queues.cpp has the proof that nothing that waits is forgotten.
  std::atomic<int> level{detached};
  RunQueue queue;
  // Its threads run below its level, wherever they ran before. By sched::GangScheduler, before it
  // is attached; relaxed: who misses it goes on until its next scheduling point.
  std::atomic<bool> keeps_to_level{false};
  base::SpinLock suspended_lock{suspended_rank};
  EntityList suspended_threads
      XYLEM_GUARDED_BY(suspended_lock);  // fibers of external threads, while it is suspended
  Group* next_attached = nullptr;        // by the lock of the level's list
  int users = 0;  // by sched::GangScheduler: teams and threads that came to it from elsewhere
  // What has waited longest in its queue, and for how long while the unit was attached. By the
  // monitor.
  struct Longest {
    RunQueue::Oldest it;
    int64_t waited_ns = 0;
  };
  Longest longest_fiber, longest_seed;
  // How often it was attached, on which those of its threads sleep that are stopped, and how many
  // these are (group/preemption.hpp).
  std::atomic<uint32_t> turns{0}, stopped{0};

  // --- sums; relaxed: they guard no data ---
  std::atomic<int> threads{0};          // that belong to it and to no bubble inside
  std::atomic<int> running{0};          // of these, when the sampler looked last; by the sampler
  std::atomic<int> unit_threads{0};     // of all bubbles whose unit it is
  std::atomic<int> unit_running{0};     // likewise, by the sampler
  std::atomic<int64_t> cpu_ns{0};       // by the sampler
  std::atomic<int64_t> unit_cpu_ns{0};  // of all whose unit it is, likewise
  std::atomic<int64_t> misses{0};     // by the sampler, where they are counted (worker/misses.hpp)
  std::atomic<uint64_t> trace_id{0};  // of its first team; 0: not traced
  Group* next = nullptr;              // of all that are not free; by the lock of groups.cpp

  bool external_waits() {
    base::Locked locked(suspended_lock);
    return !suspended_threads.empty();
  }
  // Whose queue keeps what may run of it; null: the PUs' queues do.
  Group* unit() const { return unit_.load(std::memory_order_relaxed); }
  void set_unit(Group* unit) { unit_.store(unit, std::memory_order_relaxed); }
  bool is_suspended() const {
    // relaxed: who misses it goes on until its next scheduling point
    return unit() && unit()->level.load(std::memory_order_relaxed) == suspended;
  }

 private:
  // Written by who makes it, before its threads know of it. relaxed: the sampler may read that of a
  // bubble that is gone, and then counts wrong once.
  std::atomic<Group*> unit_{nullptr};
};

}  // namespace xylem::sched
