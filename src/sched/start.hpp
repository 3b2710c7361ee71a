// Owns: the start of the scheduler, once in a process, and what becomes of it around fork().
#pragma once

#include "plan/view.hpp"
#include "policy/policy.hpp"
#include "sched/place/engine.hpp"
#include "sched/worker/pool.hpp"
#include "sched/worker/tracing.hpp"

namespace xylem::sched {

struct Settings {
  PoolSettings pool;  // but for its hooks
  Times times;
  plan::Tuning tuning;
  const char* machine_text = "";  // XYLEM_MACHINE, for `xylem top`
  int64_t short_region_ns = 0;    // regions up to this may stay with their maker; 0: none does
  bool shares = false;  // divides the machine's processors with the user's other processes
  bool shares_with_strangers = false;  // and runs fewer workers beside those that do not divide
  const char* runtime_folder = "";     // $XDG_RUNTIME_DIR, where their table is; "": not given
  // What is counted of bubbles as their misses (worker/misses.hpp); none: nothing is. By start().
  std::optional<os::CountedEvent> misses;
  int watchdog_seconds = 0, dump_after_seconds = 0;  // Monitor::arm_watchdog()
};

// What the upper layer is asked.
struct Upper {
  // The kernel thread of a contention group ends, with ContentionGroup::user; in no region.
  void (*ended)(void* user) = nullptr;
  NameUser name = nullptr;
  // The settings of the pool, which is made at the first region, and again in a forked child.
  Settings (*settings)() = nullptr;
  // An outermost region has ended, and libraries came since the last call, or the answer was that
  // there may be more to tell; in no region.
  bool (*tell_of_users)() = nullptr;
};

// Search, gangs and placement by this policy on this machine. Both stay. Once.
void start(const topo::Machine& machine, const policy::Policy& policy, const Settings& settings,
           const Upper& upper);

// Asks Upper::tell_of_users, if that is due.
void tell_of_users(Pool& pool, uint64_t now);

// The process's pool, made if need be. After start().
Pool& the_pool();

// Whether the pool is made: its settings stay but for the time that idle workers look for work
// before they sleep.
bool pool_is_made();
// `crowded_ns`: where other processes use the same processors.
void set_spin_ns(int64_t ns, int64_t crowded_ns);

// Where each thread of the pool is a kernel thread: those end soon that members of the teams of the
// caller and of external threads that have ended ran on, each with the destructors of its
// thread-local data; regions from here on get others. Any thread may call this. False: nothing
// ends, as threads are no kernel threads, or a region is open.
bool end_kernel_threads();

// The lock under which the pool is made; for fork_lines.hpp.
inline constexpr base::LockRank pool_rank{11, "pool_lock"};
void lock_pool_making();
void unlock_pool_making(bool in_child);

}  // namespace xylem::sched
