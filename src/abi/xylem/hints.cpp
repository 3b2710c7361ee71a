// Owns: hints on memory, the last part of include/xylem/memory.h.
#include "omp/team/hints.hpp"

#include <cerrno>

#include "base/export.hpp"
#include "xylem/memory.h"

namespace {

int hint_of(int number, const void* start, size_t size, int use, int passes,
            xylem::omp::Hint& hint) {
  const bool known_use = use >= xylem_use_read && use <= xylem_use_both;
  if (number < 0 || !start || !known_use || passes < 0) return EINVAL;
  hint = {.number = number,
          .start = start,
          .bytes = size,
          .reads = (use & xylem_use_read) != 0,
          .writes = (use & xylem_use_write) != 0,
          .passes = passes};
  return 0;
}

}  // namespace

extern "C" {

XYLEM_EXPORT int xylem_hint_next(int number, const void* start, size_t size, int use, int passes) {
  xylem::omp::Hint hint;
  if (const int error = hint_of(number, start, size, use, passes, hint)) return error;
  tell_next(xylem::omp::current_member(), hint);
  return 0;
}

XYLEM_EXPORT int xylem_hint(const void* start, size_t size, int use, int passes) {
  xylem::omp::Hint hint;
  if (const int error = hint_of(0, start, size, use, passes, hint)) return error;
  tell_own(xylem::omp::current_member(), hint);
  return 0;
}

XYLEM_EXPORT int xylem_hint_apply(int when) {
  if (when != xylem_apply_now && when != xylem_apply_team) return EINVAL;
  xylem::omp::Member& member = xylem::omp::current_member();
  if (when == xylem_apply_team)
    apply_of_team(member);
  else
    apply_own(member);
  return 0;
}

}  // extern "C"
