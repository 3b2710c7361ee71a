// Owns: teams and their members: what a parallel region is made of.
//
// A team is a bubble (DESIGN section 6). Member 0 is the encountering thread and runs on its own
// fiber; the others start as seeds. A member that has ended has departed. Its number lives on: the
// member can be called back to run explicit tasks (wake_helper).
//
// Conservation: the count in join_word is the sum of
//   1 while not all of members 1..n-1 have departed for the first time (CombiningTree),
//   the departed members that were called back,
//   the detached tasks that wait for their event, and
//   1 while member 0 falls asleep in the join.
// The region ends when the count is 0, member 0 has arrived and no task is left.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "omp/env/icv.hpp"
#include "omp/loops/work_share.hpp"
#include "omp/sync/barrier.hpp"
#include "omp/sync/combining_tree.hpp"
#include "omp/sync/reduction_tree.hpp"
#include "omp/tasks/task.hpp"
#include "omp/team/memory_owners.hpp"
#include "sched/sched.hpp"

namespace xylem::omp {

struct Team;
struct InitialThread;
struct ThreadsClause;

// hints.hpp
struct MemberHints;
struct HintedTeam;
struct HintsEnd {
  void operator()(MemberHints* hints) const;
};

// Clauses of a parallel region that were told by calls of their own before its beginning.
struct RegionClauses {
  unsigned wanted = 0;  // num_threads; 0: there is none
  ProcBind bind = ProcBind::none;
  ThreadsClause* threads = nullptr;  // where num_threads says more; owned (threads_clause.hpp)
  bool any() const {
    return wanted != 0 || bind != ProcBind::none;
  }  // `threads` comes with `wanted`
};

// Likewise, of a teams construct; 0: there is none.
struct LeagueClauses {
  unsigned teams = 0;
  unsigned thread_limit = 0;
};

// One thread of a team. Lives in the frame of the code that runs it.
struct Member {
  // Not constexpr: GCC would fill all of it with zeros (rep stos), and then write it once more.
  Member() {}

  Team* team = nullptr;
  int num = 0;              // omp_get_thread_num()
  int place = -1;           // -1: not bound
  Task* task = nullptr;     // the task that it runs now: &implicit or an explicit one
  Member* outer = nullptr;  // the member that made the team; null for an initial thread
  sched::Thread* thread = nullptr;
  // The part of the machine where teams that the member opens stay (hints.hpp); null: all of it. It
  // belongs to the decision on this team, or on the outermost team that hints placed around it.
  const sched::Part* part = nullptr;
  WorkCursor work;  // which worksharing construct it is in (work_share.hpp)
  // True between the barrier inside single copyprivate and the barrier at its end. Members may be
  // copying from the frame of the member that ran the body: so all meet there, cancelled or not.
  bool in_copyprivate : 1 = false;
  bool holds_reduction : 1 = false;  // holds the lock under which reductions are combined
  int8_t taskyields = 0;  // those to come that do nothing, while others wait (task_wait.cpp)
  int16_t victim = -1;  // the queue that tasks of others are taken from (task_watch.hpp); -1: none
  // Hash of what OMP_DISPLAY_AFFINITY showed last of this thread, in programs of LLVM's; 0:
  // nothing. See record_affinity().
  uint32_t shown = 0;
  RegionClauses clauses;                         // of the next region that it opens
  sched::Entered* entered = nullptr;             // bubbles of the program that it went into
  std::unique_ptr<MemberHints, HintsEnd> hints;  // that it told and that nobody acted on yet
  Task implicit;                                 // its implicit task
};

// Where a member runs of a team that is bound, or that hints placed (then it has no place).
struct PlaceOfMember {
  int place = -1;
  int first = 0, count = 0;           // its place partition
  int pu = -1;                        // logical PU inside the place
  const sched::Part* part = nullptr;  // Member::part
};

// Behind it in its block are n-1 seed ranges, the nodes of its tree, and the lists of who sleeps at
// its barrier by processor, if it has them (make_team()). The block begins at a cache line, and the
// fields stand by lines, which a unit test holds apart: two lines that a member of a region without
// constructs reads, the last of Bubble and the next; what is written when tasks are left, and at
// the end; what is written once a barrier; what few read; what is written when the opener of a
// barrier finds sleepers; constructs; member 0.
struct Team : sched::Bubble {
  bool begins_by_hints : 1 = false;  // hints were told before it was launched
  bool shows_affinity : 1 = false;   // OMP_DISPLAY_AFFINITY: it differs from the team shown before
  Door shown_door : 1 = Door::gnu;   // then: the door by which it was opened
  // True if there are no such hints, nothing to show, no places and no task reductions of the
  // region, and members start at the anchor of `works`. Written before the team is launched.
  bool begins_plainly = false;
  // Members that sleep at the barrier stand in lists by processor, behind the tree's nodes.
  bool sleeps_by_pu = false;
  uint8_t active_level = 0;             // nesting of regions with more than one thread
  sched::StacksAside stacks_set_aside;  // where memory is limited (team_size.hpp)
  int level = 0;  // nesting of regions, active or not; 0 for an initial thread's team of one
  int n = 1;      // threads
  Member* maker =
      nullptr;  // the member that encountered the region; null for an initial thread's team
  void (*function)(void*) = nullptr;
  void* data = nullptr;
  CombiningTree tree;  // where its members meet; not of a team of one
  TaskPool tasks;      // its first word is the last of the line that members read

  std::atomic<uint32_t> join_word{0};  // count, and join_waiting when the joiner sleeps
  // Members that have departed, or are about to and check the queues once more. Counted from the
  // first queued task on (count_those_departing). Sequentially consistent: see wake_helper().
  std::atomic<int> departing{0};
  std::atomic<ReductionTree*> reductions{nullptr};  // made when members first combine along it
  void* copyprivate = nullptr;  // between the two barriers of single copyprivate

  Barrier barrier;
  // 0: not cancelled. Set once by any member (relaxed: a hint until the next barrier).
  std::atomic<uint32_t> cancelled{0};
  SingleClaims singles;                      // who comes from a barrier has the line at hand
  Icvs child_icvs;                           // what its implicit tasks start with
  std::atomic<HintedTeam*> hinted{nullptr};  // what hints make its members do (hints.hpp)

  PlaceOfMember* places = nullptr;         // by member; null: not bound
  WorkStep* first_step = nullptr;          // where members start among `works`
  TeamAsOwner owner;                       // of memory, itself and its members
  const ThreadsClause* threads = nullptr;  // of its region; null: its clause is no list
  int first_number = 0;                    // of its members' numbers: number_in_process()
  int league_num = 0;                      // of a level 0 team: omp_get_team_num()
  int league_size = 1;                     // likewise: omp_get_num_teams()

  BarrierSleepers sleepers;  // nobody, where sleeps_by_pu; the lock serves who leaves early, too
  WorkShares works;
  Member master;  // member 0
};

// By processor; where sleeps_by_pu. In team_memory.cpp.
std::span<SleepersOfPu> sleepers_by_pu(const Team& team);

inline constexpr uint32_t join_waiting = 0x8000'0000u;

// The runtime's record of an external thread: its team of one and initial task.
struct InitialThread {
  Team team;
  Member member;
  LeagueClauses league;      // of the next teams construct
  int shown_threads = 0;     // to GCC's programs, by OMP_DISPLAY_AFFINITY: the last team's size
  std::atomic<int> busy{1};  // threads of all its teams, when a thread limit is set
};

// The initial thread of the calling thread's contention group.
InitialThread& initial_thread_of(Member& member);

// current_member() of a thread that the runtime may see for the first time: it starts if need be.
Member& meet_member();
// The calling thread as a member of its innermost team. Never null.
inline Member& current_member() {
  const sched::Thread* thread = sched::current_thread();
  if (thread && thread->user) [[likely]]
    return *static_cast<Member*>(thread->user);
  return meet_member();
}
// The number of the lane that serves the member, where a team has a lane for each member or, if
// that is fewer, for each PU.
inline int lane_of(const Member& member, int lanes) {
  if (member.team->n <= lanes) return member.num;
  const int pu = member.thread->pu;
  return pu < lanes ? pu : pu % lanes;
}
inline Task& current_task() { return *current_member().task; }

// At the member's end: leaves all bubbles of the program that it is still in.
inline void leave_all_entered(Member& member) {
  while (member.entered) [[unlikely]] sched::leave_entered(*member.thread, member.entered);
}

// A number that no other thread of the process has as long as the member lives. The first thread of
// the program has 0, the members of its outermost teams have their thread numbers, and member 0 of
// a team has its maker's.
inline int number_in_process(const Member& member) {
  const Member* at = &member;
  while (at->num == 0 && at->outer) at = at->outer;
  return at->team->first_number + at->num;
}

// Tells the load of a member, for the next region (place/told_loads.hpp). Ignored outside of
// regions, and deeper than four nested teams.
void tell_load(Member& member, int64_t load);

// A parallel region that is to be opened.
struct Region {
  void (*function)(void*) = nullptr;  // what its members run, with `data`
  void* data = nullptr;
  unsigned wanted = 0;             // the num_threads clause; 0: there is none, 1: also if(false)
  ProcBind bind = ProcBind::none;  // the proc_bind clause
  Door door = Door::gnu;           // by which it came
  const ThreadsClause* threads = nullptr;  // what num_threads says besides `wanted`
  // What tells the region from others where many have the same `function`; null: `function` does.
  void (*code)(void*) = nullptr;
  // Runs after the team is made and before its members start: loops and sections that start with
  // their region, task reductions.
  void (*prepare)(Team& team, void* argument) = nullptr;
  void* argument = nullptr;
};

// The whole of `#pragma omp parallel`. Returns when all members have ended. True if the region was
// cancelled.
bool parallel(const Region& region);

// parallel() in two halves: after parallel_begin() the caller runs the function itself as member 0,
// and then calls parallel_end(). The first returns member 0; `maker`, the calling thread as a
// member, opens the region, and `master` closes it.
Member& parallel_begin(Member& maker, const Region& region);
bool parallel_end(Member& master);
inline void parallel_begin(const Region& region) { parallel_begin(current_member(), region); }
inline bool parallel_end() { return parallel_end(current_member()); }

// The barrier of a team, explicit or implied by a construct. Members run tasks while they wait.
void team_barrier(Member& member);
// A barrier that cancellation may open: true if the team's parallel region is cancelled.
bool team_barrier_cancel(Member& member);

// After a task was queued: wakes a member that sleeps in the barrier or in the join, or calls back
// one that has departed, to run it; unless one is on its way already. wake_another() does the same,
// by a member that took a task while more are queued.
void wake_helper(Team& team);
void wake_another(Team& team);
// Counts the members that departed before the team had queues. By the member that makes the team's
// first task, once the queues can be seen.
void count_those_departing(Team& team);
// By the member that was woken or called back, before it looks at the queues.
void record_helper_awake(Team& team);

// When the last ChildTasks that was left to a barrier is done: opens the barrier if that waited for
// it.
void tasks_drained(Team& team);

// Wakes all members that wait in the team's barrier: the region is cancelled.
void wake_for_cancel(Team& team);

// The end of the region waits for one thing more, or one less (detached tasks).
void hold_region(Team& team);
void release_region(Team& team);

}  // namespace xylem::omp
