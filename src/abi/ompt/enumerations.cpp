// Owns: what a tool asks about the machine and about what there is. See entry_points.hpp.
#include <atomic>
#include <iterator>
#include <vector>

#include "abi/ompt/entry_points.hpp"
#include "omp/env/icv.hpp"
#include "omp/env/places.hpp"
#include "omp/team/query.hpp"
#include "omp/team/runtime.hpp"
#include "omp/tool/mutexes.hpp"

namespace xylem::abi::ompt {

namespace {

using omp::tool::State;

struct StateName {
  State state;
  const char* name;
};

// The states that a thread is told to be in, and the specification's first.
constexpr StateName states[] = {
    {State::undefined, "ompt_state_undefined"},
    {State::work_serial, "ompt_state_work_serial"},
    {State::work_parallel, "ompt_state_work_parallel"},
    {State::wait_barrier_implicit_parallel, "ompt_state_wait_barrier_implicit_parallel"},
    {State::wait_barrier_implicit_workshare, "ompt_state_wait_barrier_implicit_workshare"},
    {State::wait_barrier_explicit, "ompt_state_wait_barrier_explicit"},
    {State::wait_barrier_implementation, "ompt_state_wait_barrier_implementation"},
    {State::wait_barrier_teams, "ompt_state_wait_barrier_teams"},
    {State::wait_taskwait, "ompt_state_wait_taskwait"},
    {State::wait_taskgroup, "ompt_state_wait_taskgroup"},
    {State::wait_lock, "ompt_state_wait_lock"},
    {State::wait_critical, "ompt_state_wait_critical"},
    {State::wait_atomic, "ompt_state_wait_atomic"},
    {State::wait_ordered, "ompt_state_wait_ordered"},
};

// Numbers given out. relaxed: they only differ.
constinit std::atomic<uint64_t> unique_ids{0};

}  // namespace

// The one behind `current`; the first is ompt_state_undefined, from which a tool begins.
int enumerate_states(int current, int* next, const char** name) {
  for (size_t i = 0; i + 1 < std::size(states); ++i) {
    if (static_cast<int>(states[i].state) != current) continue;
    *next = static_cast<int>(states[i + 1].state);
    *name = states[i + 1].name;
    return 1;
  }
  return 0;
}

// There is one; 0 is ompt_mutex_impl_none, from which a tool begins.
int enumerate_mutex_impls(int current, int* next, const char** name) {
  if (current != 0) return 0;
  *next = static_cast<int>(omp::tool::mutex_implementation);
  *name = omp::tool::mutex_implementation_name;
  return 1;
}

int get_num_procs() {
  omp::ensure_runtime();
  return omp::machine().pu_count();
}

int get_num_places() {
  omp::ensure_runtime();
  const omp::PlaceList* places = omp::globals().places;
  return places ? places->size() : 0;
}

int get_place_proc_ids(int place, int room, int* ids) {
  if (place < 0 || place >= get_num_places()) return 0;
  std::vector<int> processors;
  omp::os_indices_of_place(place, processors);
  const int count = static_cast<int>(processors.size());
  for (int i = 0; i < count && i < room; ++i) ids[i] = processors[static_cast<size_t>(i)];
  return count;
}

int get_num_devices() { return 0; }

// No thread is in a target region that a tool could be told of.
int get_target_info(uint64_t* device, uint64_t* target, uint64_t* operation) {
  if (device) *device = 0;
  if (target) *target = 0;
  if (operation) *operation = 0;
  return 0;
}

uint64_t get_unique_id() { return unique_ids.fetch_add(1, std::memory_order_relaxed) + 1; }

}  // namespace xylem::abi::ompt
