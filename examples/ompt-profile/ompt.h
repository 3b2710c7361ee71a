// What the profiler needs of OMPT, as OpenMP 5.2 (chapter 19) fixes it.
#ifndef OMPT_PROFILE_OMPT_H
#define OMPT_PROFILE_OMPT_H

#include <stdint.h>

typedef union {
  uint64_t value;
  void* ptr;
} ompt_data_t;

enum {
  ompt_callback_thread_begin = 1,
  ompt_callback_parallel_begin = 3,
  ompt_callback_parallel_end = 4,
  ompt_callback_implicit_task = 7,
  ompt_callback_sync_region_wait = 16
};
enum { ompt_scope_begin = 1 };
enum { ompt_task_initial = 1 };

typedef void (*ompt_interface_fn_t)(void);
typedef ompt_interface_fn_t (*ompt_function_lookup_t)(const char* name);
typedef int (*ompt_set_callback_t)(int event, ompt_interface_fn_t callback);
typedef ompt_data_t* (*ompt_get_thread_data_t)(void);

typedef struct {
  int (*initialize)(ompt_function_lookup_t lookup, int initial_device, ompt_data_t* tool);
  void (*finalize)(ompt_data_t* tool);
  ompt_data_t tool_data;
} ompt_start_tool_result_t;

#endif
