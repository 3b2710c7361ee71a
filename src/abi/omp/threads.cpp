// omp_* routines about the calling thread, its teams and levels.
#include "abi/omp/convert.hpp"
#include "base/export.hpp"
#include "omp/team/query.hpp"

using namespace xylem;
using abi::to_int;

extern "C" {

XYLEM_EXPORT int omp_get_thread_num() { return omp::thread_num(); }
XYLEM_EXPORT int omp_get_thread_num_() { return omp::thread_num(); }

XYLEM_EXPORT int omp_get_num_threads() { return omp::num_threads(); }
XYLEM_EXPORT int omp_get_num_threads_() { return omp::num_threads(); }

XYLEM_EXPORT int omp_in_parallel() { return omp::active_level() > 0; }
XYLEM_EXPORT int omp_in_parallel_() { return omp::active_level() > 0; }

XYLEM_EXPORT int omp_in_final() { return omp::in_final(); }
XYLEM_EXPORT int omp_in_final_() { return omp::in_final(); }

XYLEM_EXPORT int omp_in_explicit_task() { return omp::in_explicit_task(); }

XYLEM_EXPORT int omp_get_level() { return omp::level(); }
XYLEM_EXPORT int omp_get_level_() { return omp::level(); }

XYLEM_EXPORT int omp_get_active_level() { return omp::active_level(); }
XYLEM_EXPORT int omp_get_active_level_() { return omp::active_level(); }

XYLEM_EXPORT int omp_get_ancestor_thread_num(int level) { return omp::ancestor_thread_num(level); }
XYLEM_EXPORT int omp_get_ancestor_thread_num_(const std::int32_t* level) {
  return omp::ancestor_thread_num(*level);
}
XYLEM_EXPORT int omp_get_ancestor_thread_num_8_(const std::int64_t* level) {
  return omp::ancestor_thread_num(to_int(*level));
}

XYLEM_EXPORT int omp_get_team_size(int level) { return omp::team_size(level); }
XYLEM_EXPORT int omp_get_team_size_(const std::int32_t* level) { return omp::team_size(*level); }
XYLEM_EXPORT int omp_get_team_size_8_(const std::int64_t* level) {
  return omp::team_size(to_int(*level));
}

XYLEM_EXPORT int omp_get_team_num() { return omp::team_num(); }
XYLEM_EXPORT int omp_get_team_num_() { return omp::team_num(); }

XYLEM_EXPORT int omp_get_num_teams() { return omp::num_teams(); }
XYLEM_EXPORT int omp_get_num_teams_() { return omp::num_teams(); }

}  // extern "C"
