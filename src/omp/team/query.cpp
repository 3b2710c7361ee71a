// Owns: answers to the omp_* routines about teams and tasks. See query.hpp.
#include "omp/team/query.hpp"

#include "omp/env/places.hpp"
#include "omp/team/binding.hpp"
#include "omp/team/runtime.hpp"
#include "omp/team/team.hpp"

namespace xylem::omp {

namespace {

// The member that the caller was at nesting level `at_level`; null if there is none.
const Member* ancestor(int at_level) {
  const Member* member = &current_member();
  if (at_level < 0 || at_level > member->team->level) return nullptr;
  while (member->team->level > at_level) member = member->team->maker;
  return member;
}

}  // namespace

void ensure_runtime() { start_runtime(); }

const Icvs& current_icvs() { return *current_task().icvs; }
Icvs& own_icvs() { return current_task().icvs.own(); }
const void* current_task_identity() { return &current_task(); }

int thread_num() { return current_member().num; }
int num_threads() { return current_member().team->n; }
int level() { return current_member().team->level; }
int active_level() { return current_member().team->active_level; }

int ancestor_thread_num(int at_level) {
  const Member* member = ancestor(at_level);
  return member ? member->num : -1;
}

int team_size(int at_level) {
  const Member* member = ancestor(at_level);
  return member ? member->team->n : -1;
}

int threads_around() {
  int threads = 1;
  for (const Member* member = &current_member(); member != nullptr; member = member->team->maker)
    threads += member->team->n - 1;
  return threads;
}

bool in_final() { return current_task().final; }
bool in_explicit_task() { return current_task().kind != TaskKind::implicit; }

int place_num() {
  Member& member = current_member();
  const bool is_late = member.place < 0 && !member.outer && process_door() == Door::llvm;
  if (is_late) bind_initial_thread(member);
  return member.place;
}

void os_indices_of_place(int place, std::vector<int>& os_indices) {
  os_indices_of(machine(), globals().places->place(place), os_indices);
}

void affinity_of_thread(std::vector<int>& os_indices) {
  const int place = place_num();
  if (place >= 0) {
    os_indices_of_place(place, os_indices);
    return;
  }
  os_indices_of_machine(os_indices);
}

void os_indices_of_machine(std::vector<int>& os_indices) {
  std::vector<int> all(static_cast<size_t>(machine().pu_count()));
  for (size_t pu = 0; pu < all.size(); ++pu) all[pu] = static_cast<int>(pu);
  os_indices_of(machine(), all, os_indices);
}

bool release_resources() {
  Member& member = current_member();
  if (member.team->level != 0) return false;
  sched::end_members_data(*member.thread);
  return true;
}

}  // namespace xylem::omp
