// Owns: GCC's entry points of taskloop. Decodes, calls omp/, returns.
#include "omp/tasks/taskloop.hpp"

#include "abi/gomp/task_flags.hpp"
#include "base/export.hpp"
#include "omp/team/team.hpp"

namespace {

namespace flags = xylem::abi::task_flags;
using xylem::omp::LoopOfTasks;
using xylem::omp::TaskRequest;

// The first words of a taskloop's arguments: the range of the task, then the reductions.
constexpr xylem::omp::RangeOffsets range_words{0, sizeof(long)};
constexpr size_t reductions_word = 2;

void taskloop(const TaskRequest& common, unsigned task_flags, unsigned long amount, int priority,
              LoopOfTasks loop) {
  loop.grouped = !(task_flags & flags::nogroup);
  uintptr_t* reductions = nullptr;
  if (loop.grouped && (task_flags & flags::reduction)) {
    reductions = static_cast<uintptr_t**>(common.data)[reductions_word];
  }
  if (loop.space.count == 0) {
    if (reductions) reductions[2] = 0;  // tells the compiled code that nothing was registered
    return;
  }
  loop.reductions = reductions;
  loop.by_grainsize = task_flags & flags::grainsize;
  loop.strict = task_flags & flags::strict;
  loop.amount = amount;
  TaskRequest request = common;
  request.range_at = range_words;
  request.undeferred = !(task_flags & flags::if_clause);
  request.final = task_flags & flags::final;
  if (task_flags & flags::priority) request.priority = priority;
  xylem::omp::run_taskloop(xylem::omp::current_member(), request, loop);
}

}  // namespace

extern "C" {

XYLEM_EXPORT void GOMP_taskloop(void (*fn)(void*), void* data, void (*cpyfn)(void*, void*),
                                long arg_size, long arg_align, unsigned task_flags,
                                unsigned long num_tasks, int priority, long start, long end,
                                long step) {
  const TaskRequest request{fn, data, cpyfn, static_cast<size_t>(arg_size),
                            static_cast<size_t>(arg_align)};
  LoopOfTasks loop;
  loop.space = xylem::omp::signed_space(start, end, step);
  taskloop(request, task_flags, num_tasks, priority, loop);
}

XYLEM_EXPORT void GOMP_taskloop_ull(void (*fn)(void*), void* data, void (*cpyfn)(void*, void*),
                                    long arg_size, long arg_align, unsigned task_flags,
                                    unsigned long num_tasks, int priority, unsigned long long start,
                                    unsigned long long end, unsigned long long step) {
  const TaskRequest request{fn, data, cpyfn, static_cast<size_t>(arg_size),
                            static_cast<size_t>(arg_align)};
  LoopOfTasks loop;
  loop.space = xylem::omp::unsigned_space(task_flags & flags::up, start, end, step);
  taskloop(request, task_flags, num_tasks, priority, loop);
}

}  // extern "C"
