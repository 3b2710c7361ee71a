// Owns: this layer's lines of the table of fork() (base/fork_table.hpp).
#pragma once

#include "base/fork_table.hpp"
#include "sched/group/holders.hpp"
#include "sched/group/turns.hpp"
#include "sched/live/live.hpp"
#include "sched/place/engine.hpp"
#include "sched/place/measured_loads.hpp"
#include "sched/start.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

// Of the process's engine, if it is there. It is made under the lock of the runtime's start, whose
// rank is lower: it is there on both sides of fork(), or on neither.
void lock_turns();
void unlock_turns(bool in_child);
void lock_engine();
void unlock_engine(bool in_child);

// The child has none of the workers, and nobody who waits.
void forget_others_in_child();

inline constexpr base::ForkLine fork_lines[] = {
    {{3, "workers and waits"}, nullptr, base::only_in_child<forget_others_in_child>},
    {pool_rank, lock_pool_making, unlock_pool_making},
    {turns_rank, lock_turns, unlock_turns},
    {engine_rank, lock_engine, unlock_engine},
    {holders_rank, lock_holders, unlock_holders},
    {spare_rank, MeasuredLoads::before_fork, MeasuredLoads::after_fork},
    {modules_rank, Pool::before_fork, Pool::after_fork},
    {{98, "the live page"}, nullptr, base::only_in_child<forget_live_page_in_child>},
};

}  // namespace xylem::sched
