// Owns: known ranges, owners, moves and questions of include/xylem/memory.h. Blocks, next touch,
// costs and hints have files of their own.
#include "xylem/memory.h"

#include <cerrno>

#include "abi/xylem/placement.hpp"
#include "base/export.hpp"
#include "mem/heap/blocks.hpp"
#include "mem/map/memory.hpp"
#include "mem/map/ranges.hpp"
#include "mem/move/range_moves.hpp"
#include "mem/touch/next_touch.hpp"
#include "omp/team/memory_owners.hpp"
#include "omp/team/runtime.hpp"
#include "omp/team/team.hpp"
#include "omp/team/told_regions.hpp"
#include "sched/sched.hpp"

namespace {

using xylem::mem::Owner;
using xylem::omp::current_member;

bool is_range(const void* start, size_t size) {
  return start && reinterpret_cast<uintptr_t>(start) + size >= reinterpret_cast<uintptr_t>(start);
}

bool is_node(int node) {
  xylem::omp::start_runtime();
  return node >= 0 && node < xylem::mem::node_count();
}

int attach(void* start, const Owner& owner) { return -xylem::mem::set_owner(start, owner); }

// The member of that number, or the whole team, is drawn to the range in later runs of its region.
int attach(void* start, const Owner& owner, xylem::omp::Member& caller, int number) {
  const int error = attach(start, owner);
  if (!error) record_owned(caller, number, reinterpret_cast<uintptr_t>(start), owner);
  return error;
}

int processors_next_to(int node) {
  int count = 0;
  for (int pu = 0; pu < xylem::mem::machine().pu_count(); ++pu)
    count += xylem::mem::node_of_pu(pu) == node;
  return count;
}

}  // namespace

extern "C" {

XYLEM_EXPORT int xylem_memory_register(void* start, size_t size) {
  return -xylem::mem::register_range(start, size);
}

XYLEM_EXPORT int xylem_memory_unregister(void* start) { return -xylem::mem::forget_range(start); }

XYLEM_EXPORT int xylem_memory_split(void* start, int parts, void** starts) {
  return -xylem::mem::split_range(start, parts, starts);
}

XYLEM_EXPORT int xylem_memory_attach(void* start) {
  xylem::omp::Member& caller = current_member();
  return attach(start, owner_of_member(caller, caller.num), caller, caller.num);
}

XYLEM_EXPORT int xylem_memory_attach_to_member(void* start, int number) {
  xylem::omp::Member& caller = current_member();
  if (number < 0 || number >= caller.team->n) return EINVAL;
  return attach(start, owner_of_member(caller, number), caller, number);
}

XYLEM_EXPORT int xylem_memory_attach_to_team(void* start) {
  xylem::omp::Member& caller = current_member();
  return attach(start, owner_of_team(caller), caller, xylem::omp::whole_team);
}

XYLEM_EXPORT int xylem_memory_attach_to_bubble(void* start, xylem_bubble* bubble) {
  xylem::omp::Member& caller = current_member();
  if (!xylem::sched::is_program_bubble(bubble)) return EINVAL;
  return attach(start, owner_of_bubble(caller, *reinterpret_cast<xylem::sched::Group*>(bubble)));
}

XYLEM_EXPORT int xylem_memory_attach_to_node(void* start, int node) {
  if (!is_node(node)) return EINVAL;
  return attach(start, {xylem::mem::OwnerKind::node, node, 0});
}

XYLEM_EXPORT int xylem_memory_detach(void* start) { return attach(start, {}); }

XYLEM_EXPORT int xylem_memory_move(void* start, size_t size, int node, size_t* moved) {
  if (moved) *moved = 0;
  if (!is_range(start, size) || !is_node(node)) return EINVAL;
  return -xylem::mem::move_range(start, size, node, moved);
}

XYLEM_EXPORT int xylem_memory_move_to_owner(void* start, size_t* moved) {
  if (moved) *moved = 0;
  xylem::omp::Member& caller = current_member();
  xylem::mem::Region region;
  if (!xylem::mem::regions().find(reinterpret_cast<uintptr_t>(start), region)) return ENOENT;
  const int node = node_of_owner(caller, region.owner);
  return node < 0 ? -node : -xylem::mem::move_range(start, region.bytes, node, moved);
}

XYLEM_EXPORT int xylem_memory_bind(void* start, size_t size, const xylem_memory_how* how,
                                   int move) {
  xylem::abi::Placed placed;
  if (!is_range(start, size)) return EINVAL;
  if (const int error = xylem::abi::read_placement(how, placed)) return error;
  return -xylem::mem::place_range(start, size, placed.how, move != 0);
}

XYLEM_EXPORT int xylem_memory_set_default(const xylem_memory_how* how) {
  xylem::abi::Placed placed;
  if (how && how->placement == xylem_place_spread) return EINVAL;
  if (const int error = xylem::abi::read_placement(how, placed)) return error;
  if (!how) placed.how = {};
  xylem::mem::set_default_placement(placed.how.placement, placed.how.node);
  return 0;
}

XYLEM_EXPORT int xylem_node_count() {
  xylem::omp::start_runtime();
  return xylem::mem::node_count();
}

XYLEM_EXPORT int xylem_current_node() {
  current_member();
  return xylem::mem::current_node();
}

XYLEM_EXPORT int xylem_least_loaded_node() {
  xylem::omp::start_runtime();
  return xylem::mem::least_loaded_node();
}

XYLEM_EXPORT size_t xylem_huge_page_size() { return xylem::os::huge_page_size(); }

XYLEM_EXPORT size_t xylem_memory_pages(const void* start, size_t size) {
  return is_range(start, size) ? xylem::mem::pages_in(start, size) : 0;
}

XYLEM_EXPORT int xylem_memory_locate(const void* start, size_t size, int* nodes) {
  if (!is_range(start, size) || !nodes) return EINVAL;
  xylem::omp::start_runtime();
  return -xylem::mem::locate(start, size, {nodes, xylem::mem::pages_in(start, size)});
}

XYLEM_EXPORT int xylem_node_query(int node, xylem_node_info* info, unsigned long size) {
  if (!is_node(node) || size != sizeof *info) return EINVAL;
  info->total = xylem::mem::total_bytes(node);
  info->free = xylem::mem::free_bytes(node);
  info->allocated = xylem::mem::block_bytes(node);
  info->processors = processors_next_to(node);
  return 0;
}

XYLEM_EXPORT int xylem_memory_query(xylem_memory_statistics* statistics, unsigned long size) {
  if (size != sizeof *statistics) return EINVAL;
  xylem::omp::start_runtime();
  const xylem::mem::Statistics sums = xylem::mem::statistics();
  const xylem::mem::TouchStatistics touched = xylem::mem::touch_statistics();
  statistics->moved_pages = sums.moved_pages;
  statistics->moving_ns = sums.moving_ns + touched.moving_ns;
  statistics->refused = xylem::mem::refusals();
  statistics->known_ranges = xylem::mem::regions().count();
  statistics->allocated_bytes = xylem::mem::block_bytes();
  statistics->moved_on_touch = touched.moved;
  statistics->marked_pages = touched.marked;
  return 0;
}

}  // extern "C"
