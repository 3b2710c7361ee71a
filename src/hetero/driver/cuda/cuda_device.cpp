// Owns: finding devices, and waiting for them. See cuda_device.hpp.
#include "hetero/driver/cuda/cuda_device.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hetero/driver/measure_link.hpp"

namespace xylem::hetero::cuda {

namespace {

// They live as long as the process: CUDA's own threads may outlive what ends at its end.
struct Found {
  Host host;
  std::vector<std::unique_ptr<Device>> devices;
};
Found& found() {
  static auto* all = new Found;
  return *all;
}

// --- opening -------------------------------------------------------------------------------------

int attribute(CUdevice id, CUdevice_attribute what) {
  int value = 0;
  cuDeviceGetAttribute(&value, what, id);
  return value;
}

// With the context current: other programs may have taken a part of the memory.
CUresult fill_about(Device& device) {
  DeviceAbout& about = device.about;
  cuDeviceGetName(about.name.data(), static_cast<int>(about.name.size()), device.id);
  cuDeviceGetPCIBusId(about.pci.data(), static_cast<int>(about.pci.size()), device.id);
  for (char& letter : about.pci) letter = static_cast<char>(std::tolower(letter));
  device.capability = 10 * attribute(device.id, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                      attribute(device.id, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  about.shares_main = attribute(device.id, CU_DEVICE_ATTRIBUTE_INTEGRATED) != 0 &&
                      attribute(device.id, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS) != 0;
  size_t all = 0;
  const CUresult error = cuMemGetInfo(&about.memory_bytes, &all);
  about.largest_bytes = about.memory_bytes;
  return error;
}

CUresult open_streams(Device& device) {
  for (CUstream* stream : {&device.in, &device.out, &device.kernels, &device.ends})
    if (const CUresult error = cuStreamCreate(stream, CU_STREAM_NON_BLOCKING)) return error;
  return CUDA_SUCCESS;
}

CUresult open_context(Device& device) {
  if (const CUresult error = cuDevicePrimaryCtxRetain(&device.context, device.id)) return error;
  const Current current(device);
  if (current.error() != CUDA_SUCCESS) return current.error();
  if (const CUresult error = fill_about(device)) return error;
  return open_streams(device);
}

void open(int ordinal) {
  auto device = std::make_unique<Device>();
  CUresult error = cuDeviceGet(&device->id, ordinal);
  if (error == CUDA_SUCCESS) error = open_context(*device);
  if (error != CUDA_SUCCESS) {
    const std::string line =
        "CUDA device " + std::to_string(ordinal) + " is not used: " + name_of(error);
    return found().host.warn(line.c_str());
  }
  device->number = found().host.first_number + static_cast<int>(found().devices.size());
  found().devices.push_back(std::move(device));
}

// Whether the number stands in a text such as "0,2".
bool is_chosen(int number, std::string_view numbers) {
  const std::string wanted = "," + std::to_string(number) + ",";
  return ("," + std::string(numbers) + ",").find(wanted) != std::string::npos;
}

}  // namespace

int find_devices(const Host& given, const char* choice) {
  found().host = given;
  const bool any = std::string_view(choice) == "auto" || std::string_view(choice) == "all";
  int count = 0;
  if (cuInit(0) != CUDA_SUCCESS || cuDeviceGetCount(&count) != CUDA_SUCCESS) return 0;
  for (int ordinal = 0; ordinal < std::min(count, most_nodes); ++ordinal)
    if (any || is_chosen(ordinal, choice)) open(ordinal);
  return static_cast<int>(found().devices.size());
}

Device& device(int number_from_0) { return *found().devices[static_cast<size_t>(number_from_0)]; }

const Host& host() { return found().host; }

DeviceLinks measure_links(Device& device) {
  const Current current(device);
  std::vector<char> bytes(many_bytes);
  CUdeviceptr memory = 0;
  if (current.error() != CUDA_SUCCESS || cuMemAlloc(&memory, bytes.size()) != CUDA_SUCCESS)
    return {estimated_link, estimated_link};
  const DeviceLinks links = {
      measure_link([&](size_t count) {
        return cuMemcpyHtoDAsync(memory, bytes.data(), count, device.in) == CUDA_SUCCESS &&
               cuStreamSynchronize(device.in) == CUDA_SUCCESS;
      }),
      measure_link([&](size_t count) {
        return cuMemcpyDtoHAsync(bytes.data(), memory, count, device.out) == CUDA_SUCCESS &&
               cuStreamSynchronize(device.out) == CUDA_SUCCESS;
      })};
  cuMemFree(memory);
  return links;
}

// --- errors --------------------------------------------------------------------------------------

const char* name_of(CUresult error) {
  const char* name = nullptr;
  if (cuGetErrorName(error, &name) != CUDA_SUCCESS || !name) return "an error of CUDA's";
  return name;
}

bool is_fault(CUresult error) {
  switch (error) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
      return true;
    default:
      return false;
  }
}

int errno_of(Device& device, CUresult error) {
  switch (error) {
    case CUDA_SUCCESS:
      return 0;
    case CUDA_ERROR_OUT_OF_MEMORY:
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
      return ENOMEM;
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_INVALID_DEVICE:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_EXTERNAL_DEVICE:
    case CUDA_ERROR_UNKNOWN:
      break;
    default:
      if (!is_fault(error)) return EIO;
  }
  device.gone.store(true, std::memory_order_relaxed);
  return ENODEV;
}

// --- waiting -------------------------------------------------------------------------------------

namespace {

// By a thread of CUDA's, which may call nothing of CUDA here. Of the two ways to have a function
// called, this is the one that is called after an error, too.
void CUDA_CB on_end(CUstream, CUresult error, void* raw) {
  auto& end = *static_cast<End*>(raw);
  end.error = error;
  end.came.store(1, std::memory_order_release);  // pairs with the acquire in wait_for(): it may go
  host().wake(&end.came);
}

}  // namespace

CUresult expect_end(CUstream stream, End& end) {
  return cuStreamAddCallback(stream, on_end, &end, 0);
}

CUresult wait_for(End& end) {
  while (end.came.load(std::memory_order_acquire) == 0) host().wait(&end.came, 0);
  return end.error;
}

CUresult wait_for(Device& device, CUstream stream) {
  End end;
  {
    const Current current(device);
    CUresult error = current.error();
    if (error == CUDA_SUCCESS) error = cuStreamQuery(stream);
    if (error != CUDA_ERROR_NOT_READY) return error;
    error = expect_end(stream, end);
    if (error != CUDA_SUCCESS) return error;
  }
  return wait_for(end);
}

}  // namespace xylem::hetero::cuda
