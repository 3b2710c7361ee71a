// Owns: what is kept for members of outermost teams. See contention_group.hpp.
#include "sched/place/contention_group.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "sched/group/groups.hpp"
#include "sched/place/engine.hpp"
#include "sched/worker/kept_threads.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

namespace {

std::span<KeptMember> kept_of(const ContentionGroup& group) {
  return {group.kept, static_cast<size_t>(group.kept_count)};
}

void grow_kept(ContentionGroup& group, int n) {
  auto* larger = new KeptMember[static_cast<size_t>(n)]();
  std::ranges::copy(kept_of(group), larger);
  delete[] group.kept;
  group.kept = larger;
}

void end_kept(ContentionGroup& group, Pool& pool) {
  for (KeptMember& kept : kept_of(group))
    if (void* block = std::exchange(kept.block, nullptr)) pool.end_kept(block);
}

void forget_kept(ContentionGroup& group) {
  for (KeptMember& kept : kept_of(group)) kept.block = nullptr;
}

}  // namespace

void keep_members(Bubble& team, ContentionGroup& group, Pool& pool) {
  const int n = team.members;
  team.on_kept_threads = pool.a_thread_each();
  team.solo = team.on_kept_threads && !Engine::instance()->gangs().used();
  team.keeps_blocks = pool.own_blocks() || team.on_kept_threads;
  if (group.kept_pool != &pool) {
    if (group.kept_pool && group.kept_pool->retired()) end_kept(group, *group.kept_pool);
    // after fork() the threads that were kept are not here
    if (team.on_kept_threads) forget_kept(group);
    group.kept_pool = &pool;
  }
  if (group.kept_count < n) {
    grow_kept(group, n);
    if (team.on_kept_threads)
      make_kept_threads(pool, group.kept, std::max(group.kept_count, 1), n, team.solo);
    group.kept_count = n;
  }
  team.kept = group.kept;
}

void end_members_data(ContentionGroup& group) {
  Pool& pool = *group.external.worker.pool;
  const bool are_here = group.kept_pool == &pool || !pool.a_thread_each();  // not so after fork()
  if (are_here)
    end_kept(group, pool);
  else
    forget_kept(group);
}

void end_group(ContentionGroup& group) {
  Pool* pool = Pool::instance();
  if (pool && group.kept_pool && group.kept_pool->retired())
    end_kept(group, *group.kept_pool);
  else if (pool && group.kept_pool == pool)  // not so after fork(): see end_external()
    for (const KeptMember& kept : kept_of(group))
      if (kept.block) pool->retire_kept(kept.block);
  delete[] group.kept;
  if (group.shown) free_group(*group.shown);
  delete &group;
}

}  // namespace xylem::sched
