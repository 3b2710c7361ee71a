// Owns: creating tasks: deferring them, or running them at once.
#pragma once

#include <cstddef>

namespace xylem::omp {

struct Member;

// A task construct as the program meets it.
struct TaskRequest {
  void (*function)(void*);
  void* data;                  // arguments: `size` bytes, to be aligned to `alignment`
  void (*copy)(void*, void*);  // copies them to its first argument; null: bytes
  size_t size;
  size_t alignment;
  bool undeferred = false;  // if(0)
  bool final = false;
  int priority = 0;
  void** depend = nullptr;  // GCC's array (depend.hpp), or null
  void** event = nullptr;   // detach: where the program's omp_event_handle_t goes, or null
  const long* range =
      nullptr;  // of a taskloop's task: replaces the first two words of its arguments
};

void create_task(Member& member, const TaskRequest& request);

}  // namespace xylem::omp
