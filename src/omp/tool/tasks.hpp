// Owns: what a tool is told of explicit tasks: their creation, dependences, and when threads go
// from one to another.
//
// A task's record is made by who meets the construct, before the task is, and handed over to it by
// ThreadRecord::creating: adopt(). It goes when the task is complete. Where tasks are made that no
// construct stands for (UndeferredTask, spans of a taskloop), there is no such record to adopt.
// Tasks that the program fills in: submitted_tasks.hpp.
#pragma once

#include <vector>

#include "omp/loops/doacross.hpp"
#include "omp/tasks/task_create.hpp"
#include "omp/tasks/taskloop.hpp"
#include "omp/tool/records.hpp"

namespace xylem::omp {
struct Event;
struct ExplicitTask;
}  // namespace xylem::omp

namespace xylem::omp::tool {

// create_task(). `flags`: task_flags that omp/ knows nothing of.
bool create_task(Call call, Member& member, const TaskRequest& request, int flags = 0);
// run_taskloop().
void run_taskloop(Call call, Member& member, const TaskRequest& request, const LoopOfTasks& loop);
void run_taskloop(Call call, Member& member, const SubmittedLoop& tasks, const LoopOfTasks& loop);
// Of one task of a loop with this step.
DispatchChunk iterations_of(const TaskRange& range, uint64_t step);
// By run_taskloop() for each task.
void create_task_of_loop(Member& member, const TaskRequest& request);

// Tells that the calling task has met the construct.
TaskRecord& make_task_record(Call call, Member& member, DependList dependences, int flags);

// --- the life of a task, by those who run it ---

// Of a task that is made: the record of the construct that the calling thread has met.
void adopt(Task& task);
// What becomes of the task when its body has ended. `detaches`: it may be complete only when its
// event comes. `stays`: somebody may name it until it is complete, and the record is given up by
// forget().
struct AtEnd {
  bool detaches = false;
  bool stays = false;
};

// Runs the task's body, which the member runs from now on instead of `outer`; tells of both
// changes. Call::function(argument) is the body. False: an untied task whose next part is to be
// submitted now.
bool run_body(Member& member, Task& task, const Task& outer, AtEnd at_end, void (*function)(void*),
              void* argument);
// What a tool is told when the task's body has ended. has_event: it has a detach clause.
TaskStatus how_ended(const Task& task, TaskRecord& record, bool has_event);
// The task is not to be run, as it is cancelled.
void discard(Member& member, Task& task, AtEnd at_end);
// It is complete.
void forget(Task& task);
// A detachable task's event may be fulfilled at any time from now on, or never: then the record
// stays for ever.
void share_with_event(const Task& task, omp::Event& event);

void fulfill(omp::Event& event);
void taskyield();

// --- dependences that are not met ---

// While it lives the calling thread makes, or waits as, this task.
class Depending {
 public:
  explicit Depending(TaskRecord& task);
  ~Depending();
  Depending(const Depending&) = delete;
  Depending& operator=(const Depending&) = delete;

 private:
  TaskRecord* const before_;
};

// The tasks that one waits for, held until the tool was told.
class Sources {
 public:
  Sources() = default;
  ~Sources();
  Sources(const Sources&) = delete;
  Sources& operator=(const Sources&) = delete;
  // By who has seen to it that the task is not complete: under its table's lock.
  void add(const ExplicitTask& task);
  // Under no lock. `waiting` null: what Depending says.
  void tell(const Task* waiting) const;

 private:
  std::vector<TaskRecord*> tasks_;
};

// Of doacross loops.
void doacross_post(Member& member, Doacross& loop, const uint64_t* vector);
void doacross_wait(Member& member, Doacross& loop, const uint64_t* vector);

// A taskwait with dependences, which is a task that does nothing.
class TaskwaitTask {
 public:
  TaskwaitTask(TaskRecord& waiting, DependList dependences, Call call);
  ~TaskwaitTask();
  TaskwaitTask(const TaskwaitTask&) = delete;
  TaskwaitTask& operator=(const TaskwaitTask&) = delete;

 private:
  TaskRecord record_;
  const Depending depending_{record_};
};

}  // namespace xylem::omp::tool
