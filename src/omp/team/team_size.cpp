// Owns: the sizes of teams. See team_size.hpp.
#include "omp/team/team_size.hpp"

#include <algorithm>

#include "omp/env/settings.hpp"
#include "omp/team/runtime.hpp"

namespace xylem::omp {

namespace {

// OpenMP 5.1 section 2.6.1, algorithm 2.1.
int threads_for(const Member& member, unsigned wanted) {
  const Icvs& icvs = *member.task->icvs;
  if (wanted == 1 || member.team->active_level >= icvs.max_active_levels_var) return 1;
  unsigned n = wanted ? wanted : static_cast<unsigned>(icvs.nthreads_var);
  if (icvs.dyn_var) n = std::min(n, static_cast<unsigned>(globals().usable_threads));
  constexpr unsigned most = 1u << 20;
  return static_cast<int>(std::clamp(n, 1u, most));
}

// Takes n-1 further threads of the contention group's limit, or as many as are left.
int reserve_threads(Member& member, int n) {
  const int limit = member.task->icvs->thread_limit_var;
  if (limit == unlimited_threads || n == 1) return n;
  std::atomic<int>& busy = initial_thread_of(member).busy;
  int seen = busy.load(std::memory_order_relaxed);  // relaxed: a count, it guards no data
  int granted;
  do {
    granted = std::clamp(limit - seen, 0, n - 1);
  } while (!busy.compare_exchange_weak(seen, seen + granted, std::memory_order_relaxed));
  return granted + 1;
}

void give_threads_back(Member& member, int count) {
  if (count > 0 && member.task->icvs->thread_limit_var != unlimited_threads)
    initial_thread_of(member).busy.fetch_sub(count, std::memory_order_relaxed);  // a count
}

}  // namespace

TeamSize take_team_size(Member& maker, unsigned wanted) {
  const int n = reserve_threads(maker, threads_for(maker, wanted));
  if (n == 1) return {1, {}};
  const sched::Stacks stacks = sched::set_stacks_aside(*maker.thread, n);
  if (stacks.threads < n) give_threads_back(maker, n - stacks.threads);
  return {stacks.threads, stacks.set_aside};
}

void give_team_size_back(Member& maker, const Team& team) {
  give_threads_back(maker, team.n - 1);
  if (team.stacks_set_aside.any()) [[unlikely]]
    sched::give_stacks_back(team.stacks_set_aside, team.n);
}

}  // namespace xylem::omp
