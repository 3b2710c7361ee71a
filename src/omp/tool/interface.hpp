// Owns: what OpenMP 5.2, chapters 19.3 to 19.6, fixes of the tools' interface (OMPT): the numbers,
// the records and the signatures of callbacks that a tool and a runtime share. Names are those of
// the specification, without their prefix and suffix: ompt_data_t is Data, ompt_scope_begin is
// Endpoint::begin.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xylem::omp::tool {

// A word that a tool keeps with a thread, a region or a task. 0 before the tool writes it.
union Data {
  uint64_t value;
  void* ptr;
};

// Where the frames of a task and of the runtime meet on the stack; null: nowhere.
struct Frame {
  Data exit;   // of the runtime, which called the task's code
  Data enter;  // of the task's code, which called the runtime
  int exit_flags;
  int enter_flags;
};
static_assert(sizeof(Frame) == 24);

namespace frame_flags {
inline constexpr int runtime = 0x00, application = 0x01;
inline constexpr int cfa = 0x10, frame_pointer = 0x20;
}  // namespace frame_flags

// By ompt_callbacks_t.
enum class Event : int {
  thread_begin = 1,
  thread_end = 2,
  parallel_begin = 3,
  parallel_end = 4,
  task_create = 5,
  task_schedule = 6,
  implicit_task = 7,
  target = 8,
  target_data_op = 9,
  target_submit = 10,
  control_tool = 11,
  device_initialize = 12,
  device_finalize = 13,
  device_load = 14,
  device_unload = 15,
  sync_region_wait = 16,
  mutex_released = 17,
  dependences = 18,
  task_dependence = 19,
  work = 20,
  masked = 21,
  target_map = 22,
  sync_region = 23,
  lock_init = 24,
  lock_destroy = 25,
  mutex_acquire = 26,
  mutex_acquired = 27,
  nest_lock = 28,
  flush = 29,
  cancel = 30,
  reduction = 31,
  dispatch = 32,
  target_emi = 33,
  target_data_op_emi = 34,
  target_submit_emi = 35,
  target_map_emi = 36,
  error = 37,
};
inline constexpr int last_event = 37;

// The answer of ompt_set_callback.
enum class SetResult : int {
  error = 0,
  never = 1,
  impossible = 2,
  sometimes = 3,
  sometimes_paired = 4,
  always = 5,
};

enum class Endpoint : int { begin = 1, end = 2, begin_end = 3 };
enum class ThreadKind : int { initial = 1, worker = 2, other = 3, unknown = 4 };

enum class SyncKind : int {
  barrier_explicit = 3,
  barrier_implementation = 4,
  taskwait = 5,
  taskgroup = 6,
  reduction = 7,
  barrier_implicit_workshare = 8,
  barrier_implicit_parallel = 9,
  barrier_teams = 10,
};

enum class WorkKind : int {
  loop = 1,
  sections = 2,
  single_executor = 3,
  single_other = 4,
  workshare = 5,
  distribute = 6,
  taskloop = 7,
  scope = 8,
  loop_static = 10,
  loop_dynamic = 11,
  loop_guided = 12,
  loop_other = 13,
};

enum class DispatchKind : int {
  iteration = 1,
  section = 2,
  loop_chunk = 3,
  taskloop_chunk = 4,
  distribute_chunk = 5,
};

// What Data::ptr of a dispatch event that tells of a chunk points to.
struct DispatchChunk {
  uint64_t start;
  uint64_t iterations;
};

enum class MutexKind : int {
  lock = 1,
  test_lock = 2,
  nest_lock = 3,
  test_nest_lock = 4,
  critical = 5,
  atomic = 6,
  ordered = 7,
};

namespace task_flags {
inline constexpr int initial = 0x1, implicit = 0x2, explicit_task = 0x4, taskwait = 0x10;
inline constexpr int undeferred = 0x0800'0000, untied = 0x1000'0000, final = 0x2000'0000;
inline constexpr int mergeable = 0x4000'0000;
inline constexpr int merged = static_cast<int>(0x8000'0000u);
}  // namespace task_flags

// Why the task that a thread ran before ceased to run.
enum class TaskStatus : int {
  complete = 1,
  yield = 2,
  cancel = 3,
  detach = 4,
  early_fulfill = 5,
  late_fulfill = 6,
  switched = 7,
  taskwait_complete = 8,
};

namespace region_flags {
inline constexpr int invoked_by_program = 0x1, invoked_by_runtime = 0x2;
inline constexpr int league = 0x4000'0000;
inline constexpr int team = static_cast<int>(0x8000'0000u);
}  // namespace region_flags

enum class DependenceKind : int {
  in = 1,
  out = 2,
  inout = 3,
  mutexinoutset = 4,
  source = 5,
  sink = 6,
  inoutset = 7,
  out_all_memory = 34,
};

struct DependenceRecord {
  Data variable;  // its address; of source and sink an iteration
  DependenceKind kind;
};

namespace cancel_flags {
inline constexpr int parallel = 0x01, sections = 0x02, loop = 0x04, taskgroup = 0x08;
inline constexpr int activated = 0x10, detected = 0x20, discarded_task = 0x40;
}  // namespace cancel_flags

enum class Severity : int { warning = 1, fatal = 2 };

// What a thread is doing.
enum class State : int {
  work_serial = 0x000,
  work_parallel = 0x001,
  work_reduction = 0x002,
  wait_barrier_implicit_parallel = 0x011,
  wait_barrier_implicit_workshare = 0x012,
  wait_barrier_explicit = 0x014,
  wait_barrier_implementation = 0x015,
  wait_barrier_teams = 0x016,
  wait_taskwait = 0x020,
  wait_taskgroup = 0x021,
  wait_mutex = 0x040,
  wait_lock = 0x041,
  wait_critical = 0x042,
  wait_atomic = 0x043,
  wait_ordered = 0x044,
  wait_target = 0x080,
  wait_target_map = 0x081,
  wait_target_update = 0x082,
  idle = 0x100,
  overhead = 0x101,
  undefined = 0x102,
};

// Names an object that threads wait for: its address.
using WaitId = uint64_t;

// --- signatures of callbacks ---------------------------------------------------------------------

using AnyCallback = void (*)();

// The type of an event's callback. `code`: where the program called the runtime, the address of
// return; null: not known.
template <Event event>
struct CallbackOf;
template <>
struct CallbackOf<Event::thread_begin> {
  using Type = void (*)(ThreadKind, Data* thread);
};
template <>
struct CallbackOf<Event::thread_end> {
  using Type = void (*)(Data* thread);
};
template <>
struct CallbackOf<Event::parallel_begin> {
  using Type = void (*)(Data* task, const Frame*, Data* region, unsigned wanted, int flags,
                        const void* code);
};
template <>
struct CallbackOf<Event::parallel_end> {
  using Type = void (*)(Data* region, Data* task, int flags, const void* code);
};
template <>
struct CallbackOf<Event::task_create> {
  using Type = void (*)(Data* creator, const Frame*, Data* task, int flags, int has_dependences,
                        const void* code);
};
template <>
struct CallbackOf<Event::task_schedule> {
  using Type = void (*)(Data* before, TaskStatus, Data* next);
};
template <>
struct CallbackOf<Event::implicit_task> {
  using Type = void (*)(Endpoint, Data* region, Data* task, unsigned threads, unsigned number,
                        int flags);
};
template <>
struct CallbackOf<Event::control_tool> {
  using Type = int (*)(uint64_t command, uint64_t modifier, void* argument, const void* code);
};
struct SyncCallback {
  using Type = void (*)(SyncKind, Endpoint, Data* region, Data* task, const void* code);
};
template <>
struct CallbackOf<Event::sync_region> : SyncCallback {};
template <>
struct CallbackOf<Event::sync_region_wait> : SyncCallback {};
template <>
struct CallbackOf<Event::reduction> : SyncCallback {};
struct MutexCallback {
  using Type = void (*)(MutexKind, WaitId, const void* code);
};
template <>
struct CallbackOf<Event::mutex_acquired> : MutexCallback {};
template <>
struct CallbackOf<Event::mutex_released> : MutexCallback {};
template <>
struct CallbackOf<Event::lock_destroy> : MutexCallback {};
struct AcquireCallback {
  using Type = void (*)(MutexKind, unsigned hint, unsigned implementation, WaitId,
                        const void* code);
};
template <>
struct CallbackOf<Event::mutex_acquire> : AcquireCallback {};
template <>
struct CallbackOf<Event::lock_init> : AcquireCallback {};
template <>
struct CallbackOf<Event::nest_lock> {
  using Type = void (*)(Endpoint, WaitId, const void* code);
};
template <>
struct CallbackOf<Event::dependences> {
  using Type = void (*)(Data* task, const DependenceRecord*, int count);
};
template <>
struct CallbackOf<Event::task_dependence> {
  using Type = void (*)(Data* source, Data* sink);
};
template <>
struct CallbackOf<Event::work> {
  using Type = void (*)(WorkKind, Endpoint, Data* region, Data* task, uint64_t count,
                        const void* code);
};
template <>
struct CallbackOf<Event::masked> {
  using Type = void (*)(Endpoint, Data* region, Data* task, const void* code);
};
template <>
struct CallbackOf<Event::flush> {
  using Type = void (*)(Data* thread, const void* code);
};
template <>
struct CallbackOf<Event::cancel> {
  using Type = void (*)(Data* task, int flags, const void* code);
};
template <>
struct CallbackOf<Event::dispatch> {
  using Type = void (*)(Data* region, Data* task, DispatchKind, Data instance);
};
template <>
struct CallbackOf<Event::error> {
  using Type = void (*)(Severity, const char* message, size_t length, const void* code);
};

}  // namespace xylem::omp::tool
