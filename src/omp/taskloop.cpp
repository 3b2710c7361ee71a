// Owns: taskloop. See taskloop.hpp.
#include "omp/taskloop.hpp"

#include <algorithm>

#include "omp/task_reduction.hpp"
#include "omp/taskgroup.hpp"
#include "omp/team.hpp"

namespace xylem::omp {

namespace {

// `tasks` tasks; the first `longer` of them have `each` + 1 iterations, the others `each`; the last
// one has `last`.
struct Division {
  uint64_t tasks, each, longer, last;
};

Division divide(const LoopOfTasks& loop, int threads) {
  const uint64_t n = loop.iterations;
  if (loop.by_grainsize && loop.strict) {
    const uint64_t grain = std::max<uint64_t>(loop.amount, 1);
    const uint64_t tasks = n / grain + (n % grain != 0);
    return {tasks, grain, 0, n - (tasks - 1) * grain};
  }
  uint64_t tasks = loop.amount ? loop.amount : static_cast<uint64_t>(threads);
  if (loop.by_grainsize) tasks = std::max<uint64_t>(n / std::max<uint64_t>(loop.amount, 1), 1);
  tasks = std::min(tasks, n);
  return {tasks, n / tasks, n % tasks, n / tasks};
}

void create_tasks(Member& member, TaskRequest request, const LoopOfTasks& loop) {
  const Division division = divide(loop, member.team->n);
  uint64_t start = loop.start;
  for (uint64_t i = 0; i < division.tasks; ++i) {
    uint64_t iterations = division.each + (i < division.longer);
    if (i == division.tasks - 1) iterations = division.last;
    const uint64_t end = start + iterations * loop.step;
    const long range[2] = {static_cast<long>(start), static_cast<long>(end)};
    request.range = range;
    create_task(member, request);
    start = end;
  }
}

}  // namespace

void run_taskloop(Member& member, const TaskRequest& request, const LoopOfTasks& loop) {
  if (loop.grouped) {
    taskgroup_start(member);
    if (loop.reductions) taskgroup_reduction_register(member, loop.reductions);
  }
  create_tasks(member, request, loop);
  if (loop.grouped) taskgroup_end(member);
}

}  // namespace xylem::omp
