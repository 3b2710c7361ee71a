// Owns: sorting members. See member_order.hpp.
#include "omp/sync/member_order.hpp"

#include <array>
#include <utility>

#include "omp/team/runtime.hpp"
#include "omp/team/team.hpp"

namespace xylem::omp {

namespace {

bool are_sorted(const sched::EntityList& members) {
  for (const sched::Entity* e = members.front(); e && e->next; e = e->next)
    if (number_of(*e) > number_of(*e->next)) return false;
  return true;
}

sched::Entity& take_first(sched::EntityList& list) {
  sched::Entity& first = *list.front();
  list.remove(first);
  return first;
}

sched::EntityList merged(sched::EntityList one, sched::EntityList other) {
  sched::EntityList all;
  while (!one.empty() || !other.empty()) {
    const bool from_one =
        other.empty() || (!one.empty() && number_of(*one.front()) <= number_of(*other.front()));
    all.push_back(take_first(from_one ? one : other));
  }
  return all;
}

}  // namespace

int number_of(const sched::Entity& member) {
  return static_cast<const Member*>(static_cast<const sched::Thread&>(member).user)->num;
}

// Most often they ran in order and came in order. Else by merging: sorted[i] has none or 2^i, the
// last one the rest.
void sort_by_number(sched::EntityList& members) {
  if (are_sorted(members)) return;
  std::array<sched::EntityList, 24> sorted;
  while (!members.empty()) {
    sched::EntityList run;
    run.push_back(take_first(members));
    size_t i = 0;
    for (; i + 1 < sorted.size() && !sorted[i].empty(); ++i)
      run = merged(std::exchange(sorted[i], {}), run);
    sorted[i] = merged(sorted[i], run);
  }
  for (const sched::EntityList& list : sorted) members = merged(members, list);
}

namespace {

// Where each PU has two members to keep them in order is a second switch a barrier, which saves
// nothing unless threads spin. So that is done in a region's first barriers, and then only once the
// monitor had to help.
constexpr uint32_t barriers_of_pairs_in_order = 64;

bool keeps_order(const Member& member) {
  const Team& team = *member.team;
  const int pus = machine().pu_count();
  // Where there is a processor for each, one that has none of its own at this moment is to get one,
  // by who looks for work there.
  if (team.n <= pus) return false;
  // relaxed: which barrier it is need not be exact
  return team.n > 2 * pus ||
         team.barrier.generation.load(std::memory_order_relaxed) <= barriers_of_pairs_in_order ||
         sched::threads_needed_relief(*member.thread);
}

}  // namespace

void let_lower_ones_run(Member& member, int first) {
  if (first < member.num && sched::others_wait(*member.thread) && keeps_order(member))
    sched::yield();
}

}  // namespace xylem::omp
