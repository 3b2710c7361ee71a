// What the tools among the tests know of OMPT: the part of OpenMP 5.2's omp-tools.h that they use.
#ifndef OMPT_H
#define OMPT_H

#include <stddef.h>
#include <stdint.h>

typedef union {
  uint64_t value;
  void* ptr;
} ompt_data_t;

typedef struct {
  ompt_data_t exit_frame, enter_frame;
  int exit_frame_flags, enter_frame_flags;
} ompt_frame_t;

typedef struct {
  ompt_data_t variable;
  int dependence_type;
} ompt_dependence_t;

typedef struct {
  uint64_t start, iterations;
} ompt_dispatch_chunk_t;

enum {
  ompt_callback_thread_begin = 1,
  ompt_callback_thread_end,
  ompt_callback_parallel_begin,
  ompt_callback_parallel_end,
  ompt_callback_task_create,
  ompt_callback_task_schedule,
  ompt_callback_implicit_task,
  ompt_callback_control_tool = 11,
  ompt_callback_sync_region_wait = 16,
  ompt_callback_mutex_released,
  ompt_callback_dependences,
  ompt_callback_task_dependence,
  ompt_callback_work,
  ompt_callback_masked,
  ompt_callback_sync_region = 23,
  ompt_callback_lock_init,
  ompt_callback_lock_destroy,
  ompt_callback_mutex_acquire,
  ompt_callback_mutex_acquired,
  ompt_callback_nest_lock,
  ompt_callback_flush,
  ompt_callback_cancel,
  ompt_callback_reduction,
  ompt_callback_dispatch,
  ompt_callback_error = 37
};
#define most_events 38

enum { ompt_set_never = 1, ompt_set_sometimes = 3, ompt_set_always = 5 };
enum { ompt_scope_begin = 1, ompt_scope_end };
enum { ompt_thread_initial = 1, ompt_thread_worker };
enum {
  ompt_task_initial = 1,
  ompt_task_implicit = 2,
  ompt_task_explicit = 4,
  ompt_task_taskwait = 16
};
#define ompt_task_undeferred 0x8000000
#define ompt_task_untied 0x10000000
#define ompt_task_final 0x20000000
enum {
  ompt_task_complete = 1,
  ompt_task_yield,
  ompt_task_cancel,
  ompt_task_detach,
  ompt_task_early_fulfill,
  ompt_task_late_fulfill,
  ompt_task_switch,
  ompt_taskwait_complete
};
enum {
  ompt_sync_region_barrier_explicit = 3,
  ompt_sync_region_barrier_implementation,
  ompt_sync_region_taskwait,
  ompt_sync_region_taskgroup,
  ompt_sync_region_reduction,
  ompt_sync_region_barrier_implicit_workshare,
  ompt_sync_region_barrier_implicit_parallel
};
enum {
  ompt_work_loop = 1,
  ompt_work_sections,
  ompt_work_single_executor,
  ompt_work_single_other,
  ompt_work_taskloop = 7,
  ompt_work_scope,
  ompt_work_loop_static = 10,
  ompt_work_loop_dynamic,
  ompt_work_loop_guided,
  ompt_work_loop_other
};
enum {
  ompt_mutex_lock = 1,
  ompt_mutex_test_lock,
  ompt_mutex_nest_lock,
  ompt_mutex_test_nest_lock,
  ompt_mutex_critical,
  ompt_mutex_atomic,
  ompt_mutex_ordered
};
enum { ompt_dispatch_section = 2, ompt_dispatch_ws_loop_chunk, ompt_dispatch_taskloop_chunk };
enum {
  ompt_dependence_type_in = 1,
  ompt_dependence_type_out,
  ompt_dependence_type_inout,
  ompt_dependence_type_mutexinoutset,
  ompt_dependence_type_source,
  ompt_dependence_type_sink,
  ompt_dependence_type_inoutset,
  ompt_dependence_type_out_all_memory = 34
};
enum {
  ompt_cancel_parallel = 1,
  ompt_cancel_sections = 2,
  ompt_cancel_loop = 4,
  ompt_cancel_taskgroup = 8,
  ompt_cancel_activated = 16,
  ompt_cancel_detected = 32,
  ompt_cancel_discarded_task = 64
};
enum {
  ompt_state_work_serial = 0,
  ompt_state_work_parallel = 1,
  ompt_state_wait_barrier_implicit_parallel = 0x11,
  ompt_state_wait_barrier_explicit = 0x14,
  ompt_state_wait_taskwait = 0x20,
  ompt_state_wait_taskgroup = 0x21,
  ompt_state_wait_lock = 0x41,
  ompt_state_wait_critical = 0x42,
  ompt_state_undefined = 0x102
};

typedef void (*ompt_callback_t)(void);
typedef void (*ompt_interface_fn_t)(void);
typedef ompt_interface_fn_t (*ompt_function_lookup_t)(const char* name);

typedef struct {
  int (*initialize)(ompt_function_lookup_t lookup, int initial_device, ompt_data_t* tool);
  void (*finalize)(ompt_data_t* tool);
  ompt_data_t tool_data;
} ompt_start_tool_result_t;

typedef int (*ompt_set_callback_t)(int event, ompt_callback_t callback);
typedef int (*ompt_get_callback_t)(int event, ompt_callback_t* callback);
typedef ompt_data_t* (*ompt_get_thread_data_t)(void);
typedef int (*ompt_get_state_t)(uint64_t* wait_id);
typedef int (*ompt_get_parallel_info_t)(int level, ompt_data_t** region, int* threads);
typedef int (*ompt_get_task_info_t)(int level, int* flags, ompt_data_t** task, ompt_frame_t** frame,
                                    ompt_data_t** region, int* number);
typedef int (*ompt_get_task_memory_t)(void** address, size_t* bytes, int block);
typedef int (*ompt_enumerate_states_t)(int current, int* next, const char** name);
typedef int (*ompt_get_number_t)(void);
typedef int (*ompt_get_numbers_t)(int room, int* numbers);
typedef int (*ompt_get_place_proc_ids_t)(int place, int room, int* ids);
typedef uint64_t (*ompt_get_unique_id_t)(void);
typedef void (*ompt_finalize_tool_t)(void);

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime);

#endif
