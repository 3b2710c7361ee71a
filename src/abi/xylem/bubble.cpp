// Owns: what programs tell and ask, include/xylem/bubble.h.
#include "xylem/bubble.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/export.hpp"
#include "omp/team/runtime.hpp"
#include "omp/team/team.hpp"
#include "sched/sched.hpp"
#include "topo/copy_threshold.hpp"

namespace {

using xylem::sched::Group;
using xylem::topo::LevelKind;

constexpr int most_waiting = 1 << 20;  // that are counted

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

static_assert(XYLEM_DETACHED == xylem::sched::detached);
static_assert(XYLEM_SUSPENDED == xylem::sched::suspended);

// A handle is the record's address.
xylem_bubble* handle_of(Group* group) { return reinterpret_cast<xylem_bubble*>(group); }

// Null if there is no such bubble.
Group* group_of(const xylem_bubble* bubble) {
  if (!xylem::sched::is_program_bubble(bubble)) return nullptr;
  return reinterpret_cast<Group*>(const_cast<xylem_bubble*>(bubble));
}

// `kind`: -1: none. 0 or EINVAL. relaxed: see Group
int set_kind(std::atomic<std::optional<LevelKind>>& at, int kind) {
  if (kind < -1 || kind > xylem_level_group) return EINVAL;
  std::optional<LevelKind> told;
  if (kind >= 0) told = static_cast<LevelKind>(kind);
  at.store(told, std::memory_order_relaxed);
  return 0;
}

}  // namespace

extern "C" {

XYLEM_EXPORT void xylem_set_load(long load) {
  xylem::omp::tell_load(xylem::omp::current_member(), load);
}

// What Fortran calls without a module, with an integer of 4 bytes.
XYLEM_EXPORT void xylem_set_load_(const int32_t* load) { xylem_set_load(*load); }

XYLEM_EXPORT xylem_bubble* xylem_bubble_create() {
  return handle_of(&xylem::sched::make_bubble(*xylem::omp::current_member().thread));
}

XYLEM_EXPORT int xylem_bubble_destroy(xylem_bubble* bubble) {
  Group* group = group_of(bubble);
  if (!group) return EINVAL;
  return xylem::sched::end_bubble(*group) ? 0 : EBUSY;
}

XYLEM_EXPORT int xylem_bubble_enter(xylem_bubble* bubble) {
  Group* group = group_of(bubble);
  if (!group) return EINVAL;
  xylem::omp::Member& member = xylem::omp::current_member();
  // relaxed: a number
  if (const int64_t load = group->load.load(std::memory_order_relaxed)) tell_load(member, load);
  xylem::sched::enter_bubble(*member.thread, member.entered, *group);
  return 0;
}

XYLEM_EXPORT int xylem_bubble_leave() {
  xylem::omp::Member& member = xylem::omp::current_member();
  return xylem::sched::leave_entered(*member.thread, member.entered) ? 0 : EPERM;
}

XYLEM_EXPORT xylem_bubble* xylem_bubble_current() {
  return handle_of(xylem::sched::bubble_of(*xylem::omp::current_member().thread));
}

// relaxed: see Group
XYLEM_EXPORT int xylem_bubble_set_load(xylem_bubble* bubble, long load) {
  Group* group = group_of(bubble);
  if (!group) return EINVAL;
  group->load.store(std::max(load, 0L), std::memory_order_relaxed);
  return 0;
}

XYLEM_EXPORT int xylem_bubble_set_burst_level(xylem_bubble* bubble, int kind) {
  Group* group = group_of(bubble);
  return group ? set_kind(group->burst_kind, kind) : EINVAL;
}

XYLEM_EXPORT int xylem_bubble_set_gang_level(xylem_bubble* bubble, int kind) {
  Group* group = group_of(bubble);
  return group ? set_kind(group->gang_kind, kind) : EINVAL;
}

XYLEM_EXPORT int xylem_bubble_set_priority(xylem_bubble* bubble, int priority) {
  Group* group = group_of(bubble);
  if (!group) return EINVAL;
  group->priority.store(priority, std::memory_order_relaxed);
  return 0;
}

XYLEM_EXPORT int xylem_bubble_set_slice(xylem_bubble* bubble, long microseconds) {
  constexpr long most = 1'000'000'000;  // a thousand seconds
  Group* group = group_of(bubble);
  if (!group || microseconds < 0 || microseconds > most) return EINVAL;
  group->slice_ns.store(int64_t{microseconds} * 1000, std::memory_order_relaxed);
  return 0;
}

XYLEM_EXPORT int xylem_bubble_query(const xylem_bubble* bubble, xylem_bubble_info* info,
                                    unsigned long size) {
  Group* group = group_of(bubble);
  constexpr size_t without_misses = offsetof(xylem_bubble_info, misses);  // the first version
  if (!group || (size != sizeof *info && size != without_misses)) return EINVAL;
  info->parent = handle_of(group->parent);
  info->load = group->load.load(std::memory_order_relaxed);
  const std::optional<LevelKind> kind = group->burst_kind.load(std::memory_order_relaxed);
  info->burst_level = kind ? static_cast<int>(*kind) : -1;
  info->priority = group->priority.load(std::memory_order_relaxed);
  info->threads = xylem::sched::threads_inside(*group);
  info->running = xylem::sched::running_inside(*group);
  info->level = group->unit() ? group->unit()->level.load() : XYLEM_DETACHED;
  info->waiting = group->queue.waiting(most_waiting);
  info->cpu_ns = xylem::sched::cpu_ns_inside(*group);
  if (size > without_misses) info->misses = xylem::sched::misses_inside(*group);
  return 0;
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
  level->waiting = xylem::sched::waiting_on(number, most_waiting);
  return 0;
}

XYLEM_EXPORT unsigned long xylem_copy_threshold(int pu_a, int pu_b, int processes) {
  const xylem::topo::Machine& machine = started_machine();
  const auto exists = [&](int pu) { return pu >= 0 && pu < machine.pu_count(); };
  if (!exists(pu_a) || !exists(pu_b)) return 0;
  return xylem::topo::copy_threshold(machine, pu_a, pu_b, processes).bytes;
}

XYLEM_EXPORT int xylem_current_pu() { return xylem::omp::current_member().thread->pu; }

}  // extern "C"
