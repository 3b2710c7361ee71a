// Owns: finding devices. See opencl_device.hpp.
#include "hetero/driver/opencl/opencl_device.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "hetero/driver/measure_link.hpp"

namespace xylem::hetero::opencl {

namespace {

// They live as long as the process: OpenCL's own threads may outlive what ends at its end.
struct Found {
  Host host;
  std::vector<std::unique_ptr<Device>> devices;
};
Found& found() {
  static auto* all = new Found;
  return *all;
}

struct Candidate {
  int group;  // its platform
  cl_platform_id platform;
  cl_device_id id;
};

// The extension cl_khr_pci_bus_info, which headers of version 1.2 do not have.
constexpr cl_device_info pci_bus_info = 0x410F;
struct PciBusInfo {
  cl_uint domain;
  cl_uint bus;
  cl_uint device;
  cl_uint function;
};

// DeviceAbout::pci; "" where the device does not tell.
std::array<char, 16> pci_of(cl_device_id id) {
  std::array<char, 16> text{};
  PciBusInfo at{};
  if (clGetDeviceInfo(id, pci_bus_info, sizeof at, &at, nullptr) == CL_SUCCESS)
    std::snprintf(text.data(), text.size(), "%04x:%02x:%02x.%x", at.domain & 0xffff, at.bus & 0xff,
                  at.device & 0xff, at.function & 0xf);
  return text;
}

std::vector<Candidate> candidates(cl_device_type types) {
  cl_platform_id platforms[most_nodes];
  cl_uint platform_count = 0;
  std::vector<Candidate> all;
  if (clGetPlatformIDs(most_nodes, platforms, &platform_count) != CL_SUCCESS) return all;
  platform_count = std::min<cl_uint>(platform_count, most_nodes);
  for (cl_uint platform = 0; platform < platform_count; ++platform) {
    cl_device_id ids[most_nodes];
    cl_uint count = 0;
    if (clGetDeviceIDs(platforms[platform], types, most_nodes, ids, &count) != CL_SUCCESS) continue;
    for (cl_uint i = 0; i < std::min<cl_uint>(count, most_nodes); ++i)
      if (!host().taken(pci_of(ids[i]).data()))
        all.push_back({static_cast<int>(platform), platforms[platform], ids[i]});
  }
  return all;
}

// Those whose numbers stand in a text such as "0,2".
std::vector<Candidate> chosen(const std::vector<Candidate>& all, std::string_view numbers) {
  std::vector<Candidate> some;
  size_t number = 0;
  const auto add = [&] {
    if (number < all.size()) some.push_back(all[number]);
    number = 0;
  };
  for (const char letter : numbers) {
    if (letter == ',')
      add();
    else
      number = 10 * number + static_cast<size_t>(letter - '0');
  }
  add();
  return some;
}

std::vector<Candidate> asked_for(std::string_view choice) {
  if (choice == "auto") return candidates(CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR);
  const std::vector<Candidate> all = candidates(CL_DEVICE_TYPE_ALL);
  return choice == "all" ? all : chosen(all, choice);
}

// --- opening -------------------------------------------------------------------------------------

template <typename Value>
Value info(cl_device_id id, cl_device_info what) {
  Value value{};
  clGetDeviceInfo(id, what, sizeof value, &value, nullptr);
  return value;
}

// Headers of version 1.2 do not have it: what of the process's memory the device reaches by
// addresses.
constexpr cl_device_info svm_capabilities = 0x1053;
constexpr cl_bitfield fine_grain_system = 1u << 2;  // all of it

// Kernels of a processor run in this process: they reach what it reaches, whether the driver says
// so or not.
bool shares_main(cl_device_id id) {
  if (!clSetKernelArgSVMPointer || info<cl_bool>(id, CL_DEVICE_HOST_UNIFIED_MEMORY) == CL_FALSE)
    return false;
  const auto capabilities = info<cl_bitfield>(id, svm_capabilities);
  const bool processor = (info<cl_device_type>(id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
  return (capabilities & fine_grain_system) != 0 || (processor && capabilities != 0);
}

void fill_about(Device& device, const Candidate& candidate) {
  device.id = candidate.id;
  clGetDeviceInfo(device.id, CL_DEVICE_NAME, device.about.name.size() - 1, device.about.name.data(),
                  nullptr);
  device.about.memory_bytes = info<cl_ulong>(device.id, CL_DEVICE_GLOBAL_MEM_SIZE);
  device.about.largest_bytes = info<cl_ulong>(device.id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  device.about.group = candidate.group;
  device.about.pci = pci_of(device.id);
  device.about.shares_main = shares_main(device.id);
}

bool open_queues(Device& device) {
  cl_int error = CL_SUCCESS;
  device.copies = clCreateCommandQueue(device.context, device.id, 0, &error);
  if (error != CL_SUCCESS) return false;
  device.kernels =
      clCreateCommandQueue(device.context, device.id, CL_QUEUE_PROFILING_ENABLE, &error);
  return error == CL_SUCCESS;
}

// The devices of one platform share a context, so that they copy to each other.
void open_platform(const std::vector<Candidate>& all, int group) {
  std::vector<cl_device_id> ids;
  cl_platform_id platform = nullptr;
  for (const Candidate& candidate : all) {
    if (candidate.group != group) continue;
    ids.push_back(candidate.id);
    platform = candidate.platform;
  }
  if (ids.empty()) return;
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(platform), 0};
  cl_int error = CL_SUCCESS;
  cl_context context = clCreateContext(properties, static_cast<cl_uint>(ids.size()), ids.data(),
                                       nullptr, nullptr, &error);
  if (error != CL_SUCCESS) return;
  for (const Candidate& candidate : all) {
    if (candidate.group != group) continue;
    auto device = std::make_unique<Device>();
    fill_about(*device, candidate);
    device->context = context;
    if (!open_queues(*device)) continue;
    found().devices.push_back(std::move(device));
    found().devices.back()->number =
        host().first_number + static_cast<int>(found().devices.size()) - 1;
  }
}

void on_end(cl_event, cl_int, void* raw) {
  auto& ended = *static_cast<std::atomic<uint32_t>*>(raw);
  ended.store(1, std::memory_order_release);  // pairs with the acquire in wait_for(): it may go
  host().wake(&ended);
}

}  // namespace

int find_devices(const Host& given, const char* choice) {
  found().host = given;
  const std::vector<Candidate> all = asked_for(choice);
  for (int group = 0; group < most_nodes; ++group) open_platform(all, group);
  return static_cast<int>(found().devices.size());
}

Device& device(int number_from_0) { return *found().devices[static_cast<size_t>(number_from_0)]; }

const Host& host() { return found().host; }

int errno_of(Device& device, cl_int error) {
  switch (error) {
    case CL_SUCCESS:
      return 0;
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_INVALID_CONTEXT:
    case CL_INVALID_COMMAND_QUEUE:
      device.gone.store(true, std::memory_order_relaxed);
      return ENODEV;
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
      return ENOMEM;
    default:
      return EIO;
  }
}

DeviceLinks measure_links(Device& device) {
  std::vector<char> bytes(many_bytes);
  cl_int error = CL_SUCCESS;
  cl_mem memory = clCreateBuffer(device.context, CL_MEM_READ_WRITE, bytes.size(), nullptr, &error);
  if (error != CL_SUCCESS) return {estimated_link, estimated_link};
  const DeviceLinks links = {
      measure_link([&](size_t count) {
        return clEnqueueWriteBuffer(device.copies, memory, CL_TRUE, 0, count, bytes.data(), 0,
                                    nullptr, nullptr) == CL_SUCCESS;
      }),
      measure_link([&](size_t count) {
        return clEnqueueReadBuffer(device.copies, memory, CL_TRUE, 0, count, bytes.data(), 0,
                                   nullptr, nullptr) == CL_SUCCESS;
      })};
  clReleaseMemObject(memory);
  return links;
}

void QueueLock::lock() {
  uint32_t free = 0;
  if (word_.compare_exchange_strong(free, 1, std::memory_order_acquire, std::memory_order_relaxed))
    return;
  while (word_.exchange(2, std::memory_order_acquire) != 0) host().wait(&word_, 2);
}

void QueueLock::unlock() {
  if (word_.exchange(0, std::memory_order_release) == 2) host().wake(&word_);
}

namespace {

double nanoseconds_of(cl_event event) {
  cl_ulong began = 0;
  cl_ulong ended = 0;
  clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof began, &began, nullptr);
  clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof ended, &ended, nullptr);
  return ended > began ? static_cast<double>(ended - began) : 0;
}

cl_int status_of(cl_event event, cl_int& status) {
  return clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
}

// A driver that has run the command by the time that it was put into the queue tells nobody.
cl_int sleep_until(cl_event event, cl_int& status) {
  std::atomic<uint32_t> ended{0};
  cl_int error = status_of(event, status);
  if (error != CL_SUCCESS || status <= CL_COMPLETE) return error;
  error = clSetEventCallback(event, CL_COMPLETE, on_end, &ended);
  if (error != CL_SUCCESS) return error;
  while (ended.load(std::memory_order_acquire) == 0) host().wait(&ended, 0);
  return status_of(event, status);
}

}  // namespace

int wait_locked(Device& device, cl_event event) {
  cl_int status = CL_QUEUED;
  cl_int error = sleep_until(event, status);
  clReleaseEvent(event);
  if (error == CL_SUCCESS && status < 0) error = status;
  return errno_of(device, error);
}

int wait_for(Device& device, cl_event event, double* ns) {
  cl_int status = CL_QUEUED;
  cl_int error = sleep_until(event, status);
  if (ns) *ns = nanoseconds_of(event);
  device.lock.lock();
  clReleaseEvent(event);
  device.lock.unlock();
  if (error == CL_SUCCESS && status < 0) error = status;
  return errno_of(device, error);
}

}  // namespace xylem::hetero::opencl
