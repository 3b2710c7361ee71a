// Owns: what a tool asks about the calling thread. See entry_points.hpp.
//
// May be called from a signal handler, and on threads that the runtime does not know: nothing here
// starts anything, allocates or waits.
#include "abi/ompt/entry_points.hpp"
#include "omp/tasks/task_explicit.hpp"
#include "omp/tool/records.hpp"
#include "os/running.hpp"
#include "sched/sched.hpp"

namespace xylem::abi::ompt {

namespace {

using omp::tool::State;
using omp::tool::TaskRecord;

// Null where the tool was told of nobody.
omp::Member* this_member() {
  const sched::Thread* thread = sched::current_thread();
  if (!thread || !thread->user || !omp::tool::known_thread()) return nullptr;
  return static_cast<omp::Member*>(thread->user);
}

const omp::Member* ancestor(const omp::Member* member, int level) {
  while (member && level-- > 0) member = member->team->maker;
  return member;
}

template <typename Value>
void put(Value* where, Value value) {
  if (where) *where = value;
}

}  // namespace

Data* get_thread_data() {
  omp::tool::ThreadRecord* known = omp::tool::known_thread();
  return known ? &known->data : nullptr;
}

int get_state(WaitId* wait_id) {
  const omp::tool::ThreadRecord* known = omp::tool::known_thread();
  const omp::Member* member = this_member();
  put(wait_id, known ? known->waits_for : WaitId{0});
  if (!known || !member) return static_cast<int>(State::undefined);
  if (known->state != State::undefined) return static_cast<int>(known->state);
  const bool parallel = member->team->level > 0;
  return static_cast<int>(parallel ? State::work_parallel : State::work_serial);
}

int get_parallel_info(int level, Data** region, int* threads) {
  const omp::Member* member = level < 0 ? nullptr : ancestor(this_member(), level);
  if (!member) return 0;
  put(region, &member->implicit.told->region->data);
  put(threads, member->team->n);
  return 2;
}

int get_task_info(int level, int* flags, Data** task, Frame** frame, Data** region, int* number) {
  const omp::Member* member = this_member();
  TaskRecord* record = member && level >= 0 ? member->task->told : nullptr;
  while (record && level-- > 0) record = record->below;
  if (!record) return 0;
  put(flags, record->flags);
  put(task, &record->data);
  put(frame, &record->frame);
  put(region, &record->region->data);
  put(number, record->number);
  return 2;
}

// A deferred task's arguments lie in one block; of others the runtime has none.
int get_task_memory(void** address, size_t* bytes, int block) {
  const omp::Member* member = this_member();
  if (!member || block != 0 || member->task->kind != omp::TaskKind::deferred) return 0;
  const auto& task = static_cast<const omp::ExplicitTask&>(*member->task);
  const auto* begin = reinterpret_cast<const char*>(&task);
  put(address, task.data);
  put(bytes, task.bytes - static_cast<size_t>(static_cast<const char*>(task.data) - begin));
  return 0;
}

// -1: a thread that has not met OpenMP, or no tool is told of anything.
int get_proc_id() { return this_member() && omp::tool::on() ? os::running_on().cpu : -1; }

int get_place_num() {
  const omp::Member* member = this_member();
  return member ? member->place : -1;
}

int get_partition_place_nums(int room, int* places) {
  const omp::Member* member = this_member();
  if (!member) return 0;
  const omp::Icvs& icvs = *member->task->icvs;
  for (int i = 0; i < icvs.place_count && i < room; ++i) places[i] = icvs.place_first + i;
  return icvs.place_count;
}

}  // namespace xylem::abi::ompt
