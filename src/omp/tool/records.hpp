// Owns: what is kept for a tool of threads, regions and tasks. Made only while on(); nothing of it
// lies in what is made without a tool but Task::told, which nobody writes or reads then.
//
// A thread is what the program takes for one: who has thread-local data of his own. With a tool
// each fiber has (sched::PoolSettings::own_data_each), and the record is part of that: it
// moves with the fiber from worker to worker, and stays from region to region where the
// thread-local data does.
#pragma once

#include "omp/team/team.hpp"
#include "omp/tool/listening.hpp"

namespace xylem::omp::tool {

struct TaskRecord;

struct ThreadRecord {
  Data data{};
  State state = State::undefined;  // undefined: it works, see state_of()
  WaitId waits_for = 0;
  TaskRecord* initial = nullptr;    // its initial task; null: it is none of the program's threads
  TaskRecord* creating = nullptr;   // told of, and not yet of any task (adopt)
  TaskRecord* depending = nullptr;  // that the thread would wait for dependences of (Depending)
  bool yields = false;              // looks for a task in taskyield
  ThreadRecord* next = nullptr;     // in the list of all
  void* block = nullptr;            // its thread control block, if that was made for a fiber
  int regions = 0;                  // that it is a member of now
  const void* group = nullptr;      // its contention group, as sched::group_user() has it
  // What the tool was told of its end. By who tells (release); read by who waits (acquire).
  enum : int { none, being_told, told };
  std::atomic<int> end{none};
};

// A worksharing construct that a task is in.
struct WorkRecord {
  WorkKind kind = WorkKind::loop;
  uint64_t count = 0;  // of iterations or sections
  const void* code = nullptr;
  bool open = false;  // its end is still to be told
  uint64_t step = 1;  // of a taskloop
};

struct RegionRecord;

struct TaskRecord {
  Data data{};
  Frame frame{};
  int flags = 0;   // task_flags
  int number = 0;  // of the thread that runs it
  RegionRecord* region = nullptr;
  TaskRecord* below = nullptr;  // that the thread ran before, or that opened the region
  WorkRecord work;
  bool goes_on = false;        // of an untied task: a further part was submitted
  DispatchChunk iterations{};  // of a taskloop's task; else none
  // Who may still name the task: those who run or complete it, its event, and who is about to tell
  // of a dependence on it (Sources). acq_rel: the last frees it.
  std::atomic<uint32_t> holders{1};
  // Of a detachable task: which of the two came first, its end or the fulfilment of its event.
  // acq_rel: the second decides.
  enum : int { neither, body_ended, fulfilled };
  std::atomic<int> first{neither};
};

struct RegionRecord {
  Data data{};
  const void* code = nullptr;
  int flags = 0;        // region_flags
  TaskRecord master;    // the implicit task of member 0; of an initial thread its initial task
  WorkRecord combined;  // the construct that the region is, if `open`
};

// The calling thread; the tool is told of one that it does not know yet.
ThreadRecord& this_thread();
// Null if the tool was not told of it.
ThreadRecord* known_thread();
// The tool ends: it is told the end of the calling thread, and of each that is in no region: of
// fibers here, of kernel threads by themselves, as they end.
void end_threads();

inline TaskRecord& record_of(const Task& task) { return *task.told; }
// Gives up one of its holders, and with the last one the record.
void drop(TaskRecord& record);
inline void hold(TaskRecord& record) {
  record.holders.fetch_add(1, std::memory_order_relaxed);  // the caller is, or stops, a holder
}
inline TaskRecord& record_of(const Member& member) { return *member.task->told; }

// An external thread begins. Its task ends with the thread.
void begin_initial_task(Member& initial);

// From where the program's task calls the runtime until it goes on.
class Inside {
 public:
  Inside(TaskRecord& task, Call call) : frame_(task.frame) {
    frame_.enter.ptr = call.frame;
    frame_.enter_flags = frame_flags::runtime | frame_flags::cfa;
  }
  ~Inside() { frame_.enter.ptr = nullptr; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  Frame& frame_;
};

// The calling thread is in this state meanwhile.
class Doing {
 public:
  explicit Doing(State state, WaitId waits_for = 0)
      : thread_(this_thread()), before_(thread_.state), waited_(thread_.waits_for) {
    thread_.state = state;
    thread_.waits_for = waits_for;
  }
  ~Doing() {
    thread_.state = before_;
    thread_.waits_for = waited_;
  }
  Doing(const Doing&) = delete;
  Doing& operator=(const Doing&) = delete;

 private:
  ThreadRecord& thread_;
  const State before_;
  const WaitId waited_;
};

// Calls the code of a task, which begins above the caller's frame.
void call_task(TaskRecord& task, void (*function)(void*), void* data);

}  // namespace xylem::omp::tool
