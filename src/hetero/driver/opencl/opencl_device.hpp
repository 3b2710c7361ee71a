// Owns: the OpenCL devices that were found: a context for each platform, two queues for each
// device, so that copies overlap with kernels, and its memory. Part of libxylem-opencl.so, which
// alone links OpenCL.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "hetero/driver/driver.hpp"

// Of OpenCL 2.0; null where the loader is older.
// NOLINTNEXTLINE(readability-identifier-naming): OpenCL's name
extern "C" [[gnu::weak]] cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel kernel,
                                                                     cl_uint number,
                                                                     const void* at);

namespace xylem::hetero::opencl {

// A lock whose waiters sleep by Host::wait(). 0: free; 1: held; 2: held, and somebody may wait.
class QueueLock {
 public:
  void lock();
  void unlock();

 private:
  std::atomic<uint32_t> word_{0};  // acquire by who takes the lock, release by who leaves it
};

struct Device {
  int number = 0;  // from 1, as the program and users know it
  cl_device_id id = nullptr;
  cl_context context = nullptr;
  cl_command_queue copies = nullptr;   // in order
  cl_command_queue kernels = nullptr;  // in order; measures what it runs
  DeviceAbout about;
  // Held while commands are put into the queues, and while an event of theirs is released: PoCL 3.1
  // waits for ever when two threads do so at once. A driver that runs commands as they are put
  // there (PoCL's `basic`) does so under it.
  QueueLock lock;
  // Set once, by whoever is told so by OpenCL. Relaxed: it guards no other memory.
  std::atomic<bool> gone{false};
};

// Once: see Driver::find.
int find_devices(const Host& host, const char* choice);
// Driver::measure
DeviceLinks measure_links(Device& device);
Device& device(int number_from_0);
const Host& host();

MemoryDriver memory_driver(Device& device);

// What an error of OpenCL's means; notes that the device is gone.
int errno_of(Device& device, cl_int error);
// Puts a command into one of the device's queues: put(&event) is the call. `event` is released by
// wait_for().
template <typename Put>
cl_int enqueue(Device& device, cl_command_queue queue, cl_event& event, Put put) {
  device.lock.lock();
  cl_int error = put(&event);
  if (error == CL_SUCCESS) error = clFlush(queue);
  device.lock.unlock();
  return error;
}
// Suspends the caller until the event has come, and releases it. `ns`, if there is one: what the
// command took, of a queue that measures.
int wait_for(Device& device, cl_event event, double* ns = nullptr);
// The same by who holds the device's lock.
int wait_locked(Device& device, cl_event event);

}  // namespace xylem::hetero::opencl
