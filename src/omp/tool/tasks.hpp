// Owns: what a tool is told of explicit tasks: their creation, dependences, and when threads go
// from one to another.
//
// A task's record is made by who meets the construct, before the task is, and handed over to it by
// ThreadRecord::creating: adopt(). It goes when the task is complete. Where tasks are made that no
// construct stands for (UndeferredTask, spans of a taskloop), there is no such record to adopt.
#pragma once

#include "omp/loops/doacross.hpp"
#include "omp/tasks/task_create.hpp"
#include "omp/tasks/taskloop.hpp"
#include "omp/tool/records.hpp"

namespace xylem::omp {
struct Event;
}

namespace xylem::omp::tool {

// create_task(). `flags`: task_flags that omp/ knows nothing of.
bool create_task(Call call, Member& member, const TaskRequest& request, int flags = 0);
// run_taskloop().
void run_taskloop(Call call, Member& member, const TaskRequest& request, const LoopOfTasks& loop);
// By run_taskloop() for each task.
void create_task_of_loop(Member& member, const TaskRequest& request);

// --- the life of a task, by those who run it ---

// Of a task that is made: the record of the construct that the calling thread has met.
void adopt(Task& task);
// Runs the task's body, which the member runs from now on instead of `outer`; tells of both
// changes. Call::function(argument) is the body.
void run_body(Member& member, Task& task, const Task& outer, bool detachable,
              void (*function)(void*), void* argument);
// The task is not to be run, as it is cancelled. The record of a detachable one stays for ever: its
// event may still be fulfilled.
void discard(Member& member, Task& task, bool detachable);
// It is complete, and was not when its body ended.
void forget(Task& task);

void fulfill(omp::Event& event);
void taskyield();

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
};

}  // namespace xylem::omp::tool
