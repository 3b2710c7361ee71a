// Owns: the front door of codelets: what abi/ calls once it has decoded a call of the program's.
// Each function answers 0 or an errno, as include/xylem/codelet.h says.
#pragma once

#include <vector>

#include "hetero/data/filter.hpp"
#include "hetero/tasks/handle.hpp"

namespace xylem::hetero {

int submit(const xylem_codelet& codelet, const xylem_task_options& options, Task** task);

int unregister(Handle* handle);
int unregister_later(Handle& handle);
int invalidate(Handle& handle);
int prefetch(Handle& handle, int executor);

// Cuts by a cut, or as `make` says, which fills `parts` from the piece in main memory.
int partition(Handle& handle, const Cut& cut);
int partition_by(Handle& handle, int parts, int (*make)(const xylem_view*, int, xylem_view*, void*),
                 void* argument);
int unpartition(Handle& handle);

}  // namespace xylem::hetero
