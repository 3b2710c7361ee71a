// Owns: next touch of include/xylem/memory.h.
#include "mem/touch/next_touch.hpp"

#include "base/export.hpp"
#include "omp/team/runtime.hpp"
#include "xylem/memory.h"

extern "C" {

XYLEM_EXPORT int xylem_memory_move_on_next_touch(void* start, size_t size) {
  xylem::omp::start_runtime();
  return -xylem::mem::mark_next_touch(start, size);
}

XYLEM_EXPORT int xylem_memory_forget_next_touch(void* start, size_t size) {
  return -xylem::mem::forget_next_touch(start, size);
}

XYLEM_EXPORT size_t xylem_memory_marked(const void* start, size_t size) {
  return xylem::mem::marked_pages(start, size);
}
}
