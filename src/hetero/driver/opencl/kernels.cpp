// Owns: compiling and launching. See kernels.hpp.
#include "hetero/driver/opencl/kernels.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace xylem::hetero::opencl {

namespace {

// --- compiling -----------------------------------------------------------------------------------

// Kernels of one source and options share a program. Null: it does not compile.
struct Compiled {
  std::mutex lock;  // devices compile side by side
  std::map<std::tuple<int, const char*, const char*>, cl_program> programs;
  std::map<std::tuple<int, const char*, const char*, const char*>, cl_kernel> kernels;
};
Compiled& compiled() {
  static auto* all = new Compiled;
  return *all;
}

// The first line of the compiler's that names an error, or its first line.
std::string complaint(cl_program program, cl_device_id id) {
  size_t size = 0;
  clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string log(size, ' ');
  clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  const size_t error = std::min(log.find("error"), log.size());
  const size_t newline = log.rfind('\n', error);
  const size_t first = error == log.size() || newline == std::string::npos ? 0 : newline + 1;
  std::string line = log.substr(first, log.find('\n', first) - first);
  return line.c_str();
}

void tell(const Device& device, const xylem_opencl& variant, const std::string& why) {
  const std::string line = std::string("kernel '") + variant.kernel + "' does not run on device " +
                           std::to_string(device.number) + " (" + device.about.name.data() +
                           "): " + why + ": its tasks run elsewhere";
  host().warn(line.c_str());
}

cl_program compile(Device& device, const xylem_opencl& variant) {
  cl_int error = CL_SUCCESS;
  cl_program program = clCreateProgramWithSource(
      device.context, 1, const_cast<const char**>(&variant.source), nullptr, &error);
  if (error != CL_SUCCESS) return tell(device, variant, "no program could be made"), nullptr;
  error = clBuildProgram(program, 1, &device.id, variant.options ? variant.options : "", nullptr,
                         nullptr);
  if (error == CL_SUCCESS) return program;
  tell(device, variant, complaint(program, device.id));
  clReleaseProgram(program);
  return nullptr;
}

cl_program program_of(Device& device, const xylem_opencl& variant) {
  auto& programs = compiled().programs;
  const std::tuple key(device.number, variant.source, variant.options);
  const auto known = programs.find(key);
  if (known != programs.end()) return known->second;
  return programs[key] = compile(device, variant);
}

// Null: there is none for the device.
cl_kernel kernel_of(Device& device, const xylem_opencl& variant) {
  const std::lock_guard locked(compiled().lock);
  auto& kernels = compiled().kernels;
  const std::tuple key(device.number, variant.source, variant.options, variant.kernel);
  const auto known = kernels.find(key);
  if (known != kernels.end()) return known->second;
  cl_int error = CL_SUCCESS;
  cl_program program = program_of(device, variant);
  cl_kernel kernel = program ? clCreateKernel(program, variant.kernel, &error) : nullptr;
  if (error != CL_SUCCESS) {
    tell(device, variant, "its source has no such kernel");
    kernel = nullptr;
  }
  return kernels[key] = kernel;
}

// --- parameters ----------------------------------------------------------------------------------

struct Run {
  cl_event event = nullptr;
  std::vector<cl_mem> parts;  // of blocks, made for this run
};

class Parameters {
 public:
  Parameters(cl_kernel kernel, Run& run) : kernel_(kernel), run_(run) {}

  void add_data(const KernelCall::Data& data) {
    const xylem_view& view = *data.view;
    add_array(data, 0, 0);
    if (view.kind == xylem_csr) return add_sparse(data);
    if (view.kind == xylem_variable || view.kind == xylem_user) return;
    const size_t extents[] = {view.x, view.y, view.z};
    for (int i = 0; i < view.kind - xylem_variable; ++i) add(static_cast<cl_ulong>(extents[i]));
  }
  void add_bytes(size_t bytes, const void* at) {
    record(clSetKernelArg(kernel_, next_++, bytes, at));
  }
  cl_int error() const { return error_; }

 private:
  template <typename Value>
  void add(Value value) {
    add_bytes(sizeof value, &value);
  }
  void add_sparse(const KernelCall::Data& data) {
    const xylem_view& view = *data.view;
    add_array(data, 1, view.entries * sizeof(uint32_t));
    add_array(data, 2, (size_t{view.rows} + 1) * sizeof(uint32_t));
    add(cl_uint{view.entries});
    add(cl_uint{view.rows});
    add(cl_uint{view.first_entry});
  }
  void record(cl_int error) {
    if (error_ == CL_SUCCESS) error_ = error;
  }
  void add_array(const KernelCall::Data& data, size_t array, size_t bytes) {
    const Location& location = data.layout.arrays[array];
    if (!data.in_place) return add_block(location, bytes);
    const char* at = static_cast<const char*>(location.memory) + location.offset;
    record(clSetKernelArgSVMPointer(kernel_, next_++, at));
  }
  // What does not begin a block is a part of it.
  void add_block(const Location& location, size_t bytes) {
    auto* block = static_cast<cl_mem>(location.memory);
    if (block && location.offset > 0) {
      const cl_buffer_region region = {location.offset, bytes};
      cl_int error = CL_SUCCESS;
      block = clCreateSubBuffer(block, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region,
                                &error);
      if (error != CL_SUCCESS) {
        error_ = error;
        return;
      }
      run_.parts.push_back(block);
    }
    add_bytes(sizeof(cl_mem), &block);
  }

  cl_kernel kernel_;
  Run& run_;
  cl_uint next_ = 0;
  cl_int error_ = CL_SUCCESS;
};

cl_int set_parameters(cl_kernel kernel, const KernelCall& call, Run& run) {
  Parameters parameters(kernel, run);
  for (int i = 0; i < call.data_count; ++i) parameters.add_data(call.data[static_cast<size_t>(i)]);
  if (call.argument_bytes > 0) parameters.add_bytes(call.argument_bytes, call.argument);
  return parameters.error();
}

// --- launching -----------------------------------------------------------------------------------

struct Range {
  size_t global[3] = {1, 1, 1};
  size_t local[3] = {0, 0, 0};
};

Range range_of(const KernelCall& call) {
  Range range;
  if (call.data_count > 0) {
    const xylem_view& view = *call.data[static_cast<size_t>(call.first_written)].view;
    range.global[0] = view.kind == xylem_csr ? view.rows : view.x;
    range.global[1] = view.y;
    range.global[2] = view.z;
  }
  if (!call.codelet->opencl->range) return range;
  xylem_view views[xylem_most_accesses];
  for (int i = 0; i < call.data_count; ++i) views[i] = *call.data[static_cast<size_t>(i)].view;
  call.codelet->opencl->range(views, call.argument, range.global, range.local);
  return range;
}

cl_int launch(Device& device, cl_kernel kernel, const Range& range, Run& run) {
  const cl_uint dimensions = range.global[2] > 1 ? 3 : range.global[1] > 1 ? 2 : 1;
  size_t local[3];
  for (int i = 0; i < 3; ++i) local[i] = std::max<size_t>(range.local[i], 1);
  return enqueue(device, device.kernels, run.event, [&](cl_event* event) {
    return clEnqueueNDRangeKernel(device.kernels, kernel, dimensions, nullptr, range.global,
                                  range.local[0] > 0 ? local : nullptr, 0, nullptr, event);
  });
}

void free_run(Run* run) {
  for (cl_mem part : run->parts) clReleaseMemObject(part);
  delete run;
}

// What cannot be launched is no fault of the device's, unless that is gone.
int refused(Device& device, const KernelCall& call, cl_int error) {
  if (errno_of(device, error) == ENODEV) return ENODEV;
  tell(device, *call.codelet->opencl, "OpenCL's error " + std::to_string(error));
  const std::lock_guard locked(compiled().lock);
  const xylem_opencl& variant = *call.codelet->opencl;
  compiled().kernels[{device.number, variant.source, variant.options, variant.kernel}] = nullptr;
  return ENOEXEC;
}

}  // namespace

int begin(Device& device, const KernelCall& call, void** begun) {
  cl_kernel kernel = kernel_of(device, *call.codelet->opencl);
  if (!kernel) return ENOEXEC;
  auto* run = new Run;
  cl_int error = set_parameters(kernel, call, *run);
  if (error == CL_SUCCESS) error = launch(device, kernel, range_of(call), *run);
  if (error != CL_SUCCESS) {
    if (run->event) clReleaseEvent(run->event);
    free_run(run);
    return refused(device, call, error);
  }
  *begun = run;
  return 0;
}

int end(Device& device, void* raw, double* ns) {
  auto* run = static_cast<Run*>(raw);
  const int error = wait_for(device, run->event, ns);
  free_run(run);
  if (error == 0 || error == ENODEV) return error;
  host().warn(("a kernel failed on device " + std::to_string(device.number)).c_str());
  return EIO;
}

}  // namespace xylem::hetero::opencl
