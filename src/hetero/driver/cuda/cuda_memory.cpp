// Owns: blocks of memory on CUDA devices, and copies. A block's handle is its address there.
//
// A copy is put into a stream and its end awaited, so that the worker runs others meanwhile. CUDA
// itself reads memory that is not page-locked before the call returns.
#include <algorithm>
#include <cerrno>

#include "hetero/driver/cuda/cuda_device.hpp"

namespace xylem::hetero::cuda {

namespace {

Device& device_of(void* raw) { return *static_cast<Device*>(raw); }
CUdeviceptr address_of(const void* memory) { return reinterpret_cast<CUdeviceptr>(memory); }
CUdeviceptr on_device(const Side& side) { return address_of(side.at.memory) + side.at.offset; }
char* on_host(const Side& side) { return static_cast<char*>(side.at.memory) + side.at.offset; }

// --- blocks --------------------------------------------------------------------------------------

// Null: there is none of so many bytes.
CUdeviceptr take_spare(Device& device, size_t bytes) {
  const std::lock_guard locked(device.lock);
  const auto block = device.spare.find(bytes);
  if (block == device.spare.end()) return 0;
  const CUdeviceptr memory = block->second;
  device.spare.erase(block);
  return memory;
}

// With the context current. False: there was none.
bool free_spares(Device& device) {
  std::multimap<size_t, CUdeviceptr> spare;
  {
    const std::lock_guard locked(device.lock);
    spare.swap(device.spare);
    for (const auto& [bytes, memory] : spare) device.blocks.erase(memory);
  }
  for (const auto& [bytes, memory] : spare) cuMemFree(memory);
  return !spare.empty();
}

CUdeviceptr allocate_new(Device& device, size_t bytes) {
  const Current current(device);
  CUdeviceptr memory = 0;
  CUresult error = cuMemAlloc(&memory, bytes);
  if (error == CUDA_ERROR_OUT_OF_MEMORY && free_spares(device)) error = cuMemAlloc(&memory, bytes);
  if (error != CUDA_SUCCESS) return errno_of(device, error), 0;
  const std::lock_guard locked(device.lock);
  device.blocks[memory] = bytes;
  return memory;
}

void* allocate(void* raw, size_t wanted) {
  Device& device = device_of(raw);
  const size_t bytes = std::max<size_t>(wanted, 1);
  CUdeviceptr memory = take_spare(device, bytes);
  if (memory == 0) memory = allocate_new(device, bytes);
  return reinterpret_cast<void*>(memory);
}

void release(void* raw, void* memory) {
  Device& device = device_of(raw);
  const std::lock_guard locked(device.lock);
  const auto block = device.blocks.find(address_of(memory));
  device.spare.emplace(block->second, block->first);
}

// --- copies --------------------------------------------------------------------------------------

enum class Way { in, out };

CUresult put_row(const Span& span, Way way, CUstream stream) {
  if (way == Way::in)
    return cuMemcpyHtoDAsync(on_device(span.to), on_host(span.from), span.bytes, stream);
  return cuMemcpyDtoHAsync(on_host(span.to), on_device(span.from), span.bytes, stream);
}

CUresult put_rows(const Span& span, Way way, CUstream stream) {
  CUDA_MEMCPY2D rows{};
  rows.WidthInBytes = span.bytes;
  rows.Height = span.rows;
  rows.srcPitch = span.from.row_step;
  rows.dstPitch = span.to.row_step;
  if (way == Way::in) {
    rows.srcMemoryType = CU_MEMORYTYPE_HOST;
    rows.srcHost = on_host(span.from);
    rows.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    rows.dstDevice = on_device(span.to);
  } else {
    rows.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    rows.srcDevice = on_device(span.from);
    rows.dstMemoryType = CU_MEMORYTYPE_HOST;
    rows.dstHost = on_host(span.to);
  }
  return cuMemcpy2DAsync(&rows, stream);
}

Span plane_of(const Span& span, size_t number) {
  Span plane = span;
  plane.planes = 1;
  plane.from.at.offset += number * span.from.plane_step;
  plane.to.at.offset += number * span.to.plane_step;
  return plane;
}

// Planes one by one: CUDA's boxes have whole rows between planes, pieces need not.
CUresult put(const Span& span, Way way, CUstream stream) {
  CUresult error = CUDA_SUCCESS;
  for (size_t number = 0; number < span.planes && error == CUDA_SUCCESS; ++number) {
    const Span plane = plane_of(span, number);
    error = plane.rows == 1 ? put_row(plane, way, stream) : put_rows(plane, way, stream);
  }
  return error;
}

// Waits for what was put there even if some could not be: the memory may go afterwards.
int run(Device& device, const Span& span, Way way) {
  CUstream stream = way == Way::in ? device.in : device.out;
  CUresult error;
  {
    const Current current(device);
    error = current.error() == CUDA_SUCCESS ? put(span, way, stream) : current.error();
  }
  const CUresult ended = wait_for(device, stream);
  return errno_of(device, error != CUDA_SUCCESS ? error : ended);
}

int write(void* raw, const Span& span) { return run(device_of(raw), span, Way::in); }
int read(void* raw, const Span& span) { return run(device_of(raw), span, Way::out); }

// On devices pieces are dense, so one row is all there is. An error does not say whose it is: the
// runtime asks both devices.
int copy(void* from, void* to, const Span& span) {
  Device& source = device_of(from);
  Device& target = device_of(to);
  if (!span.is_one_row()) return EINVAL;
  CUresult error;
  {
    const Current current(target);
    error = current.error() == CUDA_SUCCESS
                ? cuMemcpyPeerAsync(on_device(span.to), target.context, on_device(span.from),
                                    source.context, span.bytes, target.in)
                : current.error();
  }
  const CUresult ended = wait_for(target, target.in);
  if (error == CUDA_SUCCESS) error = ended;
  if (error == CUDA_SUCCESS) return 0;
  // Whose error it is, their own streams know.
  errno_of(source, wait_for(source, source.out));
  return source.gone.load(std::memory_order_relaxed) ? ENODEV : errno_of(target, error);
}

bool gone(void* raw) {
  return device_of(raw).gone.load(std::memory_order_relaxed);  // relaxed: see Device::gone
}

}  // namespace

MemoryDriver memory_driver(Device& device) {
  return {&device, allocate, release, write, read, copy, gone};
}

}  // namespace xylem::hetero::cuda
