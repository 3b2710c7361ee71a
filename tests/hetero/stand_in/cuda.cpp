// Owns: a stand-in for libcuda.so.1, the library of NVIDIA's driver: the calls that
// libxylem-cuda.so uses, on processors, for machines without a card.
//
// A device's memory is apart: its addresses are none of the processor's (prelude.hpp), what was
// never copied there is 0xee, and whatever leaves a block is an error. Each stream is a kernel
// thread. A call without a context, or with that of another device, fails as CUDA's does. So do
// calls in a callback.
#include <cuda.h>
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "prelude.hpp"

#undef cuEventElapsedTime  // the plug-in takes the symbol that older drivers have, too

namespace {

using Clock = std::chrono::steady_clock;

// --- what there is -------------------------------------------------------------------------------

size_t setting(const char* word, size_t otherwise) {
  const char* text = std::getenv("XYLEM_STAND_IN_CUDA");
  const char* found = text ? std::strstr(text, (std::string(word) + "=").c_str()) : nullptr;
  if (!found) return otherwise;
  char* end = nullptr;
  const size_t value = std::strtoull(found + std::strlen(word) + 1, &end, 10);
  return *end == 'K' ? value << 10 : *end == 'M' ? value << 20 : value;
}

struct Stream;

struct Device {
  size_t says = setting("memory", size_t{256} << 20);
  size_t has = setting("really", says);
  std::atomic<CUresult> broken{CUDA_SUCCESS};
  std::mutex lock;
  std::map<std::uint64_t, size_t> blocks;
  size_t used = 0;
  std::vector<Stream*> streams;
};

// Never destroyed: streams' threads may outlive what ends at the process's end.
struct Machine {
  std::vector<std::unique_ptr<Device>> devices;
  Machine() {
    for (size_t i = 0; i < setting("devices", 1); ++i)
      devices.push_back(std::make_unique<Device>());
  }
};
Machine& machine() {
  static auto* all = new Machine;
  return *all;
}

std::atomic<int> kernels_left{1 << 30};
std::atomic<int> copies_to_fail{0};
std::atomic<int> peer_copies{0};

// --- contexts ------------------------------------------------------------------------------------

thread_local std::vector<Device*> contexts;
thread_local bool in_callback = false;

CUcontext context_of(Device* device) { return reinterpret_cast<CUcontext>(device); }
Device* device_of(CUcontext context) { return reinterpret_cast<Device*>(context); }

// The current context's device; null, and why.
Device* current(CUresult& error) {
  error = in_callback        ? CUDA_ERROR_NOT_PERMITTED
          : contexts.empty() ? CUDA_ERROR_INVALID_CONTEXT
                             : contexts.back()->broken.load();
  return error == CUDA_SUCCESS ? contexts.back() : nullptr;
}

// --- streams -------------------------------------------------------------------------------------

using Work = std::function<CUresult()>;

struct Stream {
  Device* device;
  std::mutex lock;
  std::condition_variable changed;
  std::deque<std::function<void()>> work;
  bool busy = false;

  explicit Stream(Device* of) : device(of) {
    std::thread([this] { serve(); }).detach();
  }

  void put(std::function<void()> one) {
    const std::lock_guard locked(lock);
    work.push_back(std::move(one));
    changed.notify_all();
  }
  bool is_idle() {
    const std::lock_guard locked(lock);
    return work.empty() && !busy;
  }
  void wait() {
    std::unique_lock locked(lock);
    changed.wait(locked, [this] { return work.empty() && !busy; });
  }
  void serve() {
    std::unique_lock locked(lock);
    for (;;) {
      changed.wait(locked, [this] { return !work.empty(); });
      const std::function<void()> one = std::move(work.front());
      work.pop_front();
      busy = true;
      locked.unlock();
      one();
      locked.lock();
      busy = false;
      changed.notify_all();
    }
  }
};

Stream* stream_of(CUstream stream) { return reinterpret_cast<Stream*>(stream); }

void take_longer() {
  static const size_t delay = setting("delay", 0);
  if (delay > 0) std::this_thread::sleep_for(std::chrono::microseconds(delay));
}

// With the stream's context current. What fails in the stream breaks its device.
CUresult put(CUstream raw, Work work) {
  CUresult error;
  Device* device = current(error);
  if (!device) return error;
  if (stream_of(raw)->device != device) return CUDA_ERROR_INVALID_CONTEXT;
  stream_of(raw)->put([device, work = std::move(work)] {
    if (device->broken.load() != CUDA_SUCCESS) return;
    take_longer();
    if (const CUresult wrong = work()) device->broken.store(wrong);
  });
  return CUDA_SUCCESS;
}

// --- memory --------------------------------------------------------------------------------------

// The processor's address of so many bytes on the device; null: they are in no block of its.
char* bytes_at(Device& device, CUdeviceptr at, size_t count) {
  const std::lock_guard locked(device.lock);
  auto block = device.blocks.upper_bound(at);
  if (block == device.blocks.begin()) return nullptr;
  --block;
  if (at + count > block->first + block->second) return nullptr;
  return reinterpret_cast<char*>(at & ~stand_in::device_bit);
}

bool is_to_fail() {
  int left = copies_to_fail.load();
  while (left > 0 && !copies_to_fail.compare_exchange_weak(left, left - 1)) {
  }
  return left > 0;
}

// Puts a copy of rows; addresses of the device's side are checked now, the bytes are read later.
CUresult copy(CUstream stream, const char* from, size_t from_step, char* to, size_t to_step,
              size_t bytes, size_t rows) {
  if (!from || !to) return CUDA_ERROR_INVALID_VALUE;
  if (is_to_fail()) return CUDA_ERROR_INVALID_VALUE;
  return put(stream, [=] {
    for (size_t row = 0; row < rows; ++row)
      std::memcpy(to + row * to_step, from + row * from_step, bytes);
    return CUDA_SUCCESS;
  });
}

// --- events, modules -----------------------------------------------------------------------------

struct Event {
  std::mutex lock;
  std::condition_variable changed;
  int asked = 0;  // records that were put into streams
  int came = 0;
  Clock::time_point at;
};
using SharedEvent = std::shared_ptr<Event>;
const SharedEvent& event_of(CUevent event) { return *reinterpret_cast<SharedEvent*>(event); }

// Bytes of an ELF file that begins there.
size_t elf_bytes(const void* image) {
  const auto& header = *static_cast<const Elf64_Ehdr*>(image);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return 0;
  return header.e_shoff + size_t{header.e_shentsize} * header.e_shnum;
}

}  // namespace

extern "C" {

// --- what tests tell -----------------------------------------------------------------------------

void stand_in_lose_after(int kernels) { kernels_left = kernels; }
void stand_in_fail_copies(int copies) { copies_to_fail = copies; }
int stand_in_peer_copies() { return peer_copies; }
int stand_in_lost() {
  int lost = 0;
  for (const auto& device : machine().devices) lost += device->broken.load() != CUDA_SUCCESS;
  return lost;
}

// --- devices -------------------------------------------------------------------------------------

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult cuDeviceGetCount(int* count) {
  *count = static_cast<int>(machine().devices.size());
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) { return *device = ordinal, CUDA_SUCCESS; }
CUresult cuDeviceGetName(char* name, int room, CUdevice) {
  std::snprintf(name, static_cast<size_t>(room), "stand-in");
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetPCIBusId(char* text, int room, CUdevice device) {
  std::snprintf(text, static_cast<size_t>(room), "0000:%02X:00.0", 0xA0 + device);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute what, CUdevice) {
  static const bool integrated = setting("integrated", 0) != 0;
  const bool asked =
      what == CU_DEVICE_ATTRIBUTE_INTEGRATED || what == CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS;
  *value = what == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9 : asked && integrated ? 1 : 0;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult error, const char** name) {
  static const std::map<CUresult, const char*> names = {
      {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
      {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE"},
      {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
      {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"}};
  const auto found = names.find(error);
  if (found == names.end()) return CUDA_ERROR_INVALID_VALUE;
  return *name = found->second, CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  *context = context_of(machine().devices[static_cast<size_t>(device)].get());
  return CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent(CUcontext context) {
  if (in_callback) return CUDA_ERROR_NOT_PERMITTED;
  contexts.push_back(device_of(context));
  return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent(CUcontext* context) {
  if (contexts.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  *context = context_of(contexts.back());
  contexts.pop_back();
  return CUDA_SUCCESS;
}

// --- memory --------------------------------------------------------------------------------------

CUresult cuMemGetInfo(size_t* available, size_t* all) {
  CUresult error;
  Device* device = current(error);
  if (!device) return error;
  *available = *all = device->says;
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr* at, size_t bytes) {
  CUresult error;
  Device* device = current(error);
  if (!device) return error;
  const std::lock_guard locked(device->lock);
  if (device->used + bytes > device->has) return CUDA_ERROR_OUT_OF_MEMORY;
  void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(memory, 0xee, bytes);
  *at = reinterpret_cast<std::uint64_t>(memory) | stand_in::device_bit;
  device->blocks[*at] = bytes;
  device->used += bytes;
  return CUDA_SUCCESS;
}

CUresult cuMemFree(CUdeviceptr at) {
  CUresult error;
  Device* device = current(error);
  if (!device) return error;
  for (Stream* stream : device->streams) stream->wait();
  const std::lock_guard locked(device->lock);
  const auto block = device->blocks.find(at);
  if (block == device->blocks.end()) return CUDA_ERROR_INVALID_VALUE;
  device->used -= block->second;
  std::memset(reinterpret_cast<void*>(at & ~stand_in::device_bit), 0xdd, block->second);
  std::free(reinterpret_cast<void*>(at & ~stand_in::device_bit));
  device->blocks.erase(block);
  return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  CUresult error;
  Device* device = current(error);
  if (!device) return error;
  return copy(stream, static_cast<const char*>(from), 0, bytes_at(*device, to, bytes), 0, bytes, 1);
}

CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  CUresult error;
  Device* device = current(error);
  if (!device) return error;
  return copy(stream, bytes_at(*device, from, bytes), 0, static_cast<char*>(to), 0, bytes, 1);
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* rows, CUstream stream) {
  CUresult error;
  Device* device = current(error);
  if (!device) return error;
  if (rows->srcPitch < rows->WidthInBytes || rows->dstPitch < rows->WidthInBytes)
    return CUDA_ERROR_INVALID_VALUE;
  const auto extent = [&](size_t pitch) { return pitch * (rows->Height - 1) + rows->WidthInBytes; };
  const bool in = rows->dstMemoryType == CU_MEMORYTYPE_DEVICE;
  const char* from = in ? static_cast<const char*>(rows->srcHost)
                        : bytes_at(*device, rows->srcDevice, extent(rows->srcPitch));
  char* to = in ? bytes_at(*device, rows->dstDevice, extent(rows->dstPitch))
                : static_cast<char*>(rows->dstHost);
  return copy(stream, from, rows->srcPitch, to, rows->dstPitch, rows->WidthInBytes, rows->Height);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext target, CUdeviceptr from, CUcontext source,
                           size_t bytes, CUstream stream) {
  if (const CUresult error = device_of(source)->broken.load()) return error;
  ++peer_copies;
  return copy(stream, bytes_at(*device_of(source), from, bytes), 0,
              bytes_at(*device_of(target), to, bytes), 0, bytes, 1);
}

CUresult cuMemsetD32Async(CUdeviceptr at, unsigned value, size_t count, CUstream stream) {
  CUresult error;
  Device* device = current(error);
  if (!device) return error;
  char* to = bytes_at(*device, at, count * sizeof value);
  if (!to) return CUDA_ERROR_INVALID_VALUE;
  return put(stream, [=] {
    for (size_t i = 0; i < count; ++i) std::memcpy(to + i * sizeof value, &value, sizeof value);
    return CUDA_SUCCESS;
  });
}

// --- streams and events --------------------------------------------------------------------------

CUresult cuStreamCreate(CUstream* stream, unsigned) {
  CUresult error;
  Device* device = current(error);
  if (!device) return error;
  auto* made = new Stream(device);
  device->streams.push_back(made);
  *stream = reinterpret_cast<CUstream>(made);
  return CUDA_SUCCESS;
}
CUresult cuStreamQuery(CUstream stream) {
  CUresult error;
  if (!current(error)) return error;
  return stream_of(stream)->is_idle() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}
CUresult cuStreamSynchronize(CUstream stream) {
  CUresult error;
  if (!current(error)) return error;
  stream_of(stream)->wait();
  current(error);
  return error;
}
CUresult cuStreamAddCallback(CUstream raw, CUstreamCallback callback, void* data, unsigned) {
  CUresult error;
  if (!current(error)) return error;
  Stream* stream = stream_of(raw);
  stream->put([=] {
    in_callback = true;
    callback(raw, stream->device->broken.load(), data);
    in_callback = false;
  });
  return CUDA_SUCCESS;
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent raw, unsigned) {
  CUresult error;
  if (!current(error)) return error;
  const SharedEvent event = event_of(raw);
  const std::lock_guard locked(event->lock);
  stream_of(stream)->put([event, until = event->asked] {
    std::unique_lock waiting(event->lock);
    event->changed.wait(waiting, [&] { return event->came >= until; });
  });
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent* event, unsigned) {
  CUresult error;
  if (!current(error)) return error;
  *event = reinterpret_cast<CUevent>(new SharedEvent(std::make_shared<Event>()));
  return CUDA_SUCCESS;
}
CUresult cuEventDestroy(CUevent event) {
  delete reinterpret_cast<SharedEvent*>(event);
  return CUDA_SUCCESS;
}
// Comes on a broken device, too, so that nothing waits for ever.
CUresult cuEventRecord(CUevent raw, CUstream stream) {
  CUresult error;
  if (!current(error)) return error;
  const SharedEvent event = event_of(raw);
  const std::lock_guard locked(event->lock);
  ++event->asked;
  stream_of(stream)->put([event] {
    const std::lock_guard coming(event->lock);
    event->at = Clock::now();
    ++event->came;
    event->changed.notify_all();
  });
  return CUDA_SUCCESS;
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent from, CUevent to) {
  CUresult error;
  if (!current(error)) return error;
  *milliseconds =
      std::chrono::duration<float, std::milli>(event_of(to)->at - event_of(from)->at).count();
  return CUDA_SUCCESS;
}

// --- kernels -------------------------------------------------------------------------------------

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  CUresult error;
  if (!current(error)) return error;
  const size_t bytes = elf_bytes(image);
  const int file = bytes > 0 ? memfd_create("kernels", MFD_CLOEXEC) : -1;
  if (file < 0) return CUDA_ERROR_INVALID_IMAGE;
  const bool whole = write(file, image, bytes) == static_cast<ssize_t>(bytes);
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  void* loaded = whole ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  // The descriptor stays open: the loader knows objects by their paths.
  *module = static_cast<CUmodule>(loaded);
  return loaded && dlsym(loaded, "stand_in_kernels") ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  const auto* kernel = static_cast<const stand_in::Kernel*>(dlsym(module, "stand_in_kernels"));
  while (kernel->name && std::strcmp(kernel->name, name) != 0) ++kernel;
  if (!kernel->name) return CUDA_ERROR_NOT_FOUND;
  *function = reinterpret_cast<CUfunction>(const_cast<stand_in::Kernel*>(kernel));
  return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t number, size_t* offset, size_t* bytes) {
  const auto& kernel = *reinterpret_cast<const stand_in::Kernel*>(function);
  if (number >= static_cast<size_t>(kernel.count)) return CUDA_ERROR_INVALID_VALUE;
  *offset = 0;
  *bytes = kernel.bytes[number];
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned, CUstream stream, void** parameters,
                        void**) {
  CUresult error;
  Device* device = current(error);
  if (!device) return error;
  const bool sizes =
      gx > 0 && gy > 0 && gz > 0 && bx > 0 && by > 0 && bz > 0 && size_t{bx} * by * bz <= 1024;
  if (!sizes) return CUDA_ERROR_INVALID_VALUE;
  static const bool midway = setting("midway", 0) != 0;
  const bool goes = kernels_left.fetch_sub(1) == 0;
  if (goes && !midway) {
    device->broken.store(CUDA_ERROR_DEVICE_UNAVAILABLE);
    return CUDA_ERROR_DEVICE_UNAVAILABLE;
  }
  const auto& kernel = *reinterpret_cast<const stand_in::Kernel*>(function);
  std::vector<std::vector<char>> values;
  for (int i = 0; i < kernel.count; ++i) {
    const char* value = static_cast<const char*>(parameters[i]);
    values.emplace_back(value, value + kernel.bytes[i]);
  }
  return put(stream, [&kernel, values, goes,
                      grid = stand_in::Grid{{gx, gy, gz}, {bx, by, bz}}]() mutable {
    std::vector<void*> at;
    for (std::vector<char>& value : values) at.push_back(value.data());
    const bool ran = kernel.run(at.data(), grid);
    return goes ? CUDA_ERROR_DEVICE_UNAVAILABLE : ran ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS;
  });
}

}  // extern "C"
