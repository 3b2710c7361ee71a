// Owns: the data of deferred tasks. See task_data.hpp.
#include "omp/tasks/task_data.hpp"

#include "omp/tasks/task_defer.hpp"

namespace xylem::omp {

namespace {

// One that the task waits for less. True if it may run now.
bool one_less(ExplicitTask& task) {
  DependTable& table = *task.siblings->depends;
  base::Locked locked(table.lock);
  return --task.dependences->blocked.unmet == 0 && table.acquire(task);
}

void data_is_there(void* raw) {
  auto& task = *static_cast<ExplicitTask*>(raw);
  Team& team = *task.team;
  if (one_less(task)) make_task_ready(task, nullptr);
  release_region(team);
}

// The only thread of a team may wait for data itself next, and then nobody would run the task.
bool is_better_run_now(const ExplicitTask& task, DependList dependences) {
  return task.team->n == 1 && !task.event &&
         !must_wait_for_dependences(current_member(), dependences);
}

}  // namespace

DataNames names_of(DependList dependences) {
  DataNames names;
  for (const auto& [address, kind] : dependences)
    if (address) names.push_back({address, kind == DependKind::in ? xylem_read : xylem_read_write});
  return names;
}

// It waits for its data besides, so that nothing runs it before that has come.
bool enter_with_data(ExplicitTask& task, DependList dependences) {
  if (is_better_run_now(task, dependences)) {
    wait_for_data(current_member(), dependences);
    return enter_siblings(task, dependences);
  }
  ++task.dependences->blocked.unmet;
  enter_siblings(task, dependences);
  const DataNames names = names_of(dependences);
  Team& team = *task.team;
  hold_region(team);  // until it is ready: who brings the data is no member
  if (hetero::begin_access({names.data(), names.size()}, {data_is_there, &task},
                           task.dependences->data))
    return false;
  release_region(team);
  return one_less(task);
}

}  // namespace xylem::omp
