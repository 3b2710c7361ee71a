// Owns: the records of threads and initial tasks. See records.hpp.
#include "omp/tool/records.hpp"

#include "os/clock.hpp"
#include "os/tls.hpp"
#include "sched/sched.hpp"

// In a thread control block. Read and written in assembly, as no compiler may keep a thread-local
// variable's address across a switch (sched/queue/fiber.hpp).
extern "C" {
__attribute__((
    visibility("hidden"), used,
    tls_model(
        "initial-exec"))) thread_local constinit xylem::omp::tool::ThreadRecord* xylem_tool_thread =
    nullptr;
}

namespace xylem::omp::tool {

constinit std::atomic<AnyCallback> callbacks[last_event + 1] = {};

namespace {
using Start = void (*)();
constinit Start start_of_tool = nullptr;  // written while the library is loaded
}  // namespace

void expect_tool(void (*start)()) {
  start_of_tool = start;
  trace::watch(trace::a_tool);
}

void (*expected_start())() { return start_of_tool; }

void stop_listening() {
  trace::stop_watching(trace::a_tool);
  for (std::atomic<AnyCallback>& slot : callbacks) slot.store(nullptr, std::memory_order_relaxed);
}

namespace {

// All that were made. Pushed by any thread (release), walked when the tool ends (acquire).
constinit std::atomic<ThreadRecord*> all_threads{nullptr};

void set_known_thread(ThreadRecord* record) {
  void* offset;
  asm volatile(
      "movq xylem_tool_thread@gottpoff(%%rip), %0\n\t"
      "movq %1, %%fs:(%0)"
      : "=&r"(offset)
      : "r"(record)
      : "memory");
}

void end_thread(void* raw) {
  auto& thread = *static_cast<ThreadRecord*>(raw);
  int none = ThreadRecord::none;
  if (!thread.end.compare_exchange_strong(none, ThreadRecord::being_told)) return;
  if (TaskRecord* task = thread.initial)
    raise<Event::implicit_task>(Endpoint::end, static_cast<Data*>(nullptr), &task->data, 0u, 1u,
                                task->flags);
  raise<Event::thread_end>(&thread.data);
  thread.end.store(ThreadRecord::told, std::memory_order_release);  // pairs with is_to_end()
}

[[gnu::noinline]] ThreadRecord& meet_thread() {
  auto* record = new ThreadRecord;
  if (os::native_block_below()) record->block = os::thread_pointer();
  const sched::Thread& self = *current_member().thread;
  record->group = sched::group_user(self);
  set_known_thread(record);
  record->next = all_threads.load(std::memory_order_relaxed);  // relaxed: the exchange decides
  while (!all_threads.compare_exchange_weak(record->next, record, std::memory_order_release)) {
  }
  os::at_data_end(end_thread, record);
  const bool initial = sched::is_external(self);
  raise<Event::thread_begin>(initial ? ThreadKind::initial : ThreadKind::worker, &record->data);
  return *record;
}

}  // namespace

ThreadRecord* known_thread() {
  ThreadRecord* record;
  asm volatile(
      "movq xylem_tool_thread@gottpoff(%%rip), %0\n\t"
      "movq %%fs:(%0), %0"
      : "=r"(record));
  return record;
}

ThreadRecord& this_thread() {
  ThreadRecord* known = known_thread();
  return known ? *known : meet_thread();
}

namespace {

// The program thread whose regions' members the thread runs is still there, and is not the caller:
// the thread does not end.
bool is_kept(const ThreadRecord& thread, const void* own_group) {
  if (thread.group == own_group) return false;
  const ThreadRecord* other = all_threads.load(std::memory_order_acquire);
  while (other && !(other->initial && other->group == thread.group &&
                    other->end.load(std::memory_order_acquire) == ThreadRecord::none))
    other = other->next;
  return other;
}

// A kernel thread that runs members and will tell of its end, but has not.
bool is_to_end(const ThreadRecord& thread, const void* own_group) {
  return !thread.block && !thread.initial && thread.regions == 0 &&
         thread.end.load(std::memory_order_acquire) != ThreadRecord::told &&
         !is_kept(thread, own_group);
}

// They end by themselves, so a tool that never returns on one of them could keep the process.
void await_ends(const void* own_group) {
  constexpr int64_t most_ns = 10'000'000'000;
  const int64_t until = os::now_ns() + most_ns;
  ThreadRecord* record = all_threads.load(std::memory_order_acquire);
  for (; record; record = record->next)
    while (is_to_end(*record, own_group) && os::now_ns() < until) os::yield_to_kernel();
}

// The callback finds the thread-local data that the tool had on that thread.
void end_fibers() {
  void* const native = os::thread_pointer();
  ThreadRecord* record = all_threads.load(std::memory_order_acquire);
  for (; record; record = record->next) {
    if (!record->block || record->regions > 0) continue;
    os::put_block_in_force(record->block, native);
    end_thread(record);
    os::put_block_in_force(native, native);
  }
}

}  // namespace

void end_threads() {
  ThreadRecord* own = known_thread();
  if ((!own || own->initial) && sched::end_kernel_threads()) await_ends(own ? own->group : nullptr);
  if (own) end_thread(own);
  end_fibers();
}

void drop(TaskRecord& record) {
  if (record.holders.fetch_sub(1, std::memory_order_acq_rel) == 1) delete &record;
}

// Index 1: what the specification says of initial tasks outside of leagues.
void begin_initial_task(Member& initial) {
  auto* region = new RegionRecord;
  TaskRecord& task = region->master;
  task.flags = task_flags::initial;
  task.region = region;
  initial.implicit.told = &task;
  this_thread().initial = &task;
  raise<Event::implicit_task>(Endpoint::begin, &region->data, &task.data, 1u, 1u, task.flags);
}

[[gnu::noinline]] void call_task(TaskRecord& task, void (*function)(void*), void* data) {
  sched::program_begins_above();
  task.frame.exit.ptr = __builtin_frame_address(0);
  task.frame.exit_flags = frame_flags::runtime | frame_flags::frame_pointer;
  function(data);
  task.frame.exit.ptr = nullptr;
}

}  // namespace xylem::omp::tool
