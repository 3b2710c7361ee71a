// How ICVs are inherited, and the two that the program changes for the whole process.
#include "omp/env/icv.hpp"

#include <atomic>

namespace xylem::omp {
namespace {

// Written by omp_set_num_teams and omp_set_teams_thread_limit, read by teams constructs and the
// matching omp_get routines. Relaxed: each is a number on its own and publishes nothing.
constinit std::atomic<int> num_teams_value{0};
constinit std::atomic<int> teams_thread_limit_value{0};
// Written by kmp_set_defaults. Relaxed likewise.
constinit std::atomic<TargetOffload> target_offload_value{TargetOffload::default_offload};

// Written by the runtime's start, under its lock, and read after it.
constinit Door door_of_process = Door::gnu;

}  // namespace

Door process_door() { return door_of_process; }
void set_process_door(Door door) { door_of_process = door; }

Icvs child_icvs(const Icvs& parent, int level, ProcBind clause) {
  const GlobalIcvs& global = globals();
  Icvs child = parent;
  if (clause != ProcBind::none && parent.bind_var != ProcBind::none) child.bind_var = clause;
  std::size_t at = static_cast<std::size_t>(level);
  if (at < global.nthreads_list.size()) child.nthreads_var = global.nthreads_list[at];
  if (at < global.bind_list.size()) child.bind_var = global.bind_list[at];
  return child;
}

int num_teams_var() { return num_teams_value.load(std::memory_order_relaxed); }
void set_num_teams_var(int value) { num_teams_value.store(value, std::memory_order_relaxed); }

int teams_thread_limit_var() { return teams_thread_limit_value.load(std::memory_order_relaxed); }
void set_teams_thread_limit_var(int value) {
  teams_thread_limit_value.store(value, std::memory_order_relaxed);
}

TargetOffload target_offload_var() { return target_offload_value.load(std::memory_order_relaxed); }
void set_target_offload_var(TargetOffload value) {
  target_offload_value.store(value, std::memory_order_relaxed);
}

}  // namespace xylem::omp
