// Owns: LLVM's entry points of taskloop. Decodes, calls omp/, returns.
//
// The compiled code makes one task, the pattern, and says where in its data the bounds of its
// iterations are. Each task of the loop is a copy of the pattern with bounds of its own.
#include "omp/tasks/taskloop.hpp"

#include "abi/kmp/task_data.hpp"
#include "base/export.hpp"
#include "omp/loops/loop_schedule.hpp"
#include "omp/tool/tasks.hpp"

using namespace xylem::abi::kmp;
using xylem::omp::current_member;
using xylem::omp::LoopOfTasks;
using xylem::omp::SubmittedLoop;
using xylem::omp::SubmittedTask;
using xylem::omp::task_with;
using xylem::omp::TaskRange;
namespace tool = xylem::omp::tool;

namespace {

// Copies by constructors what must be copied so, and tells the task whether it is the last. Null:
// there is nothing of the kind.
using Duplicate = void (*)(TaskData* to, TaskData* from, int32_t last);

struct Loop : SubmittedLoop {
  size_t lower, upper;  // where the bounds are, in bytes from the data's begin; both are included
  uint64_t step;
  Duplicate duplicate;
};

uint64_t& word_at(TaskData& data, size_t offset) {
  return *reinterpret_cast<uint64_t*>(reinterpret_cast<char*>(&data) + offset);
}

ptrdiff_t distance(const void* from, const void* to) {
  return static_cast<const char*>(to) - static_cast<const char*>(from);
}

SubmittedTask& make(const SubmittedLoop& base, const TaskRange& range, bool last) {
  const Loop& loop = static_cast<const Loop&>(base);
  SubmittedTask& task = xylem::omp::new_task_like(loop.pattern);
  TaskData& from = data_of(loop.pattern);
  TaskData& to = data_of(task);
  if (from.shared) to.shared = reinterpret_cast<char*>(&to) + distance(&from, from.shared);
  word_at(to, loop.lower) = range.start;
  word_at(to, loop.upper) = range.end - loop.step;
  if (loop.duplicate) loop.duplicate(&to, &from, last);
  return task;
}

// Steps that the values from `lower` to `upper` take, both included; the compiled code has seen to
// it that there is one, but for direct callers.
uint64_t iterations(uint64_t lower, uint64_t upper, int64_t step) {
  if (step > 0) return (upper - lower) / static_cast<uint64_t>(step) + 1;
  return (lower - upper) / (0 - static_cast<uint64_t>(step)) + 1;
}

namespace amount_is {
constexpr int32_t not_given = 0;
constexpr int32_t grainsize = 1;  // 2: of num_tasks
}  // namespace amount_is

struct Bounds {
  uint64_t* lower;
  uint64_t* upper;
  int64_t step;
};

void run(tool::Call call, TaskData* pattern, bool deferred, const Bounds& bounds, LoopOfTasks whole,
         Duplicate duplicate) {
  SubmittedTask& task = task_with(pattern);
  take_priority(task);
  const auto step = static_cast<uint64_t>(bounds.step);
  whole.space.first = *bounds.lower;
  whole.space.step = step;
  whole.space.count = iterations(*bounds.lower, *bounds.upper, bounds.step);
  if (whole.space.count == 0) return xylem::omp::discard(task);
  const Loop loop{{task, make, !deferred},
                  static_cast<size_t>(distance(pattern, bounds.lower)),
                  static_cast<size_t>(distance(pattern, bounds.upper)),
                  step,
                  duplicate};
  if (call.code) [[unlikely]]
    return tool::run_taskloop(call, current_member(), loop, whole);
  xylem::omp::run_taskloop(current_member(), loop, whole);
}

// Where the entry point was called; nowhere if no tool listens.
[[gnu::always_inline]] inline tool::Call call_told() {
  return tool::on() ? tool::here() : tool::Call{};
}

LoopOfTasks loop_of_tasks(int32_t nogroup, int32_t kind, uint64_t amount, bool strict) {
  LoopOfTasks loop;
  loop.grouped = nogroup == 0;
  loop.by_grainsize = kind == amount_is::grainsize;
  loop.strict = strict;
  loop.amount = kind == amount_is::not_given ? 0 : amount;
  return loop;
}

}  // namespace

extern "C" {

XYLEM_EXPORT void __kmpc_taskloop(const Location*, ThreadNumber, TaskData* pattern,
                                  int32_t deferred, uint64_t* lower, uint64_t* upper, int64_t step,
                                  int32_t nogroup, int32_t kind, uint64_t amount,
                                  Duplicate duplicate) {
  run(call_told(), pattern, deferred, {lower, upper, step},
      loop_of_tasks(nogroup, kind, amount, false), duplicate);
}

// `modifier`: the amount is strict.
XYLEM_EXPORT void __kmpc_taskloop_5(const Location*, ThreadNumber, TaskData* pattern,
                                    int32_t deferred, uint64_t* lower, uint64_t* upper,
                                    int64_t step, int32_t nogroup, int32_t kind, uint64_t amount,
                                    int32_t modifier, Duplicate duplicate) {
  run(call_told(), pattern, deferred, {lower, upper, step},
      loop_of_tasks(nogroup, kind, amount, modifier != 0), duplicate);
}

}  // extern "C"
