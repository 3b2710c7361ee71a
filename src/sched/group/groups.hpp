// Owns: the life of groups' records, what is summed over them, and attaching units to levels.
#pragma once

#include "sched/queue/group.hpp"

namespace xylem::sched {

class Pool;

inline constexpr base::LockRank groups_rank{62, "groups_lock"};

// A record that nobody uses, with a number of its own. `unit` null: none.
Group& make_group(GroupKind kind, Group* parent, Group* unit);
// One that is its own unit.
Group& make_scheduled_group(GroupKind kind, Group* parent);
// Precondition: the group has no threads, is detached, and is no parent.
void free_group(Group& group);

// Calls visit(group, context) for each that is not free, in the order in which they were made.
void each_group(void (*visit)(Group&, void*), void* context);

// Of the bubble and all inside it.
int threads_inside(const Group& group);
int running_inside(const Group& group);
int64_t cpu_ns_inside(const Group& group);
int64_t misses_inside(const Group& group);  // -1: they are not counted
bool has_bubbles_inside(const Group& group);

// True if something waits in the queue of a unit that is suspended. A hint.
bool something_suspended_waits();

// True if the address is that of a bubble that the program made and did not destroy.
bool is_program_bubble(const void* address);

// Around fork(): the child must not inherit the lock from a thread that it does not have. It has
// the program's bubbles, empty.
void lock_groups();
void unlock_groups(bool in_child);

// Counts `count` threads, or takes them away if it is negative, of `group`, which may be null.
void count_threads(Group* group, int count);

// Attaches the unit to a level, suspends it, or detaches it. One thread at a time.
void attach(Pool& pool, Group& unit, int level);

}  // namespace xylem::sched
