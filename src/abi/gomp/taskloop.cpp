// Owns: GCC's entry points of taskloop. Decodes, calls omp/, returns.
#include "abi/gomp/task_decode.hpp"
#include "base/export.hpp"
#include "omp/team/team.hpp"

namespace {

namespace flags = xylem::abi::task_flags;
using xylem::abi::taskloop_request;
using xylem::omp::IterationSpace;
using xylem::omp::TaskRequest;

// Behind the range, the first two words of a taskloop's arguments.
constexpr size_t reductions_word = 2;

void taskloop(const TaskRequest& request, unsigned task_flags, unsigned long amount,
              const IterationSpace& space) {
  auto loop = xylem::abi::loop_of_tasks(task_flags, amount, space);
  uintptr_t* reductions = nullptr;
  if (loop.grouped && (task_flags & flags::reduction)) {
    reductions = static_cast<uintptr_t**>(request.data)[reductions_word];
  }
  if (loop.space.count == 0) {
    if (reductions) reductions[2] = 0;  // tells the compiled code that nothing was registered
    return;
  }
  loop.reductions = reductions;
  xylem::omp::run_taskloop(xylem::omp::current_member(), request, loop);
}

}  // namespace

extern "C" {

XYLEM_EXPORT void GOMP_taskloop(void (*fn)(void*), void* data, void (*cpyfn)(void*, void*),
                                long arg_size, long arg_align, unsigned task_flags,
                                unsigned long num_tasks, int priority, long start, long end,
                                long step) {
  taskloop(taskloop_request(fn, data, cpyfn, arg_size, arg_align, task_flags, priority), task_flags,
           num_tasks, xylem::omp::signed_space(start, end, step));
}

XYLEM_EXPORT void GOMP_taskloop_ull(void (*fn)(void*), void* data, void (*cpyfn)(void*, void*),
                                    long arg_size, long arg_align, unsigned task_flags,
                                    unsigned long num_tasks, int priority, unsigned long long start,
                                    unsigned long long end, unsigned long long step) {
  taskloop(taskloop_request(fn, data, cpyfn, arg_size, arg_align, task_flags, priority), task_flags,
           num_tasks, xylem::omp::unsigned_space(task_flags & flags::up, start, end, step));
}

}  // extern "C"
