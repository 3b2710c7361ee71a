// Owns: what programs tell and ask, include/xylem/bubble.h.
#include "xylem/bubble.h"

#include <cerrno>
#include <cstring>

#include "base/export.hpp"
#include "omp/runtime.hpp"
#include "omp/team.hpp"

namespace {

using xylem::topo::LevelKind;

static_assert(static_cast<int>(LevelKind::machine) == xylem_level_machine);
static_assert(static_cast<int>(LevelKind::package) == xylem_level_package);
static_assert(static_cast<int>(LevelKind::node) == xylem_level_node);
static_assert(static_cast<int>(LevelKind::cache) == xylem_level_cache);
static_assert(static_cast<int>(LevelKind::core) == xylem_level_core);
static_assert(static_cast<int>(LevelKind::pu) == xylem_level_pu);
static_assert(static_cast<int>(LevelKind::group) == xylem_level_group);

const xylem::topo::Machine& started_machine() {
  xylem::omp::start_runtime();
  return xylem::omp::machine();
}

long waiting_on(int level) {
  constexpr int most = 1 << 20;
  xylem::fiber::Pool* pool = xylem::fiber::Pool::instance();
  return pool ? pool->level_queue(level).waiting(most) : 0;
}

}  // namespace

extern "C" {

XYLEM_EXPORT void xylem_set_load(long load) {
  xylem::omp::tell_load(xylem::omp::current_member(), load);
}

XYLEM_EXPORT int xylem_level_count() { return static_cast<int>(started_machine().levels().size()); }

XYLEM_EXPORT int xylem_level_query(int number, xylem_level* level, unsigned long size) {
  const auto levels = started_machine().levels();
  if (number < 0 || number >= static_cast<int>(levels.size()) || size != sizeof *level)
    return EINVAL;
  const xylem::topo::Level& found = levels[static_cast<size_t>(number)];
  level->kind = static_cast<xylem_level_kind>(found.kind);
  level->parent = found.parent;
  level->first_pu = found.first_pu;
  level->pu_count = found.pu_count;
  level->waiting = waiting_on(number);
  return 0;
}

XYLEM_EXPORT int xylem_current_pu() { return xylem::omp::current_member().fiber->worker->pu; }

}  // extern "C"
