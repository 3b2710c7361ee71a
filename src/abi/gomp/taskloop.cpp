// Owns: GCC's entry points of taskloop. Decodes, calls omp/, returns.
#include "abi/gomp/reduction_decode.hpp"
#include "abi/gomp/task_decode.hpp"
#include "base/export.hpp"
#include "omp/tasks/taskgroup.hpp"
#include "omp/tool/synchronization.hpp"
#include "omp/tool/tasks.hpp"

namespace {

namespace flags = xylem::abi::task_flags;
namespace tool = xylem::omp::tool;
using xylem::abi::taskloop_request;
using xylem::omp::current_member;
using xylem::omp::IterationSpace;
using xylem::omp::LoopOfTasks;
using xylem::omp::Member;
using xylem::omp::TaskRequest;

// Behind the range, the first two words of a taskloop's arguments.
constexpr size_t reductions_word = 2;

// Null: the taskloop has no reduction, or takes part in an enclosing one.
uintptr_t* reductions_of(const TaskRequest& request, unsigned task_flags) {
  if (!(task_flags & flags::reduction) || task_flags & flags::nogroup) return nullptr;
  return static_cast<uintptr_t**>(request.data)[reductions_word];
}

// The tasks read from the arrays where their copies are.
void reducing_taskloop(const TaskRequest& request, LoopOfTasks& loop, uintptr_t* arrays) {
  if (loop.space.count == 0) return xylem::abi::answer_no_reductions(arrays);
  Member& member = current_member();
  xylem::omp::taskgroup_start(member);
  auto* blocks = xylem::abi::decode_reductions(arrays);
  xylem::omp::begin_reductions(member, blocks);
  xylem::abi::answer_reductions(arrays, blocks);
  loop.grouped = false;  // more than it is already
  xylem::omp::run_taskloop(member, request, loop);
  xylem::omp::taskgroup_end(member);
}

// The taskgroup that it makes is not told of apart from the taskloop where it has reductions.
[[gnu::cold, gnu::noinline]] void taskloop_told(tool::Call call, const TaskRequest& request,
                                                unsigned task_flags, LoopOfTasks& loop) {
  if (uintptr_t* arrays = reductions_of(request, task_flags))
    return reducing_taskloop(request, loop, arrays);
  if (loop.space.count != 0) tool::run_taskloop(call, current_member(), request, loop);
}

// Inlined in the entry points: a tool is told where they were called.
[[gnu::always_inline]] inline void taskloop(const TaskRequest& request, unsigned task_flags,
                                            unsigned long amount, const IterationSpace& space) {
  auto loop = xylem::abi::loop_of_tasks(task_flags, amount, space);
  if (tool::on()) [[unlikely]]
    return taskloop_told(tool::here(), request, task_flags, loop);
  if (uintptr_t* arrays = reductions_of(request, task_flags)) [[unlikely]]
    return reducing_taskloop(request, loop, arrays);
  if (loop.space.count != 0) xylem::omp::run_taskloop(current_member(), request, loop);
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
