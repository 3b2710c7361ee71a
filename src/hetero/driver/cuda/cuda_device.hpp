// Owns: the CUDA devices that were found: of each its primary context, which it shares with the
// program's own use of the device (cuBLAS, the runtime API), four streams and its memory. Part of
// libxylem-cuda.so, which alone links the driver's library, libcuda.so.1.
//
// Invariant: a context is current on a kernel thread only inside a Current, and no Current is held
// while a thread waits: another kernel thread may go on with it.
#pragma once

#include <cuda.h>

#include <map>
#include <mutex>
#include <vector>

#include "hetero/driver/driver.hpp"

// These stand for symbols that older drivers do not have, though their arguments are the same.
#undef cuEventElapsedTime
// NOLINTNEXTLINE(readability-identifier-naming): the driver's name
extern "C" CUresult CUDAAPI cuEventElapsedTime(float* milliseconds, CUevent begin, CUevent end);
// Drivers before 12.4 do not have it: null there.
extern "C" [[gnu::weak]] CUresult CUDAAPI cuFuncGetParamInfo(CUfunction function, size_t number,
                                                             size_t* offset, size_t* bytes);

namespace xylem::hetero::cuda {

struct Device {
  int number = 0;  // from 1, as the program and users know it
  CUdevice id = 0;
  CUcontext context = nullptr;
  CUstream in = nullptr;       // copies to the device
  CUstream out = nullptr;      // copies from it
  CUstream kernels = nullptr;  // in order
  CUstream ends = nullptr;     // tells of kernels' ends, so that `kernels` waits for no callback
  int capability = 0;          // 90: code for sm_90
  DeviceAbout about;
  // Set once, by whoever is told so by CUDA. Relaxed: it guards no other memory.
  std::atomic<bool> gone{false};
  // By who begins and ends kernels, one thread at a time: how many are under way, and whether one
  // was told to have destroyed the context, of which all that is asked afterwards has the error.
  int running = 0;
  bool blamed = false;
  // Blocks that were released, by their bytes: cuMemFree waits until the device has nothing to do.
  std::mutex lock;  // never held while a thread waits for the device
  std::multimap<size_t, CUdeviceptr> spare;
  std::map<CUdeviceptr, size_t> blocks;  // all, with their bytes
};

// Makes the device's context current on this kernel thread, and what was current before again at
// its end.
class Current {
 public:
  explicit Current(const Device& device) : error_(cuCtxPushCurrent(device.context)) {}
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  ~Current() {
    CUcontext ours = nullptr;
    if (error_ == CUDA_SUCCESS) cuCtxPopCurrent(&ours);
  }
  CUresult error() const { return error_; }

 private:
  CUresult error_;
};

// Once: see Driver::find.
int find_devices(const Host& host, const char* choice);
// Driver::measure
DeviceLinks measure_links(Device& device);
Device& device(int number_from_0);
const Host& host();

MemoryDriver memory_driver(Device& device);

// "CUDA_ERROR_ILLEGAL_ADDRESS".
const char* name_of(CUresult error);
// A kernel's own fault, after which its device's context is of no use.
bool is_fault(CUresult error);
// What an error of CUDA's means; notes that the device is gone.
int errno_of(Device& device, CUresult error);

// The end of what was put into a stream.
struct End {
  std::atomic<uint32_t> came{0};  // release by CUDA's thread, acquire by who waits
  CUresult error = CUDA_SUCCESS;  // what came with it
};
// With the context current: the end of all that is in the stream now will come to `end`, which
// lives until then, unless this fails.
CUresult expect_end(CUstream stream, End& end);
// Suspends the caller until the end has come. Called without a Current.
CUresult wait_for(End& end);
// The same for all that is in the stream now.
CUresult wait_for(Device& device, CUstream stream);

}  // namespace xylem::hetero::cuda
