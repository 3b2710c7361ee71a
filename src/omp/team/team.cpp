// Owns: opening and closing parallel regions. See team.hpp.
#include "omp/team/team.hpp"

#include <algorithm>
#include <array>

#include "omp/env/settings.hpp"
#include "omp/tasks/task_combine.hpp"
#include "omp/team/affinity_display.hpp"
#include "omp/team/binding.hpp"
#include "omp/team/hints.hpp"
#include "omp/team/runtime.hpp"
#include "omp/team/team_memory.hpp"
#include "omp/team/team_size.hpp"
#include "omp/team/threads_clause.hpp"
#include "sched/sched.hpp"

namespace xylem::omp {

Member& meet_member() {
  sched::Thread& met = sched::this_thread();
  if (!met.user) make_initial_thread(met);
  return *static_cast<Member*>(met.user);
}

namespace {

// The outermost teams of the program's first thread, which has 0, have the numbers from 0 on.
int first_number(const Member& maker, int n) {
  const bool outermost = maker.team->active_level == 0;
  if (outermost && number_in_process(maker) == 0) return 0;
  return sched::take_numbers(*maker.thread, n);
}

// Of which size teams are that its members may open; 1: it may open none.
int expected_inner(const Team& team) {
  const Icvs& icvs = team.child_icvs;
  return team.active_level < icvs.max_active_levels_var ? static_cast<int>(icvs.nthreads_var) : 1;
}

int pu_of_member(const sched::Bubble& bubble, int member) {
  return static_cast<const Team&>(bubble).places[member].pu;
}

sched::Launch launch_of(const Team& team) {
  return {.pu_of = team.places ? pu_of_member : nullptr,
          .by_hints = team.begins_by_hints,
          .outer = team.maker->team,
          .maker = team.maker->num,
          .function = team.code,
          .inner_threads = expected_inner(team)};
}

Team& open_team(Member& maker, int n, const Region& region) {
  Team& team = make_team(n, *maker.thread);
  team.level = maker.team->level + 1;
  team.active_level = static_cast<uint8_t>(maker.team->active_level + (n > 1));  // at most 255
  team.maker = &maker;
  team.function = region.function;
  team.data = region.data;
  team.code = region.code ? region.code : region.function;
  team.kind = &member_kind;
  team.child_icvs = child_icvs(*maker.task->icvs, team.level, region.bind);
  if (region.threads && region.threads->threads.size() > 1) [[unlikely]]
    team.threads = region.threads;
  if (team.threads || team.child_icvs.in_threads_list) [[unlikely]]
    apply_threads_list(team);
  team.works.open(n, maker.thread->pu);
  team.first_step = &team.works.anchor();
  team.join_word.store(n > 1 ? 1 : 0, std::memory_order_relaxed);  // before sharing
  begin_member(team, team.master, *maker.thread);
  team.master.place = maker.place;
  if (n > 1) {
    team.first_number = first_number(maker, n);
    bind_team(team, maker, region.bind);
  }
  if (maker.hints || maker.part) [[unlikely]]
    place_by_hints(team, maker, launch_of(team));
  return team;
}

// Outermost teams by their size, others always.
bool differs_for_gnu(const Team& team, InitialThread& root) {
  const bool differs = !team.opened_region || root.shown_threads != team.n;
  if (team.opened_region) root.shown_threads = team.n;
  return differs;
}

// By its level, its size and its places from the team that the maker's thread was in before.
bool differs_for_llvm(Team& team, const Member& maker) {
  constexpr uint32_t prime = 16777619;  // FNV-1a
  uint32_t hash = 2166136261u;
  const auto add = [&hash](int value) { hash = (hash ^ static_cast<uint32_t>(value)) * prime; };
  add(team.level);
  add(team.n);
  for (int i = 0; team.places && i < team.n; ++i) add(team.places[i].place);
  team.master.shown = std::max(hash, 1u);
  return team.master.shown != maker.shown;
}

// OMP_DISPLAY_AFFINITY is set: whether the team's members are to show themselves. Before they
// start.
void record_affinity(Team& team, Member& maker, Door door) {
  if (door == Door::gnu && team.n == 1) return;
  team.shown_door = door;
  team.shows_affinity = door == Door::gnu ? differs_for_gnu(team, initial_thread_of(maker))
                                          : differs_for_llvm(team, maker);
}

// What members look for when they begin, and most often is not there, stands in lines that most
// members do not read else.
bool begins_plainly(Team& team) {
  return !team.begins_by_hints && !team.shows_affinity && !team.places &&
         !team.tasks.region_group && team.first_step == &team.works.anchor();
}

}  // namespace

// Teams of one are no part of the tree.
void tell_load(Member& member, int64_t load) {
  std::array<int, 4> numbers;
  auto first = numbers.end();
  for (const Member* at = &member; at; at = at->outer) {
    if (at->team->n == 1) continue;
    if (first == numbers.begin()) return;  // deeper than anybody places
    *--first = at->num;
  }
  if (first != numbers.end()) sched::tell_load(*member.thread, {first, numbers.end()}, load);
}

Member& parallel_begin(Member& maker, const Region& region) {
  sched::scheduling_point(*maker.thread);
  const TeamSize size = take_team_size(maker, region.wanted);
  const int n = size.threads;
  if (region.threads || maker.task->icvs->in_threads_list) [[unlikely]]
    check_strict(maker, region.threads, region.wanted, n);
  Team& team = open_team(maker, n, region);
  team.stacks_set_aside = size.stacks_set_aside;
  if (region.prepare) region.prepare(team, region.argument);
  trace::emit<sched::traced::bubble_made>(*maker.thread, team, team.level);
  maker.thread->user = &team.master;
  if (n > 1) sched::open_team(team, *maker.thread);
  if (globals().display_affinity) [[unlikely]]
    record_affinity(team, maker, region.door);
  if (n == 1) {
    if (team.shows_affinity) [[unlikely]]
      display_affinity("", team.shown_door);
    return team.master;
  }
  team.begins_plainly = begins_plainly(team);
  sched::launch_team(team, *maker.thread, launch_of(team));
  if (team.begins_by_hints) [[unlikely]]
    begin_by_hints(team, team.master);
  if (team.shows_affinity) display_affinity("", team.shown_door);
  return team.master;
}

bool parallel_end(Member& master) {
  Team& team = *master.team;
  Member& maker = *team.maker;
  sched::Thread& thread = *maker.thread;
  join(team, master);
  leave_all_entered(master);
  const bool cancelled = team.cancelled.load(std::memory_order_relaxed) != 0;  // all have departed
  if (cancelled) drop_shared_reductions(team);
  team.tasks.close();
  team.works.close();
  give_team_size_back(maker, team);
  trace::emit<sched::traced::bubble_over>(thread, team);
  thread.user = &maker;
  maker.shown = master.shown;
  if (team.places) [[unlikely]]
    end_binding(team, maker);
  sched::close_team(team, thread, read_runtime_settings().check);
  if (team.hinted.load(std::memory_order_relaxed)) [[unlikely]]  // relaxed: all have departed
    end_by_hints(team, thread);
  free_team(team, thread);
  return cancelled;
}

[[gnu::noinline]] bool parallel(const Region& region) {
  sched::program_begins_above();
  Member& master = parallel_begin(current_member(), region);
  region.function(region.data);
  return parallel_end(master);
}

}  // namespace xylem::omp
