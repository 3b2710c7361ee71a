// Owns: taskloop. See taskloop.hpp.
//
// A loop of many tasks, none of which must be copied by a constructor, is not made task by task: a
// deferred task stands for a run of them (Span). Whoever runs it runs them one after the other, and
// as long as nothing of its own is queued, so that others have nothing to take, it first gives away
// the upper half of what is left.
#include "omp/tasks/taskloop.hpp"

#include <alloca.h>

#include <algorithm>
#include <cstring>

#include "omp/tasks/task_queue.hpp"
#include "omp/tasks/task_submit.hpp"
#include "omp/tasks/taskgroup.hpp"
#include "omp/team/team.hpp"
#include "omp/tool/submitted_tasks.hpp"

namespace xylem::omp {

namespace {

// `tasks` tasks; the first `longer` of them have `each` + 1 iterations, the others `each`; the last
// one has `last`.
struct Division {
  uint64_t tasks, each, longer, last;
  uint64_t start, step;  // of the loop

  // Of task i.
  TaskRange range(uint64_t i) const {
    const uint64_t before = i * each + std::min(i, longer);
    const uint64_t iterations = i == tasks - 1 ? last : each + (i < longer);
    return {start + before * step, start + (before + iterations) * step};
  }
};

Division divide(const LoopOfTasks& loop, int threads) {
  const uint64_t n = loop.space.count;
  const uint64_t first = loop.space.first, step = loop.space.step;
  if (loop.by_grainsize && loop.strict) {
    const uint64_t grain = std::max<uint64_t>(loop.amount, 1);
    const uint64_t tasks = n / grain + (n % grain != 0);
    return {tasks, grain, 0, n - (tasks - 1) * grain, first, step};
  }
  uint64_t tasks = loop.amount ? loop.amount : static_cast<uint64_t>(threads);
  if (loop.by_grainsize) tasks = std::max<uint64_t>(n / std::max<uint64_t>(loop.amount, 1), 1);
  tasks = std::min(tasks, n);
  return {tasks, n / tasks, n % tasks, n / tasks, first, step};
}

// --- task by task --------------------------------------------------------------------------------

void create_task_of(Member& member, TaskRequest& request, const Division& division, uint64_t i) {
  const TaskRange range = division.range(i);
  request.range = &range;
  if (tool::on()) [[unlikely]]
    return tool::create_task_of_loop(member, request);
  create_task(member, request);
}

// --- runs of tasks -------------------------------------------------------------------------------

// The tasks first..last-1; the arguments of one lie behind, aligned as they ask.
struct Span {
  TaskRequest request;  // of each
  Division division;
  uint64_t first, last;
};

size_t arguments_offset(const TaskRequest& request) {
  const size_t alignment = std::max<size_t>(request.alignment, 1);
  return (sizeof(Span) + alignment - 1) & ~(alignment - 1);
}

void run_span(void* raw);

void create_span(Member& member, Span& span) {
  TaskRequest whole{run_span, &span, nullptr, arguments_offset(span.request) + span.request.size,
                    std::max(alignof(Span), span.request.alignment)};
  whole.priority = span.request.priority;
  create_task(member, whole);
}

// Others find nothing of the caller's.
bool others_may_want(const Member& member) {
  if (member.team->n == 1) return false;
  TaskQueues* made = member.team->tasks.made_queues();
  return !made || made->of(member).count_relaxed() == 0;
}

void give_half_away(Member& member, Span& span) {
  const uint64_t all = span.last;
  const uint64_t own = span.first;
  const uint64_t middle = own + (all - own + 1) / 2;
  span.first = middle;
  create_span(member, span);  // copies it
  span.first = own;
  span.last = middle;
}

void run_span(void* raw) {
  Span& span = *static_cast<Span*>(raw);
  Member& member = current_member();
  char* arguments = static_cast<char*>(raw) + arguments_offset(span.request);
  char* start = arguments + span.request.range_at.start;
  char* end = arguments + span.request.range_at.end;
  span.request.data = arguments;
  UndeferredTask task(member, span.request.final);
  while (span.first < span.last && !new_tasks_are_discarded(member)) {
    if (span.last - span.first > 1 && others_may_want(member)) give_half_away(member, span);
    const TaskRange range = span.division.range(span.first++);
    std::memcpy(start, &range.start, sizeof range.start);
    std::memcpy(end, &range.end, sizeof range.end);
    task.run(span.request);
  }
}

void create_spans(Member& member, const TaskRequest& request, const Division& division) {
  const size_t offset = arguments_offset(request);
  const size_t alignment = std::max(alignof(Span), request.alignment);
  char* space = static_cast<char*>(alloca(offset + request.size + alignment));
  space += -reinterpret_cast<uintptr_t>(space) & (alignment - 1);
  auto& span = *new (space) Span{request, division, 0, division.tasks};
  std::memcpy(space + offset, request.data, request.size);
  create_span(member, span);
}

// As many as are run at once anyway, by who makes them, for want of room.
bool makes_spans(const Member& member, const TaskRequest& request, uint64_t tasks) {
  const auto n = static_cast<uint64_t>(member.team->n);
  return n > 1 && tasks > children_per_thread * n && !request.copy && !request.undeferred &&
         !member.task->final && !tool::on();  // which is told of each task
}

void create_tasks(Member& member, TaskRequest request, const LoopOfTasks& loop) {
  const Division division = divide(loop, member.team->n);
  if (makes_spans(member, request, division.tasks)) return create_spans(member, request, division);
  for (uint64_t i = 0; i < division.tasks; ++i) create_task_of(member, request, division, i);
}

void submit_tasks(Member& member, const SubmittedLoop& what, const Division& division) {
  for (uint64_t i = 0; i < division.tasks && !new_tasks_are_discarded(member); ++i) {
    SubmittedTask& task = what.make(what, division.range(i), i + 1 == division.tasks);
    if (tool::on()) [[unlikely]]
      tool::submit_task_of_loop(member, task, division.range(i), what.undeferred);
    else if (what.undeferred)
      run_undeferred(member, task);
    else
      submit_task(member, task, {});
  }
  discard(what.pattern);
}

}  // namespace

void run_taskloop(Member& member, const SubmittedLoop& tasks, const LoopOfTasks& loop) {
  if (loop.grouped) taskgroup_start(member);
  submit_tasks(member, tasks, divide(loop, member.team->n));
  if (loop.grouped) taskgroup_end(member);
}

void run_taskloop(Member& member, const TaskRequest& request, const LoopOfTasks& loop) {
  if (loop.grouped) taskgroup_start(member);
  create_tasks(member, request, loop);
  if (loop.grouped) taskgroup_end(member);
}

}  // namespace xylem::omp
