// Owns: task reductions. See task_reduction.hpp for the layout of the arrays.
#include "omp/tasks/task_reduction.hpp"

#include <cstdlib>
#include <cstring>

#include "base/report.hpp"
#include "omp/tasks/taskgroup.hpp"
#include "omp/team/team.hpp"

namespace xylem::omp {

namespace {

enum : size_t {
  variables = 0,
  thread_bytes = 1,
  copies = 2,  // in: their alignment
  next = 4,
  is_first = 5,
  copies_end = 6,
  first_variable = 7,
  words_per_variable = 3,
};

uintptr_t* next_of(const uintptr_t* array) { return reinterpret_cast<uintptr_t*>(array[next]); }

uintptr_t zeroed(size_t alignment, size_t bytes) {
  if (alignment < sizeof(void*)) alignment = sizeof(void*);
  const size_t whole = (bytes + alignment - 1) / alignment * alignment;
  void* block = std::aligned_alloc(alignment, whole ? whole : alignment);
  if (!block) base::fatal("out of memory");
  std::memset(block, 0, whole);
  return reinterpret_cast<uintptr_t>(block);
}

// Gives each array of a construct its copies: those of `first`, or new ones for n threads. Links
// the last one to `enclosing`.
void provide_copies(uintptr_t* data, uintptr_t* first, uintptr_t* enclosing, int n) {
  data[is_first] = 1;
  for (uintptr_t* array = data;; array = next_of(array)) {
    if (array != data) array[is_first] = 0;
    if (first) {
      array[copies] = first[copies];
      array[copies_end] = first[copies_end];
      first = next_of(first);
    } else {
      const size_t bytes = array[thread_bytes] * static_cast<size_t>(n);
      array[copies] = zeroed(array[copies], bytes);
      array[copies_end] = array[copies] + bytes;
    }
    if (array[next] == 0) {
      array[next] = reinterpret_cast<uintptr_t>(enclosing);
      return;
    }
  }
}

struct Found {
  const uintptr_t* array = nullptr;
  size_t offset = 0;       // in a thread's copies
  uintptr_t original = 0;  // address of the variable
};

// The variable at `address`: the innermost construct's of that address.
bool find_original(const uintptr_t* arrays, uintptr_t address, Found& found) {
  for (const uintptr_t* array = arrays; array; array = next_of(array)) {
    for (size_t i = 0; i < array[variables]; ++i) {
      const uintptr_t* variable = array + first_variable + i * words_per_variable;
      if (variable[0] != address) continue;
      found = {array, variable[1], address};
      return true;
    }
  }
  return false;
}

// The variable of which some thread's copy is at `address`.
bool find_copy(const uintptr_t* arrays, uintptr_t address, Found& found) {
  for (const uintptr_t* array = arrays; array; array = next_of(array)) {
    if (address < array[copies] || address >= array[copies_end]) continue;
    found = {array, (address - array[copies]) % array[thread_bytes], 0};
    for (size_t i = 0; i < array[variables]; ++i) {
      const uintptr_t* variable = array + first_variable + i * words_per_variable;
      if (variable[1] == found.offset) found.original = variable[0];
    }
    return true;
  }
  return false;
}

}  // namespace

void taskgroup_reduction_register(Member& member, uintptr_t* data) {
  Taskgroup& group = *member.task->taskgroup;
  provide_copies(data, nullptr, group.reductions, member.team->n);
  group.reductions = data;
}

void taskgroup_reduction_unregister(uintptr_t* data) {
  for (uintptr_t* array = data; array; array = next_of(array)) {
    if (array != data && array[is_first]) return;  // the enclosing construct's
    std::free(reinterpret_cast<void*>(array[copies]));
  }
}

void workshare_task_reduction_register(Member& member, uintptr_t* data, uintptr_t* first) {
  Taskgroup& group = taskgroup_start(member);
  group.workshare = true;
  provide_copies(data, first, group.reductions, member.team->n);
  group.reductions = data;
}

void workshare_task_reduction_unregister(Member& member, bool cancelled) {
  uintptr_t* data = member.task->taskgroup->reductions;
  taskgroup_end(member);
  // Thread 0 has added up the copies after the barrier before.
  if (member.num == 0) taskgroup_reduction_unregister(data);
  if (!cancelled) team_barrier(member);
}

void prepare_parallel_reductions(Team& team, void* argument) {
  auto& reductions = *static_cast<ParallelReductions*>(argument);
  auto* data = *static_cast<uintptr_t**>(reductions.data);
  auto* group = new Taskgroup;
  provide_copies(data, nullptr, nullptr, team.n);
  group->reductions = data;
  team.tasks.region_group = group;
  team.master.implicit.taskgroup = group;
  reductions.threads = static_cast<unsigned>(team.n);
}

void task_reduction_remap(Member& member, size_t count, size_t originals, void** ptrs) {
  const uintptr_t* arrays = member.task->taskgroup ? member.task->taskgroup->reductions : nullptr;
  for (size_t i = 0; i < count; ++i) {
    const auto address = reinterpret_cast<uintptr_t>(ptrs[i]);
    Found found;
    if (!find_original(arrays, address, found) && !find_copy(arrays, address, found)) {
      base::fatal("no task_reduction, or reduction with task modifier, for %p", ptrs[i]);
    }
    const size_t num = static_cast<size_t>(member.num);
    const uintptr_t own = found.array[copies] + num * found.array[thread_bytes] + found.offset;
    ptrs[i] = reinterpret_cast<void*>(own);
    if (i < originals) ptrs[count + i] = reinterpret_cast<void*>(found.original);
  }
}

}  // namespace xylem::omp
