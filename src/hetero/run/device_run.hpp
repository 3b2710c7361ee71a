// Owns: running tasks on a device. The thread that is the device's executor keeps two under way:
// the data of one is brought, and it is launched, while the other's kernel runs.
#pragma once

#include "hetero/run/execute.hpp"

namespace xylem::hetero {

// Runs tasks that take(executor) gives until there is none. False: there was none. By the thread
// that is the executor, which is a device's. `measured`: models learn from it.
bool serve_device(Runner runner, bool measured, Task* (*take)(int executor));

}  // namespace xylem::hetero
