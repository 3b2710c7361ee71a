// Owns: the declarations of the entry points in lookup.cpp's table. Each is the specification's
// ompt_ routine of its name; answers are those of OpenMP 5.2 section 19.6.1.
#pragma once

#include "omp/tool/interface.hpp"

namespace xylem::abi::ompt {

using omp::tool::AnyCallback;
using omp::tool::Data;
using omp::tool::Event;
using omp::tool::Frame;
using omp::tool::SetResult;
using omp::tool::WaitId;

// callbacks.cpp
SetResult set_callback(Event event, AnyCallback callback);
int get_callback(Event event, AnyCallback* callback);

// inquiry.cpp: the calling thread
Data* get_thread_data();
int get_state(WaitId* wait_id);
int get_parallel_info(int level, Data** region, int* threads);
int get_task_info(int level, int* flags, Data** task, Frame** frame, Data** region, int* number);
int get_task_memory(void** address, size_t* bytes, int block);
int get_proc_id();
int get_place_num();
int get_partition_place_nums(int room, int* places);

// enumerations.cpp: the machine and what there is
int enumerate_states(int current, int* next, const char** name);
int enumerate_mutex_impls(int current, int* next, const char** name);
int get_num_procs();
int get_num_places();
int get_place_proc_ids(int place, int room, int* ids);
int get_num_devices();
int get_target_info(uint64_t* device, uint64_t* target, uint64_t* operation);
uint64_t get_unique_id();

}  // namespace xylem::abi::ompt
