// Owns: what concerns all known ranges at once: of one owner, or to be shown.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <vector>

#include "base/export.hpp"
#include "mem/map/memory.hpp"
#include "mem/map/ranges.hpp"
#include "mem/move/range_moves.hpp"
#include "omp/team/memory_owners.hpp"
#include "omp/team/team.hpp"
#include "sched/sched.hpp"
#include "xylem/memory.h"

namespace {

using xylem::mem::Owner;
using xylem::mem::OwnerKind;
using xylem::mem::Region;
using xylem::omp::current_member;

// The bubble as an owner, or, null, the calling thread. False if there is no such bubble.
bool read_owner(xylem_bubble* bubble, Owner& owner) {
  xylem::omp::Member& caller = current_member();
  if (!bubble) {
    owner = owner_of_member(caller, caller.num);
    return true;
  }
  if (!xylem::sched::is_program_bubble(bubble)) return false;
  owner = owner_of_bubble(caller, *reinterpret_cast<xylem::sched::Group*>(bubble));
  return true;
}

// A bubble's `number` is only where it was.
bool is_same(const Owner& a, const Owner& b) {
  return a.kind == b.kind && a.identity == b.identity &&
         (a.kind == OwnerKind::bubble || a.number == b.number);
}

const char* kind_name(OwnerKind kind) {
  static constexpr const char* names[] = {"nobody", "a node", "a thread", "a team", "a bubble"};
  return names[static_cast<int>(kind)];
}

void print(const Region& region, xylem::omp::Member& caller) {
  std::fprintf(stderr, "xylem: %#lx %zu bytes, %s, of %s", static_cast<unsigned long>(region.start),
               region.bytes,
               region.origin == xylem::mem::Origin::mapped ? "allocated" : "registered",
               kind_name(region.owner.kind));
  const int home = node_of_owner(caller, region.owner);
  if (home >= 0) std::fprintf(stderr, " on node %d", home);
  std::vector<int64_t> bytes(static_cast<size_t>(xylem::mem::node_count()));
  const size_t nowhere = xylem::mem::add_bytes_by_node(reinterpret_cast<const void*>(region.start),
                                                       region.bytes, bytes);
  for (size_t node = 0; node < bytes.size(); ++node)
    if (bytes[node] > 0)
      std::fprintf(stderr, "; node %zu: %lld", node, static_cast<long long>(bytes[node]));
  std::fprintf(stderr, "; nowhere yet: %zu\n", nowhere);
}

}  // namespace

extern "C" {

XYLEM_EXPORT int xylem_memory_detach_all(xylem_bubble* bubble) {
  Owner owner;
  if (!read_owner(bubble, owner)) return EINVAL;
  for (const Region& region : xylem::mem::regions().all())
    if (is_same(region.owner, owner))
      xylem::mem::set_owner(reinterpret_cast<void*>(region.start), {});
  return 0;
}

XYLEM_EXPORT int xylem_memory_move_all(xylem_bubble* bubble, int node, size_t* moved) {
  if (moved) *moved = 0;
  Owner owner;
  if (!read_owner(bubble, owner)) return EINVAL;
  if (node < 0 || node >= xylem::mem::node_count()) return EINVAL;
  int first_error = 0;
  for (const Region& region : xylem::mem::regions().all()) {
    if (!is_same(region.owner, owner)) continue;
    size_t some = 0;
    const int error =
        xylem::mem::move_range(reinterpret_cast<void*>(region.start), region.bytes, node, &some);
    if (moved) *moved += some;
    if (!first_error) first_error = -error;
  }
  return first_error;
}

XYLEM_EXPORT int xylem_bubble_memory(xylem_bubble* bubble, long long* bytes, int nodes) {
  if (!xylem::sched::is_program_bubble(bubble) || nodes < 0 || (nodes > 0 && !bytes)) return EINVAL;
  const auto& group = *reinterpret_cast<const xylem::sched::Group*>(bubble);
  std::vector<int64_t> sums(static_cast<size_t>(std::max(nodes, xylem::mem::node_count())));
  for (const Region& region : xylem::mem::regions().all())
    if (xylem::omp::is_owner_inside(region.owner, group))
      xylem::mem::add_bytes_by_node(reinterpret_cast<const void*>(region.start), region.bytes,
                                    sums);
  std::copy_n(sums.begin(), nodes, bytes);
  return 0;
}

XYLEM_EXPORT void xylem_memory_print() {
  xylem::omp::Member& caller = current_member();
  for (const Region& region : xylem::mem::regions().all()) print(region, caller);
}

}  // extern "C"
