// Owns: the life of holders' records, what is summed over them, and laying keepers on levels.
#pragma once

#include "sched/queue/holder.hpp"

namespace xylem::sched {

class Pool;

inline constexpr base::LockRank holders_rank{62, "holders_lock"};

// A record that nobody uses, with a number of its own. `keeper` null: none.
Holder& make_holder(HolderKind kind, Holder* parent, Holder* keeper);
// One that is its own keeper.
Holder& make_keeper(HolderKind kind, Holder* parent);
// It has no threads, lies nowhere, and is no parent.
void free_holder(Holder& holder);

// Calls visit(holder, context) for each that is not free, in the order in which they were made.
void each_holder(void (*visit)(Holder&, void*), void* context);

// Of the bubble and all inside it.
int threads_inside(const Holder& holder);
int running_inside(const Holder& holder);
int64_t cpu_ns_inside(const Holder& holder);
bool has_bubbles_inside(const Holder& holder);

// True if something waits in the queue of a keeper that lies aside. A hint.
bool something_waits_aside();

// True if the address is that of a bubble that the program made and did not destroy.
bool is_program_bubble(const void* address);

// Around fork(): the child must not inherit the lock from a thread that it does not have. It has
// the program's bubbles, empty.
void lock_holders();
void unlock_holders(bool in_child);

// Counts `count` threads, or takes them away if it is negative, of `holder`, which may be null.
void count_threads(Holder* holder, int count);

// Lays the keeper on a level, aside, or nowhere. One thread at a time.
void lay(Pool& pool, Holder& keeper, int level);

}  // namespace xylem::sched
