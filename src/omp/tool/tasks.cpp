// Owns: explicit tasks as a tool is told of them. See tasks.hpp.
#include "omp/tool/tasks.hpp"

#include <algorithm>
#include <utility>

#include "omp/tasks/task_event.hpp"
#include "omp/tasks/task_explicit.hpp"
#include "omp/tasks/task_wait.hpp"
#include "omp/tasks/taskgroup.hpp"
#include "omp/tool/regions.hpp"
#include "omp/tool/synchronization.hpp"
#include "omp/tool/work.hpp"

namespace xylem::omp::tool {

namespace {

DependenceKind kind_of(DependKind kind) {
  switch (kind) {
    case DependKind::in:
      return DependenceKind::in;
    case DependKind::out:
      return DependenceKind::out;
    case DependKind::mutexinoutset:
      return DependenceKind::mutexinoutset;
    case DependKind::inoutset:
      return DependenceKind::inoutset;
    case DependKind::all_memory:
      return DependenceKind::out_all_memory;
    case DependKind::inout:
      break;
  }
  return DependenceKind::inout;
}

void tell_dependences(TaskRecord& task, DependList dependences) {
  if (dependences.empty() || !callback<Event::dependences>()) return;
  std::vector<DependenceRecord> told(dependences.size());
  for (size_t i = 0; i < told.size(); ++i) {
    told[i].variable.ptr = const_cast<void*>(dependences[i].address);
    told[i].kind = kind_of(dependences[i].kind);
  }
  raise<Event::dependences>(&task.data, told.data(), static_cast<int>(told.size()));
}

int flags_of(const Member& member, const TaskRequest& request) {
  const bool at_once = request.undeferred || member.task->final || member.team->n == 1;
  return task_flags::explicit_task | (at_once ? task_flags::undeferred : 0) |
         (request.final || member.task->final ? task_flags::final : 0);
}

TaskRecord& make_record(Call call, Member& member, const TaskRequest& request, int flags) {
  return make_task_record(call, member, request.dependences, flags_of(member, request) | flags);
}

void tell_switch(TaskRecord& before, TaskStatus status, TaskRecord& next) {
  raise<Event::task_schedule>(&before.data, status, &next.data);
}

void tell_discarded(Member& member, TaskRecord& record) {
  const int kind = member.team->cancelled.load(std::memory_order_relaxed) != 0
                       ? cancel_flags::parallel
                       : cancel_flags::taskgroup;
  raise<Event::cancel>(&record.data, kind | cancel_flags::discarded_task,
                       static_cast<const void*>(nullptr));
  tell_switch(record, TaskStatus::cancel, record_of(member));
}

// What omp/ makes of the request takes the record with it, unless it makes nothing. Tasks that the
// caller runs meanwhile may make others.
bool create_with(TaskRecord& record, Member& member, const TaskRequest& request) {
  ThreadRecord& self = this_thread();
  TaskRecord* const before = std::exchange(self.creating, &record);
  const Depending depending(record);
  const bool made = omp::create_task(member, request);
  if (std::exchange(self.creating, before) == &record) {
    tell_discarded(member, record);
    drop(record);
  }
  return made;
}

// The body has ended. True if its event is still to come, or it has none.
bool ends_before_event(TaskRecord& task) {
  return task.first.exchange(TaskRecord::body_ended, std::memory_order_acq_rel) ==
         TaskRecord::neither;
}

}  // namespace

TaskStatus how_ended(const Task& task, TaskRecord& record, bool has_event) {
  if (has_event && ends_before_event(record)) return TaskStatus::detach;
  const bool cancelled = globals().cancellation && omp::is_cancelled(task.taskgroup);
  return cancelled ? TaskStatus::cancel : TaskStatus::complete;
}

// Made, and told of, before anybody can run it.
TaskRecord& make_task_record(Call call, Member& member, DependList dependences, int flags) {
  TaskRecord& creator = record_of(member);
  auto* record = new TaskRecord;
  record->flags = flags;
  record->region = creator.region;
  raise<Event::task_create>(&creator.data, &creator.frame, &record->data, flags,
                            dependences.empty() ? 0 : 1, call.code);
  tell_dependences(*record, dependences);
  return *record;
}

bool create_task(Call call, Member& member, const TaskRequest& request, int flags) {
  const Inside inside(record_of(member), call);
  return create_with(make_record(call, member, request, flags), member, request);
}

void create_task_of_loop(Member& member, const TaskRequest& request) {
  TaskRecord& creator = record_of(member);
  TaskRecord& record = make_record({creator.work.code, nullptr}, member, request, 0);
  if (request.range) record.iterations = iterations_of(*request.range, creator.work.step);
  create_with(record, member, request);
}

DispatchChunk iterations_of(const TaskRange& range, uint64_t step) {
  const bool up = static_cast<int64_t>(step) > 0;
  const uint64_t distance = up ? range.end - range.start : range.start - range.end;
  const uint64_t stride = up ? step : 0 - step;
  return {range.start, stride ? distance / stride : 0};
}

namespace {

// `what`: the tasks, as omp::run_taskloop() takes them.
template <class Tasks>
void tell_taskloop(Call call, Member& member, const Tasks& what, const LoopOfTasks& loop) {
  TaskRecord& task = record_of(member);
  const Inside inside(task, call);
  const WorkRecord around = task.work;
  task.work = {WorkKind::taskloop, loop.space.count, call.code, false, loop.space.step};
  raise<Event::work>(WorkKind::taskloop, Endpoint::begin, region_of(task), &task.data,
                     loop.space.count, call.code);
  if (loop.grouped) taskgroup_start(call);
  LoopOfTasks tasks = loop;
  tasks.grouped = false;
  omp::run_taskloop(member, what, tasks);
  if (loop.grouped) taskgroup_end(call);
  raise<Event::work>(WorkKind::taskloop, Endpoint::end, region_of(task), &task.data,
                     loop.space.count, call.code);
  task.work = around;
}

}  // namespace

void run_taskloop(Call call, Member& member, const TaskRequest& request, const LoopOfTasks& loop) {
  tell_taskloop(call, member, request, loop);
}

void run_taskloop(Call call, Member& member, const SubmittedLoop& tasks, const LoopOfTasks& loop) {
  tell_taskloop(call, member, tasks, loop);
}

void adopt(Task& task) {
  TaskRecord* record = std::exchange(this_thread().creating, nullptr);
  if (!record) {  // of no construct that was told
    record = new TaskRecord;
    record->flags = task_flags::explicit_task;
    record->region = record_of(current_member()).region;
  }
  task.told = record;
}

namespace {

// The task begins, or goes on with its next part.
void tell_begin(ThreadRecord& self, TaskRecord& before, TaskRecord& task) {
  const TaskStatus left =
      std::exchange(self.yields, false) ? TaskStatus::yield : TaskStatus::switched;
  tell_switch(before, left, task);
  if (task.iterations.iterations == 0) return;
  Data instance{};
  instance.ptr = &task.iterations;
  raise<Event::dispatch>(region_of(task), &task.data, DispatchKind::taskloop_chunk, instance);
}

}  // namespace

bool run_body(Member& member, Task& task, const Task& outer, AtEnd at_end, void (*function)(void*),
              void* argument) {
  ThreadRecord& self = this_thread();
  TaskRecord& record = record_of(task);
  TaskRecord& before = record_of(outer);
  record.below = &before;
  record.number = member.num;
  tell_begin(self, before, record);
  {
    const Doing working(State::undefined);
    call_task(record, function, argument);
  }
  end_open_work(record);
  if (std::exchange(record.goes_on, false)) {
    tell_switch(record, TaskStatus::switched, before);
    return false;
  }
  tell_switch(record, how_ended(task, record, at_end.detaches), before);
  if (!at_end.stays) drop(record);
  return true;
}

void discard(Member& member, Task& task, AtEnd at_end) {
  TaskRecord& record = record_of(task);
  tell_discarded(member, record);
  if (!at_end.stays) drop(record);
}

void forget(Task& task) { drop(record_of(task)); }

void share_with_event(const Task& task, omp::Event& event) {
  hold(record_of(task));
  event.told = task.told;
}

void fulfill(omp::Event& event) {
  if (TaskRecord* record = event.told) {
    const bool late = record->first.exchange(TaskRecord::fulfilled, std::memory_order_acq_rel) ==
                      TaskRecord::body_ended;
    raise<Event::task_schedule>(&record->data,
                                late ? TaskStatus::late_fulfill : TaskStatus::early_fulfill,
                                static_cast<Data*>(nullptr));
    drop(*record);
  }
  omp::fulfill(event);
}

void taskyield() {
  current_member();
  ThreadRecord& self = this_thread();
  self.yields = true;
  omp::taskyield();
  self.yields = false;
}

Depending::Depending(TaskRecord& task) : before_(std::exchange(this_thread().depending, &task)) {}

Depending::~Depending() { this_thread().depending = before_; }

Sources::~Sources() {
  for (TaskRecord* task : tasks_) drop(*task);
}

void Sources::add(const ExplicitTask& task) {
  if (task.untold || std::find(tasks_.begin(), tasks_.end(), task.told) != tasks_.end()) return;
  hold(*task.told);
  tasks_.push_back(task.told);
}

void Sources::tell(const Task* waiting) const {
  TaskRecord* const sink = waiting ? waiting->told : this_thread().depending;
  if (!sink) return;  // of no construct that was told
  for (TaskRecord* source : tasks_) raise<Event::task_dependence>(&source->data, &sink->data);
}

namespace {

// The tool's word for an iteration is one number: that of the outermost loop comes first.
void tell_doacross(Member& member, DependenceKind kind, unsigned depth, const uint64_t* vector) {
  std::vector<DependenceRecord> told(depth);
  for (unsigned i = 0; i < depth; ++i) {
    told[i].variable.value = vector[i];
    told[i].kind = kind;
  }
  raise<Event::dependences>(&record_of(member).data, told.data(), static_cast<int>(depth));
}

}  // namespace

void doacross_post(Member& member, Doacross& loop, const uint64_t* vector) {
  tell_doacross(member, DependenceKind::source, loop.depth(), vector);
  loop.post(vector);
}

void doacross_wait(Member& member, Doacross& loop, const uint64_t* vector) {
  loop.wait(vector);
  tell_doacross(member, DependenceKind::sink, loop.depth(), vector);
}

TaskwaitTask::TaskwaitTask(TaskRecord& waiting, DependList dependences, Call call) {
  record_.flags = task_flags::taskwait | task_flags::undeferred | task_flags::mergeable;
  record_.region = waiting.region;
  raise<Event::task_create>(&waiting.data, &waiting.frame, &record_.data, record_.flags, 1,
                            call.code);
  tell_dependences(record_, dependences);
}

TaskwaitTask::~TaskwaitTask() {
  raise<Event::task_schedule>(&record_.data, TaskStatus::taskwait_complete,
                              static_cast<Data*>(nullptr));
}

}  // namespace xylem::omp::tool
