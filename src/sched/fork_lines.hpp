// Owns: this layer's lines of the table of fork() (base/fork_table.hpp).
#pragma once

#include "base/fork_table.hpp"
#include "sched/group/gang_scheduler.hpp"
#include "sched/group/groups.hpp"
#include "sched/live/live.hpp"
#include "sched/place/engine.hpp"
#include "sched/place/known_regions.hpp"
#include "sched/share/sharing.hpp"
#include "sched/start.hpp"
#include "sched/worker/interposed.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

// Of the process's engine, if it is there. It is made under the lock of the runtime's start, whose
// rank is lower: it is there on both sides of fork(), or on neither.
void lock_gangs();
void unlock_gangs(bool in_child);
void lock_engine();
void unlock_engine(bool in_child);

// What the child's only thread forked under is its own block, and what it holds is recorded there.
void own_block_in_child();

// The child has none of the workers, and nobody who waits.
void forget_others_in_child();

inline constexpr base::ForkLine fork_lines[] = {
    {{2, "the offer to libxylem-wait.so"}, nullptr, base::only_in_child<offer_waits_in_child>},
    {{3, "workers and waits"}, nullptr, base::only_in_child<forget_others_in_child>},
    {pool_rank, lock_pool_making, unlock_pool_making},
    {gangs_rank, lock_gangs, unlock_gangs},
    {engine_rank, lock_engine, unlock_engine},
    {groups_rank, lock_groups, unlock_groups},
    {spare_rank, KnownRegions::before_fork, KnownRegions::after_fork},
    {modules_rank, Pool::before_fork, Pool::after_fork},
    {{97, "the row among processes"}, nullptr, base::only_in_child<forget_sharing_in_child>},
    {{98, "the live page"}, nullptr, base::only_in_child<forget_live_page_in_child>},
    {{100, "the thread block"}, nullptr, base::only_in_child<own_block_in_child>},
    {{101, "calls that block"}, begin_fork, end_fork},
};

}  // namespace xylem::sched
