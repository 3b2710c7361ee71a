// Owns: blocks of memory on OpenCL devices, and copies. A block is a cl_mem.
#include <algorithm>
#include <cerrno>

#include "hetero/driver/opencl/opencl_device.hpp"

namespace xylem::hetero::opencl {

namespace {

Device& device_of(void* raw) { return *static_cast<Device*>(raw); }
cl_mem block_of(const Location& location) { return static_cast<cl_mem>(location.memory); }

// A step that no second row uses may be anything in shapes, but not in OpenCL.
size_t row_step(const Span& span, const Side& side) {
  return span.rows > 1 ? side.row_step : span.bytes;
}

// A plane of rows, as OpenCL's calls want it: (bytes in a row, rows, planes).
struct Plane {
  Plane(const Span& span, const Side& on_device)
      : extent{span.bytes, span.rows, 1},
        origin{on_device.at.offset % row_step(span, on_device),
               on_device.at.offset / row_step(span, on_device), 0} {}
  size_t extent[3];
  size_t origin[3];  // in the block
  size_t zero[3] = {0, 0, 0};
};

Side at_plane(const Side& side, size_t plane) {
  Side at = side;
  at.at.offset += plane * side.plane_step;
  return at;
}

// Calls move(span) for each plane until one fails.
template <typename Move>
int each_plane(const Span& span, Move move) {
  for (size_t plane = 0; plane < span.planes; ++plane) {
    const Span one{at_plane(span.from, plane), at_plane(span.to, plane), span.bytes, span.rows, 1};
    if (const int error = move(one)) return error;
  }
  return 0;
}

char* address_of(const Side& side) { return static_cast<char*>(side.at.memory) + side.at.offset; }

void* allocate(void* raw, size_t bytes) {
  cl_int error = CL_SUCCESS;
  cl_mem block = clCreateBuffer(device_of(raw).context, CL_MEM_READ_WRITE,
                                std::max<size_t>(bytes, 1), nullptr, &error);
  return error == CL_SUCCESS ? block : nullptr;
}

void release(void* raw, void* memory) {
  Device& device = device_of(raw);
  device.lock.lock();
  clReleaseMemObject(static_cast<cl_mem>(memory));
  device.lock.unlock();
}

template <typename Put>
int run(Device& device, Put put) {
  cl_event event = nullptr;
  const cl_int error = enqueue(device, device.copies, event, put);
  return error == CL_SUCCESS ? wait_for(device, event) : errno_of(device, error);
}

int write_plane(Device& device, const Span& span) {
  const Plane plane(span, span.to);
  return run(device, [&](cl_event* event) {
    return clEnqueueWriteBufferRect(device.copies, block_of(span.to.at), CL_FALSE, plane.origin,
                                    plane.zero, plane.extent, row_step(span, span.to), 0,
                                    row_step(span, span.from), 0, address_of(span.from), 0, nullptr,
                                    event);
  });
}

int write(void* raw, const Span& span) {
  Device& device = device_of(raw);
  if (!span.is_one_row())
    return each_plane(span, [&](const Span& plane) { return write_plane(device, plane); });
  return run(device, [&](cl_event* event) {
    return clEnqueueWriteBuffer(device.copies, block_of(span.to.at), CL_FALSE, span.to.at.offset,
                                span.bytes, address_of(span.from), 0, nullptr, event);
  });
}

int read_plane(Device& device, const Span& span) {
  const Plane plane(span, span.from);
  return run(device, [&](cl_event* event) {
    return clEnqueueReadBufferRect(device.copies, block_of(span.from.at), CL_FALSE, plane.origin,
                                   plane.zero, plane.extent, row_step(span, span.from), 0,
                                   row_step(span, span.to), 0, address_of(span.to), 0, nullptr,
                                   event);
  });
}

int read(void* raw, const Span& span) {
  Device& device = device_of(raw);
  if (!span.is_one_row())
    return each_plane(span, [&](const Span& plane) { return read_plane(device, plane); });
  return run(device, [&](cl_event* event) {
    return clEnqueueReadBuffer(device.copies, block_of(span.from.at), CL_FALSE, span.from.at.offset,
                               span.bytes, address_of(span.to), 0, nullptr, event);
  });
}

// On devices pieces are dense, so one row is all there is. The source's lock is held, too, until
// the copy is done: a command that still ran on its block would start the copy when it ends, under
// no lock of the target's. Locks are taken in the order of devices.
int copy(void* from, void* to, const Span& span) {
  Device& source = device_of(from);
  Device& target = device_of(to);
  if (!span.is_one_row()) return EINVAL;
  Device& first = source.number < target.number ? source : target;
  Device& second = source.number < target.number ? target : source;
  first.lock.lock();
  second.lock.lock();
  cl_event event = nullptr;
  cl_int error =
      clEnqueueCopyBuffer(target.copies, block_of(span.from.at), block_of(span.to.at),
                          span.from.at.offset, span.to.at.offset, span.bytes, 0, nullptr, &event);
  if (error == CL_SUCCESS) error = clFlush(target.copies);
  const int result = error == CL_SUCCESS ? wait_locked(target, event) : errno_of(target, error);
  second.lock.unlock();
  first.lock.unlock();
  return result;
}

bool gone(void* raw) {
  return device_of(raw).gone.load(std::memory_order_relaxed);  // relaxed: see Device::gone
}

}  // namespace

MemoryDriver memory_driver(Device& device) {
  return {&device, allocate, release, write, read, copy, gone};
}

}  // namespace xylem::hetero::opencl
