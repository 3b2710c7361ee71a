// omp_* routines that read and write internal control variables.
#include <algorithm>
#include <cstdio>

#include "abi/omp/convert.hpp"
#include "base/export.hpp"
#include "omp/env/settings.hpp"
#include "omp/team/query.hpp"

using namespace xylem;
using abi::to_int;
using omp::current_icvs;
using omp::own_icvs;

namespace {

constexpr std::uint32_t monotonic_flag = 0x80000000u;  // omp_sched_monotonic

const omp::GlobalIcvs& settled_globals() {
  omp::ensure_runtime();
  return omp::globals();
}

// A kind that is not OpenMP's is ignored, as is the chunk of auto.
void set_schedule(std::uint32_t kind, int chunk) {
  std::uint32_t plain = kind & ~monotonic_flag;
  if (plain < 1 || plain > 4) return;
  omp::Icvs& icvs = own_icvs();
  icvs.run_sched_kind = static_cast<omp::ScheduleKind>(plain);
  icvs.run_sched_given = true;
  icvs.run_sched_monotonic = icvs.run_sched_says_monotonic = (kind & monotonic_flag) != 0;
  icvs.run_sched_nonmonotonic = false;  // omp_set_schedule has no way to say so
  if (icvs.run_sched_kind == omp::ScheduleKind::auto_schedule) return;
  int least = icvs.run_sched_kind == omp::ScheduleKind::static_schedule ? 0 : 1;
  icvs.run_sched_chunk = std::max(chunk, least);
}

// A program built by GCC knows no trapezoidal schedule.
std::uint32_t schedule_kind(const omp::Icvs& icvs) {
  const bool is_known = icvs.run_sched_kind <= omp::ScheduleKind::auto_schedule;
  return static_cast<std::uint32_t>(is_known ? icvs.run_sched_kind
                                             : omp::ScheduleKind::guided_schedule) |
         (icvs.run_sched_monotonic ? monotonic_flag : 0);
}

}  // namespace

extern "C" {

XYLEM_EXPORT void omp_set_num_threads(int count) { own_icvs().nthreads_var = std::max(count, 1); }
XYLEM_EXPORT void omp_set_num_threads_(const std::int32_t* count) { omp_set_num_threads(*count); }
XYLEM_EXPORT void omp_set_num_threads_8_(const std::int64_t* count) {
  omp_set_num_threads(to_int(*count));
}

XYLEM_EXPORT int omp_get_max_threads() { return current_icvs().nthreads_var; }
XYLEM_EXPORT int omp_get_max_threads_() { return omp_get_max_threads(); }

// Processors the process may really use: a CPU quota counts, so that a program that asks for one
// thread a processor gets what it can run.
XYLEM_EXPORT int omp_get_num_procs() { return settled_globals().usable_threads; }
XYLEM_EXPORT int omp_get_num_procs_() { return omp_get_num_procs(); }

XYLEM_EXPORT void omp_set_dynamic(int value) { own_icvs().dyn_var = value != 0; }
XYLEM_EXPORT void omp_set_dynamic_(const std::int32_t* value) { omp_set_dynamic(*value); }
XYLEM_EXPORT void omp_set_dynamic_8_(const std::int64_t* value) { omp_set_dynamic(*value != 0); }

XYLEM_EXPORT int omp_get_dynamic() { return current_icvs().dyn_var; }
XYLEM_EXPORT int omp_get_dynamic_() { return omp_get_dynamic(); }

XYLEM_EXPORT void omp_set_nested(int value) {
  omp::Icvs& icvs = own_icvs();
  if (value != 0)
    icvs.max_active_levels_var = omp::supported_active_levels;
  else if (icvs.max_active_levels_var > 1)
    icvs.max_active_levels_var = 1;
}
XYLEM_EXPORT void omp_set_nested_(const std::int32_t* value) { omp_set_nested(*value); }
XYLEM_EXPORT void omp_set_nested_8_(const std::int64_t* value) { omp_set_nested(*value != 0); }

XYLEM_EXPORT int omp_get_nested() {
  int levels = current_icvs().max_active_levels_var;
  return levels > 1 && levels > omp::active_level();
}
XYLEM_EXPORT int omp_get_nested_() { return omp_get_nested(); }

XYLEM_EXPORT void omp_set_max_active_levels(int levels) {
  if (levels < 0) return;
  own_icvs().max_active_levels_var = std::min(levels, omp::supported_active_levels);
}
XYLEM_EXPORT void omp_set_max_active_levels_(const std::int32_t* levels) {
  omp_set_max_active_levels(*levels);
}
XYLEM_EXPORT void omp_set_max_active_levels_8_(const std::int64_t* levels) {
  omp_set_max_active_levels(to_int(*levels));
}

XYLEM_EXPORT int omp_get_max_active_levels() { return current_icvs().max_active_levels_var; }
XYLEM_EXPORT int omp_get_max_active_levels_() { return omp_get_max_active_levels(); }

XYLEM_EXPORT int omp_get_supported_active_levels() { return omp::supported_active_levels; }
XYLEM_EXPORT int omp_get_supported_active_levels_() { return omp::supported_active_levels; }

XYLEM_EXPORT int omp_get_thread_limit() { return current_icvs().thread_limit_var; }
XYLEM_EXPORT int omp_get_thread_limit_() { return omp_get_thread_limit(); }

XYLEM_EXPORT void omp_set_schedule(std::uint32_t kind, int chunk) { set_schedule(kind, chunk); }
XYLEM_EXPORT void omp_set_schedule_(const std::int32_t* kind, const std::int32_t* chunk) {
  set_schedule(static_cast<std::uint32_t>(*kind), *chunk);
}
XYLEM_EXPORT void omp_set_schedule_8_(const std::int32_t* kind, const std::int64_t* chunk) {
  set_schedule(static_cast<std::uint32_t>(*kind), to_int(*chunk));
}

XYLEM_EXPORT void omp_get_schedule(std::uint32_t* kind, int* chunk) {
  const omp::Icvs& icvs = current_icvs();
  *kind = schedule_kind(icvs);
  *chunk = icvs.run_sched_chunk;
}
// Fortran programs are not shown the monotonic modifier: older ones compare with the plain kinds.
XYLEM_EXPORT void omp_get_schedule_(std::uint32_t* kind, std::int32_t* chunk) {
  omp_get_schedule(kind, chunk);
  *kind &= ~monotonic_flag;
}
XYLEM_EXPORT void omp_get_schedule_8_(std::uint32_t* kind, std::int64_t* chunk) {
  int narrow = 0;
  omp_get_schedule_(kind, &narrow);
  *chunk = narrow;
}

XYLEM_EXPORT int omp_get_cancellation() { return settled_globals().cancellation; }
XYLEM_EXPORT int omp_get_cancellation_() { return omp_get_cancellation(); }

XYLEM_EXPORT int omp_get_max_task_priority() { return settled_globals().max_task_priority; }
XYLEM_EXPORT int omp_get_max_task_priority_() { return omp_get_max_task_priority(); }

XYLEM_EXPORT int omp_get_proc_bind() { return static_cast<int>(current_icvs().bind_var); }
XYLEM_EXPORT int omp_get_proc_bind_() { return omp_get_proc_bind(); }

XYLEM_EXPORT void omp_set_num_teams(int count) {
  omp::ensure_runtime();
  if (count >= 0) omp::set_num_teams_var(count);
}
XYLEM_EXPORT void omp_set_num_teams_(const std::int32_t* count) { omp_set_num_teams(*count); }
XYLEM_EXPORT void omp_set_num_teams_8_(const std::int64_t* count) {
  omp_set_num_teams(to_int(*count));
}

XYLEM_EXPORT int omp_get_max_teams() {
  omp::ensure_runtime();
  return omp::num_teams_var();
}
XYLEM_EXPORT int omp_get_max_teams_() { return omp_get_max_teams(); }

XYLEM_EXPORT void omp_set_teams_thread_limit(int limit) {
  omp::ensure_runtime();
  if (limit >= 0) omp::set_teams_thread_limit_var(limit);
}
XYLEM_EXPORT void omp_set_teams_thread_limit_(const std::int32_t* limit) {
  omp_set_teams_thread_limit(*limit);
}
XYLEM_EXPORT void omp_set_teams_thread_limit_8_(const std::int64_t* limit) {
  omp_set_teams_thread_limit(to_int(*limit));
}

XYLEM_EXPORT int omp_get_teams_thread_limit() {
  omp::ensure_runtime();
  return omp::teams_thread_limit_var();
}
XYLEM_EXPORT int omp_get_teams_thread_limit_() { return omp_get_teams_thread_limit(); }

XYLEM_EXPORT void omp_display_env(int verbose) {
  omp::ensure_runtime();
  omp::display_environment(stderr, verbose != 0);
}
XYLEM_EXPORT void omp_display_env_(const std::int32_t* verbose) { omp_display_env(*verbose); }
XYLEM_EXPORT void omp_display_env_8_(const std::int64_t* verbose) {
  omp_display_env(*verbose != 0);
}

}  // extern "C"
