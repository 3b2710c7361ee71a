// Owns: synchronisation as a tool is told of it. See synchronization.hpp.
#include "omp/tool/synchronization.hpp"

#include "omp/tasks/task_wait.hpp"
#include "omp/tasks/taskgroup.hpp"
#include "omp/tool/regions.hpp"
#include "omp/tool/tasks.hpp"
#include "omp/tool/work.hpp"

namespace xylem::omp::tool {

namespace {

State state_in(SyncKind kind) {
  switch (kind) {
    case SyncKind::barrier_implicit_parallel:
      return State::wait_barrier_implicit_parallel;
    case SyncKind::barrier_implicit_workshare:
      return State::wait_barrier_implicit_workshare;
    case SyncKind::barrier_explicit:
      return State::wait_barrier_explicit;
    case SyncKind::barrier_teams:
      return State::wait_barrier_teams;
    case SyncKind::taskwait:
      return State::wait_taskwait;
    case SyncKind::taskgroup:
      return State::wait_taskgroup;
    case SyncKind::barrier_implementation:
    case SyncKind::reduction:
      break;
  }
  return State::wait_barrier_implementation;
}

// The wait in a synchronisation region of the calling task; `ended`: the parallel region that the
// tool is told of at the end.
class Wait {
 public:
  Wait(SyncKind kind, TaskRecord& task, const void* code, Data* ended)
      : doing_(state_in(kind)), kind_(kind), task_(task), code_(code), ended_(ended) {
    raise<Event::sync_region_wait>(kind, Endpoint::begin, region_of(task), &task.data, code);
  }
  ~Wait() { raise<Event::sync_region_wait>(kind_, Endpoint::end, ended_, &task_.data, code_); }
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

 private:
  Doing doing_;
  SyncKind kind_;
  TaskRecord& task_;
  const void* code_;
  Data* ended_;
};

void tell_sync(SyncKind kind, Endpoint endpoint, TaskRecord& task, const void* code) {
  raise<Event::sync_region>(kind, endpoint, region_of(task), &task.data, code);
}

// A region that is all wait.
template <class Waits>
auto synchronize(SyncKind kind, TaskRecord& task, const void* code, Waits waits) {
  class Told {
   public:
    Told(SyncKind kind, TaskRecord& task, const void* code)
        : kind_(kind), task_(task), code_(code) {
      tell_sync(kind, Endpoint::begin, task, code);
    }
    ~Told() { tell_sync(kind_, Endpoint::end, task_, code_); }

   private:
    SyncKind kind_;
    TaskRecord& task_;
    const void* code_;
  };
  const Told told(kind, task, code);
  const Wait wait(kind, task, code, region_of(task));
  return waits();
}

}  // namespace

void enter_runtime(TaskRecord& task, Call call) {
  task.frame.enter.ptr = call.frame;
  task.frame.enter_flags = frame_flags::runtime | frame_flags::cfa;
}

void leave_runtime(TaskRecord& task) { task.frame.enter.ptr = nullptr; }

void barrier(Call call, SyncKind kind) {
  Member& member = current_member();
  TaskRecord& task = record_of(member);
  end_open_work(task);
  const Inside inside(task, call);
  synchronize(kind, task, call.code, [&] { team_barrier(member); });
}

bool barrier_cancel(Call call, SyncKind kind) {
  Member& member = current_member();
  TaskRecord& task = record_of(member);
  end_open_work(task);
  const Inside inside(task, call);
  return synchronize(kind, task, call.code, [&] { return team_barrier_cancel(member); });
}

void inner_barrier(Member& member, const void* code) {
  synchronize(SyncKind::barrier_implementation, record_of(member), code,
              [&] { team_barrier(member); });
}

namespace {

const void* code_of_barrier(const Member& member, const TaskRecord& task) {
  return member.num == 0 ? task.region->code : nullptr;
}

}  // namespace

void begin_barrier_of_region(Member& member, TaskRecord& task) {
  constexpr SyncKind kind = SyncKind::barrier_implicit_parallel;
  const void* code = code_of_barrier(member, task);
  tell_sync(kind, Endpoint::begin, task, code);
  raise<Event::sync_region_wait>(kind, Endpoint::begin, region_of(task), &task.data, code);
  this_thread().state = State::wait_barrier_implicit_parallel;
  if (!member.work.left_region) team_barrier(member);
}

void end_barrier_of_region(Member& member, TaskRecord& task) {
  constexpr SyncKind kind = SyncKind::barrier_implicit_parallel;
  constexpr Data* region = nullptr;
  const void* code = code_of_barrier(member, task);
  this_thread().state = State::undefined;
  raise<Event::sync_region_wait>(kind, Endpoint::end, region, &task.data, code);
  raise<Event::sync_region>(kind, Endpoint::end, region, &task.data, code);
}

void taskwait(Call call) {
  Member& member = current_member();
  TaskRecord& task = record_of(member);
  const Inside inside(task, call);
  synchronize(SyncKind::taskwait, task, call.code, [&] { omp::taskwait(member); });
}

void wait_for_dependences(Call call, DependList dependences) {
  Member& member = current_member();
  TaskRecord& task = record_of(member);
  const Inside inside(task, call);
  TaskwaitTask waiting(task, dependences, call);
  synchronize(SyncKind::taskwait, task, call.code,
              [&] { omp::wait_for_dependences(member, dependences); });
}

Taskgroup& taskgroup_start(Call call) {
  Member& member = current_member();
  tell_sync(SyncKind::taskgroup, Endpoint::begin, record_of(member), call.code);
  return omp::taskgroup_start(member);
}

namespace {

// `end`: how omp/ ends the taskgroup.
template <class End>
void tell_taskgroup_end(Call call, End end) {
  Member& member = current_member();
  TaskRecord& task = record_of(member);
  const Inside inside(task, call);
  {
    const Wait wait(SyncKind::taskgroup, task, call.code, region_of(task));
    end(member);
  }
  tell_sync(SyncKind::taskgroup, Endpoint::end, task, call.code);
}

}  // namespace

void begin_combining(Call call, ReductionBlock& block, SharedBy construct) {
  Member& member = current_member();
  tell_sync(SyncKind::taskgroup, Endpoint::begin, record_of(member), call.code);
  omp::begin_combining(member, block, construct);
}

void end_combining(Call call, SharedBy construct) {
  tell_taskgroup_end(call, [&](Member& member) { omp::end_combining(member, construct); });
}

void taskgroup_end(Call call) { tell_taskgroup_end(call, omp::taskgroup_end); }

void end_taskgroup_combining(Call call) { tell_taskgroup_end(call, omp::end_taskgroup_combining); }

void begin_reduction(Call call) {
  TaskRecord& task = record_of(current_member());
  raise<Event::reduction>(SyncKind::reduction, Endpoint::begin, region_of(task), &task.data,
                          call.code);
}

void end_reduction(Call call) {
  TaskRecord& task = record_of(current_member());
  raise<Event::reduction>(SyncKind::reduction, Endpoint::end, region_of(task), &task.data,
                          call.code);
}

}  // namespace xylem::omp::tool
