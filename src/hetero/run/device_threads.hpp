// Owns: a kernel thread for each device, which is the device's executor. A worker would not do: the
// device would wait, whenever it has ended something, until the worker has ended its task. It runs
// on the processors that are near the device.
#pragma once

namespace xylem::hetero {

// All by the crew's kernel thread. The threads call body(device), with numbers from 1, and wait
// for the next time when it returns. They are started when they are first needed.
void begin_device_threads(void (*body)(int device));
// Returns when all bodies have.
void wait_for_device_threads();
// The threads end. Between the two above.
void end_device_threads();
// A forked child has none.
void forget_device_threads_in_child();

}  // namespace xylem::hetero
