// Owns: the table of entry points. See lookup.hpp.
#include "abi/ompt/lookup.hpp"

#include <cstring>

#include "abi/ompt/entry_points.hpp"
#include "abi/ompt/start_tool.hpp"

namespace xylem::abi::ompt {

namespace {

struct Row {
  const char* name;
  EntryPoint entry;
};

template <typename Function>
EntryPoint erased(Function function) {
  return reinterpret_cast<EntryPoint>(function);
}

}  // namespace

EntryPoint look_up(const char* name) {
  const Row rows[] = {
      {"ompt_set_callback", erased(set_callback)},
      {"ompt_get_callback", erased(get_callback)},
      {"ompt_get_thread_data", erased(get_thread_data)},
      {"ompt_get_state", erased(get_state)},
      {"ompt_get_parallel_info", erased(get_parallel_info)},
      {"ompt_get_task_info", erased(get_task_info)},
      {"ompt_get_task_memory", erased(get_task_memory)},
      {"ompt_get_proc_id", erased(get_proc_id)},
      {"ompt_get_place_num", erased(get_place_num)},
      {"ompt_get_partition_place_nums", erased(get_partition_place_nums)},
      {"ompt_enumerate_states", erased(enumerate_states)},
      {"ompt_enumerate_mutex_impls", erased(enumerate_mutex_impls)},
      {"ompt_get_num_procs", erased(get_num_procs)},
      {"ompt_get_num_places", erased(get_num_places)},
      {"ompt_get_place_proc_ids", erased(get_place_proc_ids)},
      {"ompt_get_num_devices", erased(get_num_devices)},
      {"ompt_get_target_info", erased(get_target_info)},
      {"ompt_get_unique_id", erased(get_unique_id)},
      {"ompt_finalize_tool", erased(finalize_tool)},
  };
  for (const Row& row : rows)
    if (std::strcmp(row.name, name) == 0) return row.entry;
  return nullptr;
}

}  // namespace xylem::abi::ompt
