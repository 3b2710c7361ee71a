// Owns: what is kept for members of outermost teams. See contention_group.hpp.
#include "sched/place/contention_group.hpp"

#include <algorithm>
#include <utility>

#include "sched/group/groups.hpp"
#include "sched/place/engine.hpp"
#include "sched/worker/kept_threads.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

namespace {

// With room for n values, the old ones and fresh ones.
template <typename Value>
void grow(Value*& values, int before, int n) {
  auto* larger = new Value[static_cast<size_t>(n)]();
  std::copy_n(values, before, larger);
  delete[] values;
  values = larger;
}

void end_kept(ContentionGroup& group, Pool& pool) {
  for (int i = 0; i < group.sticky_count; ++i)
    if (void* kept = std::exchange(group.sticky_blocks[i], nullptr)) pool.end_kept(kept);
}

}  // namespace

void keep_members(Bubble& team, ContentionGroup& group, Pool& pool) {
  const int n = team.members;
  team.on_kept_threads = pool.a_thread_each();
  team.solo = team.on_kept_threads && !Engine::instance()->gangs().used();
  if (group.sticky_pool != &pool) {
    if (group.sticky_pool && group.sticky_pool->retired()) end_kept(group, *group.sticky_pool);
    if (pool.a_thread_each())  // after fork() the threads that were kept are not here
      std::fill_n(group.sticky_blocks, group.sticky_count, nullptr);
    group.sticky_pool = &pool;
  }
  if (group.sticky_count < n) {
    grow(group.sticky_blocks, group.sticky_count, n);
    grow(group.kept_floats, group.sticky_count, n);
    if (pool.a_thread_each())
      make_kept_threads(pool, group.sticky_blocks, std::max(group.sticky_count, 1), n, team.solo);
    group.sticky_count = n;
  }
  team.kept_floats = group.kept_floats;
  if (pool.own_blocks() || pool.a_thread_each()) team.sticky_blocks = group.sticky_blocks;
}

void end_members_data(ContentionGroup& group) {
  Pool& pool = *group.external.worker.pool;
  const bool are_here = group.sticky_pool == &pool || !pool.a_thread_each();  // not so after fork()
  if (are_here)
    end_kept(group, pool);
  else
    std::fill_n(group.sticky_blocks, group.sticky_count, nullptr);
}

void end_group(ContentionGroup& group) {
  Pool* pool = Pool::instance();
  if (pool && group.sticky_pool && group.sticky_pool->retired())
    end_kept(group, *group.sticky_pool);
  else if (pool && group.sticky_pool == pool)  // not so after fork(): see end_external()
    for (int i = 0; i < group.sticky_count; ++i)
      if (group.sticky_blocks[i]) pool->retire_kept(group.sticky_blocks[i]);
  delete[] group.sticky_blocks;
  delete[] group.kept_floats;
  if (group.shown) free_group(*group.shown);
  delete &group;
}

}  // namespace xylem::sched
