// Owns: the end of a region: members that depart, and member 0 that waits for them (team.hpp).
//
// join_word's count falls to 0 when all have departed. The decrement that does it clears
// join_waiting in the same step if it is set; then the joiner (member 0) sleeps and nobody else may
// wake it, so the team still lives. If it was not set the joiner is awake and may free the team at
// once: it is not touched again.
#include "base/check.hpp"
#include "omp/sync/wait_in_place.hpp"
#include "omp/team/affinity_display.hpp"
#include "omp/team/hints.hpp"
#include "omp/team/team.hpp"
#include "omp/team/team_memory.hpp"
#include "omp/team/tracing.hpp"
#include "omp/tool/regions.hpp"
#include "os/clock.hpp"
#include "sched/sched.hpp"

namespace xylem::omp {

namespace {

uint32_t held(const Team& team) {
  // acquire: pairs with the release in release_region(); all that departed members wrote is seen
  return team.join_word.load(std::memory_order_acquire) & ~join_waiting;
}

void bind_member(Member& member, const PlaceOfMember& place) {
  member.place = place.place;
  Icvs& icvs = member.implicit.icvs.own();
  icvs.place_first = place.first;
  icvs.place_count = place.count;
}

}  // namespace

void begin_member(Team& team, Member& member, sched::Thread& thread) {
  member.team = &team;
  member.outer = team.maker;
  member.thread = &thread;
  member.implicit.icvs.inherit(team.child_icvs);
  member.task = &member.implicit;
  const bool plainly = team.begins_plainly;
  member.implicit.taskgroup = plainly ? nullptr : team.tasks.region_group;
  member.work.start(plainly ? team.works.anchor() : *team.first_step);
}

namespace {

constexpr uint64_t bits_of(Departure departure) { return static_cast<uint64_t>(departure); }
constexpr uint64_t all_bits = (1 << CombiningTree::bits_a_member) - 1;

// Team::departing counts the member, if it departs or has, and is not counted yet. By the member
// and by who makes the team's queues: one of the two.
void count_departing(Team& team, CombiningTree::Node& node, int shift) {
  uint64_t seen = node.departures.load();
  do {
    const uint64_t own = seen >> shift;
    if ((own & (bits_of(Departure::departing) | bits_of(Departure::departed))) == 0 ||
        (own & bits_of(Departure::counted)) != 0)
      return;
  } while (
      !node.departures.compare_exchange_weak(seen, seen | bits_of(Departure::counted) << shift));
  team.departing.fetch_add(1);
}

void uncount(Team& team, uint64_t bits) {
  if ((bits & bits_of(Departure::counted)) != 0) team.departing.fetch_sub(1);
}

// False: a task is queued, and it does not depart. Not inlined, as most teams have no task queues.
[[gnu::noinline]] bool says_it_departs(Team& team, const Member& member) {
  CombiningTree::Node& node = team.tree.lowest_of(member.num);
  const int shift = team.tree.shift_of(member.num);
  node.departures.fetch_or(bits_of(Departure::departing) << shift);
  count_departing(team, node, shift);
  if (!team.tasks.has_queued()) return true;
  uncount(team, node.departures.fetch_and(~(all_bits << shift)) >> shift);
  return false;
}

// Who queues a task and sees nobody depart finds the queue looked at afterwards. While the team has
// no queues nobody has queued a task, and who departs says so only when it has departed: one
// operation on its node's line less. Who makes the queues counts those; one that was just between
// its poll and its departure is found by TaskPool::unnoticed_polls, or not any more: then it does
// not help.
void run_tasks_before_departing(Team& team, Member& member) {
  do {
    while (team.tasks.run_one(member)) {
    }
  } while (team.tasks.made_queues() && !says_it_departs(team, member));
}

}  // namespace

void count_those_departing(Team& team) {
  team.tasks.expect_unnoticed();
  for (int num = 1; num < team.n; ++num)
    count_departing(team, team.tree.lowest_of(num), team.tree.shift_of(num));
}

namespace {

// Where the member is bound to, and what hints and settings want at its beginning. first: it begins
// for the first time.
void begin_as_told(Team& team, Member& member, bool first) {
  if (team.places) {
    bind_member(member, team.places[member.num]);
    sched::pin_to(*member.thread, team.places[member.num].pu);
  }
  if (!first) return;
  if (team.begins_by_hints) [[unlikely]]
    begin_by_hints(team, member);
  if (team.shows_affinity) display_affinity("", team.shown_door);
}

// run(team, member, first): what the member does before it runs tasks that are left, and
// ended(team, member, first) after that. first: it does so for the first time; else it has
// departed, and comes back to run tasks.
template <class Run, class Ended>
[[gnu::always_inline]] inline void be_member(sched::Bubble& bubble, int index, sched::Thread& self,
                                             Run run, Ended ended) {
  auto& team = static_cast<Team&>(bubble);
  Member member;
  member.num = index < team.n ? index : index - team.n;
  begin_member(team, member, self);
  self.user = &member;
  if (!team.begins_plainly) begin_as_told(team, member, index < team.n);
  if (index < team.n) {
    run(team, member, true);
  } else {
    run(team, member, false);
    record_helper_awake(team);
  }
  run_tasks_before_departing(team, member);
  ended(team, member, index < team.n);
  leave_all_entered(member);
}

}  // namespace

namespace {

// An index from n on is a departed member that comes back to run tasks.
void member_body(sched::Bubble& bubble, int index, sched::Thread& self) {
  be_member(
      bubble, index, self,
      [](Team& team, Member&, bool first) {
        if (first) team.function(team.data);
      },
      [](Team&, Member&, bool) {});
}

void told_member_body(sched::Bubble& bubble, int index, sched::Thread& self) {
  tool::TaskRecord task;
  be_member(
      bubble, index, self,
      [&task](Team& team, Member& member, bool first) {
        tool::be_implicit_task(team, member, task, first);
      },
      tool::end_implicit_task);
}

// Only now it has departed: its seed range, its thread-local data and its thread
// may be used again.
void member_finished(sched::Bubble& bubble, int index) {
  auto& team = static_cast<Team&>(bubble);
  const bool first = index < team.n;
  const int num = first ? index : index - team.n;
  if (first) {
    if (team.tree.depart_first(num)) release_region(team);
    return;
  }
  team.tree.lowest_of(num).departures.fetch_or(
      bits_of(Departure::departed) << team.tree.shift_of(num), std::memory_order_release);
  release_region(team);
}

sched::Bubble* makers_team(const sched::Bubble& bubble) {
  const Member* maker = static_cast<const Team&>(bubble).maker;
  return maker ? maker->team : nullptr;
}

}  // namespace

constexpr sched::BubbleKind member_kind{member_body, member_finished, makers_team};
constexpr sched::BubbleKind told_member_kind{told_member_body, member_finished, makers_team};

void hold_region(Team& team) {
  // relaxed: the team lives, as the caller holds it or is the one to free it
  team.join_word.fetch_add(1, std::memory_order_relaxed);
}

void release_region(Team& team) {
  uint32_t seen = team.join_word.load(std::memory_order_relaxed);
  uint32_t next;
  do {
    XYLEM_ASSERT((seen & ~join_waiting) > 0, "more members departed than the team has");
    next = seen == (join_waiting | 1) ? 0 : seen - 1;
    // acq_rel: pairs with held() and, for the joiner, with the release in fall_asleep()
  } while (!team.join_word.compare_exchange_weak(seen, next, std::memory_order_acq_rel,
                                                 std::memory_order_relaxed));
  if (seen == (join_waiting | 1)) sched::make_ready(*team.master.thread);
}

namespace {

bool clear_waiting(Team& team) {
  return (team.join_word.fetch_and(~join_waiting, std::memory_order_acq_rel) & join_waiting) != 0;
}

// The joiner is off its stack: it may be woken from here on. It holds the region, so the team lives
// until that is released: also if somebody else has woken the joiner.
void fall_asleep(void* raw) {
  auto& team = *static_cast<Team*>(raw);
  // Sequentially consistent: who queues a task and sees no joiner to rouse has queued it before.
  team.join_word.fetch_or(join_waiting);
  if (team.tasks.has_queued() && clear_waiting(team)) sched::make_ready(*team.master.thread);
  release_region(team);
}

void sleep_until_news(Team& team, Member& master) {
  if (wait_in_place(master, [&] { return held(team) == 0; })) return;
  if (team.tasks.run_one(master)) return;
  hold_region(team);
  sched::suspend(fall_asleep, &team, trace::Reason::join);
  record_helper_awake(team);
}

}  // namespace

void join(Team& team, Member& master) {
  sched::run_own_members(team, *master.thread);
  for (;;) {
    const bool alone = held(team) == 0;
    if (alone ? team.tasks.run_one(master) : team.tasks.run_near_one(master)) continue;
    if (alone) return;
    sleep_until_news(team, master);
  }
}

namespace {

// Takes the member out of those that have departed; false if it has not, or somebody was sooner.
bool take_departed(Team& team, int num) {
  CombiningTree::Node& node = team.tree.lowest_of(num);
  const int shift = team.tree.shift_of(num);
  uint64_t seen = node.departures.load(std::memory_order_relaxed);  // relaxed: a hint
  do {
    if ((seen >> shift & bits_of(Departure::departed)) == 0) return false;
    // pairs with the release when it departed
  } while (!node.departures.compare_exchange_weak(seen, seen & ~(all_bits << shift)));
  uncount(team, seen >> shift);
  return true;
}

bool recall_departed(Team& team) {
  for (int num = 1; num < team.n; ++num) {
    if (!take_departed(team, num)) continue;
    hold_region(team);
    const int pu = team.places ? team.places[num].pu : -1;
    sched::call_back(team, helper_seeds(team, num), num, pu);
    return true;
  }
  return false;
}

bool somebody_to_wake(Team& team) {
  return somebody_sleeps(team) || (team.join_word.load() & join_waiting) != 0 ||
         team.departing.load() > 0 || team.tasks.may_have_unnoticed();
}

bool wake_one_helper(Team& team) {
  if (sched::Thread* sleeper = take_sleeper(team)) {
    sched::make_ready(*sleeper);
    return true;
  }
  if ((team.join_word.load() & join_waiting) != 0 && clear_waiting(team)) {
    sched::make_ready_away(
        *team.master.thread);  // its kernel thread may run who waits for the task
    return true;
  }
  return recall_departed(team);
}

}  // namespace

void wake_helper(Team& team) {
  if (team.n == 1) {  // an event's end made a task ready
    tell_alone(team);
    if (clear_waiting(team)) sched::make_ready(*team.master.thread);
    return;
  }
  // Most often there is nobody to rouse, or somebody comes already. Nobody may be found although
  // there is one: he has just been roused, or has not quite departed. Then others may have left it
  // to the caller meanwhile: once more.
  for (int turn = 0; somebody_to_wake(team) && !team.tasks.helper_comes.exchange(true); ++turn) {
    if (wake_one_helper(team)) return;
    team.tasks.record_unnoticed_poll();
    team.tasks.helper_comes.store(false);
    if (!team.tasks.has_queued()) return;
    if (turn > 100) os::yield_to_kernel();
  }
}

void wake_another(Team& team) {
  if (team.n == 1 || !somebody_to_wake(team) || team.tasks.helper_comes.load()) return;
  if (team.tasks.has_queued()) wake_helper(team);
}

// Written only when it is set: most often it is not, and all read it.
void record_helper_awake(Team& team) {
  if (team.tasks.helper_comes.load()) team.tasks.helper_comes.store(false);
}

}  // namespace xylem::omp
