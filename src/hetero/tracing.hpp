// Owns: what this layer tells the trace. Sites call these by trace::emit<>, never by themselves:
// they run only while tracing.
#pragma once

#include <cstddef>

#include "trace/emit.hpp"
#include "xylem/codelet.h"

namespace xylem::hetero::traced {

// By the thread that runs the codelet on a processor.
[[gnu::cold]] void codelet_begin(int executor, const xylem_codelet& codelet);
[[gnu::cold]] void codelet_end(int executor);
// By the thread that is the device's executor: a kernel was handed over, or has ended.
[[gnu::cold]] void kernel_begin(int device, const xylem_codelet& codelet);
[[gnu::cold]] void kernel_end(int device);
// By the thread that waits for the copy between two memory nodes.
[[gnu::cold]] void copy_begin(int from, int to, size_t bytes);
[[gnu::cold]] void copy_end(int from, int to);
// By who holds the lock of the device's memory node: how much of it data takes from now on.
[[gnu::cold]] void device_memory(int device, const char* name, int level, size_t used,
                                 size_t capacity);

}  // namespace xylem::hetero::traced
