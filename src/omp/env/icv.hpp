// The internal control variables (ICVs) of OpenMP 5.1: those that every task carries (Icvs) and
// those that the process has once (GlobalIcvs).
//
// Invariant: Icvs is plain data without pointers into a team; copying it is how a task inherits.
// GlobalIcvs is written once by initialize_settings() and never changes afterwards; what the
// program may change later (number of teams, affinity format) lives behind functions with their own
// atomics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "omp/env/door.hpp"

namespace xylem::omp {

class PlaceList;

// Values equal those of omp_sched_t, and of libomp's own beyond it.
enum class ScheduleKind : std::uint8_t {
  static_schedule = 1,
  dynamic_schedule = 2,
  guided_schedule = 3,
  auto_schedule = 4,
  trapezoidal_schedule = 101,  // guided here; OMP_SCHEDULE alone names it
};

// Values equal those of omp_proc_bind_t.
enum class ProcBind : std::uint8_t { none = 0, any = 1, primary = 2, close = 3, spread = 4 };

enum class WaitPolicy : std::uint8_t { unset, active, passive };
// How members combine what they have of a reduction, where the compiled code leaves the choice.
enum class ReductionWay : std::uint8_t { any, one_by_one, by_atomics, by_tree };
enum class TargetOffload : std::uint8_t { default_offload, mandatory, disabled };

// omp_allocator_handle_t as an integer: 1 to 8 are the predefined ones, larger ones are addresses.
using AllocatorHandle = std::uintptr_t;

inline constexpr int endless_block_time = 0x7fffffff;
inline constexpr int unlimited_threads = 0x7fffffff;  // thread_limit_var when no limit was given
// Stacks smaller than these no thread can be made with; libgomp warns of them, too. Larger ones
// leave the address space no room for even a few threads.
inline constexpr std::size_t least_stack_size = std::size_t{16} << 10;
inline constexpr std::size_t largest_stack_size = std::size_t{1} << 40;
inline constexpr int supported_active_levels = 255;  // largest value max_active_levels_var takes

// The data-environment ICVs. Each implicit task starts with a copy of its parent's (see
// child_icvs).
struct Icvs {
  std::int32_t nthreads_var = 1;
  std::int32_t thread_limit_var = unlimited_threads;
  std::int32_t run_sched_chunk = 1;  // 0: no chunk was given (static divides evenly)
  std::int32_t default_device_var = 0;
  AllocatorHandle default_allocator = 1;
  std::int32_t place_first = 0;  // place-partition-var: a range of GlobalIcvs::places
  std::int32_t place_count = 0;  // 0 when there are no places
  std::int32_t max_active_levels_var = 1;
  ScheduleKind run_sched_kind = ScheduleKind::dynamic_schedule;
  bool run_sched_given : 1 = false;      // by OMP_SCHEDULE or the program; see run_schedule()
  bool run_sched_monotonic : 1 = false;  // the monotonic modifier was given, or static implies it
  bool run_sched_says_monotonic : 1 = false;  // it was given in so many words
  bool run_sched_nonmonotonic : 1 = false;  // the nonmonotonic modifier was given, in OMP_SCHEDULE
  bool in_threads_list : 1 = false;  // nthreads_var is of a clause's list (threads_clause.hpp)
  ProcBind bind_var = ProcBind::none;
  bool dyn_var = false;
};
// Each region copies them. There is no padding at the end: compilers leave that out, and then copy
// the last two words by accesses that overlap, of which the second waits for the first.
static_assert(std::is_trivially_copyable_v<Icvs> && sizeof(Icvs) == 40 &&
              offsetof(Icvs, dyn_var) == sizeof(Icvs) - 1);

// The family that the process's programs and libraries were linked with when the runtime started;
// GCC's if there are both.
Door process_door();
void set_process_door(Door door);

// ICVs and libgomp settings of the process. Spans and strings live as long as the process.
struct GlobalIcvs {
  std::span<const int> nthreads_list;   // OMP_NUM_THREADS by nesting level; empty: one value
  std::span<const ProcBind> bind_list;  // OMP_PROC_BIND by nesting level; empty: one value
  const PlaceList* places = nullptr;    // null: no places, threads are not bound
  std::size_t stack_size = 0;           // bytes; 0: not given
  WaitPolicy wait_policy = WaitPolicy::unset;
  std::uint64_t spin_count = 0;            // turns a waiting thread spins; UINT64_MAX: for ever
  bool spin_count_given = false;           // GOMP_SPINCOUNT; else as libgomp shows it
  std::uint64_t throttled_spin_count = 0;  // the same with more threads than processors
  int block_time_ms = -1;                  // KMP_BLOCKTIME; -1: not given, or endless_block_time
  bool serial = false;                     // KMP_LIBRARY=serial: regions have one thread
  bool cancellation = false;
  // KMP_FORCE_REDUCTION, KMP_DETERMINISTIC_REDUCTION
  ReductionWay reduction_way = ReductionWay::any;
  int max_task_priority = 0;
  bool display_affinity = false;
  bool affinity_reset = false;             // KMP_AFFINITY=reset
  ProcBind teams_bind = ProcBind::spread;  // KMP_TEAMS_PROC_BIND
  const char* affinity_format = nullptr;   // as at start; never null once initialised
  bool affinity_format_given = false;      // OMP_AFFINITY_FORMAT
  TargetOffload target_offload = TargetOffload::default_offload;  // as at start
  int num_teams = 0;                                              // as at start; 0: not given
  // KMP_TEAMS_THREAD_LIMIT: threads of all teams of a league together; 0: no limit.
  int league_threads = 0;
  // `places` are KMP_AFFINITY's: of more threads than places thread i goes to place i modulo their
  // number, where OpenMP puts neighbours together.
  bool places_go_round = false;
  int teams_thread_limit = 0;                  // as at start; 0: not given
  bool tool = true;                            // OMP_TOOL=enabled: look for an OMPT tool
  const char* tool_libraries = "";             // OMP_TOOL_LIBRARIES: paths, colons between
  const char* tool_verbose_init = "disabled";  // OMP_TOOL_VERBOSE_INIT: or stdout, stderr, a file
  int usable_threads = 1;                      // what initialize_settings was given
};

// run-sched-var's kind and chunk. Until the program or OMP_SCHEDULE gives it: dynamic,1 for GCC's
// programs, static for LLVM's, as each finds on its own runtime.
struct RunSchedule {
  ScheduleKind kind;
  std::int32_t chunk;  // 0: none
};
inline RunSchedule run_schedule(const Icvs& icvs, Door door) {
  if (!icvs.run_sched_given && door == Door::llvm) return {ScheduleKind::static_schedule, 0};
  return {icvs.run_sched_kind, icvs.run_sched_chunk};
}

// Valid, and never changed again, once initialize_settings() (settings.hpp) has run.
extern GlobalIcvs settled_globals;
inline const GlobalIcvs& globals() { return settled_globals; }

// The ICVs of an initial task, from the environment. A new root thread starts with a copy.
Icvs initial_icvs();

// The ICVs of the implicit tasks of a team at nesting level `level` (1 for an outermost region),
// made by a task with `parent`, with the region's proc_bind clause (none: it has none), which binds
// only where binding is on. Sets nthreads_var and bind_var from the lists, else bind_var from the
// clause; the place partition is left as the parent's, for the caller's binding policy to narrow.
Icvs child_icvs(const Icvs& parent, int level, ProcBind clause = ProcBind::none);

// nteams-var and teams-thread-limit-var, which omp_set_num_teams and omp_set_teams_thread_limit
// change for the whole process. 0: not given.
int num_teams_var();
void set_num_teams_var(int value);
int teams_thread_limit_var();
void set_teams_thread_limit_var(int value);

// Likewise, what OMP_TARGET_OFFLOAD says, which kmp_set_defaults changes.
TargetOffload target_offload_var();
void set_target_offload_var(TargetOffload value);

}  // namespace xylem::omp
