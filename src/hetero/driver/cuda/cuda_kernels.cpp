// Owns: loading and launching. See cuda_kernels.hpp.
#include "hetero/driver/cuda/cuda_kernels.hpp"

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "hetero/driver/cuda/cuda_compiler.hpp"

namespace xylem::hetero::cuda {

namespace {

void tell(const Device& device, const xylem_cuda& variant, const std::string& why) {
  const std::string name =
      variant.launch ? "a function for CUDA" : std::string("kernel '") + variant.kernel + "'";
  const std::string line = name + " does not run on device " + std::to_string(device.number) +
                           " (" + device.about.name.data() + "): " + why +
                           ": its tasks run elsewhere";
  host().warn(line.c_str());
}

// --- loading -------------------------------------------------------------------------------------

using Key = std::tuple<const void*, const char*, const char*>;  // what, kernel, options

// Code is the same for devices of one capability. An empty image, or a null function: there is
// none, which was said.
struct Loaded {
  std::mutex lock;  // held while something is compiled
  std::map<std::pair<int, Key>, Code> code;
  std::map<std::pair<int, Key>, CUfunction> functions;  // by device
};
Loaded& loaded() {
  static auto* all = new Loaded;
  return *all;
}

Key key_of(const xylem_cuda& variant) {
  const void* what = variant.image ? variant.image : variant.source;
  return {what, variant.kernel, variant.options};
}

CUfunction function_in(Device& device, const xylem_cuda& variant, const void* image,
                       const char* name) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUresult error = cuModuleLoadData(&module, image);
  if (error != CUDA_SUCCESS)
    return tell(device, variant, std::string("its code cannot be loaded: ") + name_of(error)),
           nullptr;
  error = cuModuleGetFunction(&function, module, name);
  if (error == CUDA_SUCCESS) return function;
  tell(device, variant, "its code has no such kernel");
  return nullptr;
}

CUfunction compiled_function(Device& device, const xylem_cuda& variant) {
  const std::pair key(device.capability, key_of(variant));
  auto known = loaded().code.find(key);
  if (known == loaded().code.end())
    known = loaded()
                .code
                .emplace(key, compile(variant.source, variant.kernel, variant.options,
                                      device.capability))
                .first;
  const Code& code = known->second;
  if (!code.image.empty())
    return function_in(device, variant, code.image.data(), code.name.c_str());
  tell(device, variant, code.why);
  return nullptr;
}

// With the context current. Null: there is none for the device.
CUfunction function_of(Device& device, const xylem_cuda& variant) {
  const std::lock_guard locked(loaded().lock);
  const std::pair key(device.number, key_of(variant));
  const auto known = loaded().functions.find(key);
  if (known != loaded().functions.end()) return known->second;
  CUfunction function = variant.image ? function_in(device, variant, variant.image, variant.kernel)
                                      : compiled_function(device, variant);
  return loaded().functions[key] = function;
}

void forget_function(const Device& device, const xylem_cuda& variant) {
  const std::lock_guard locked(loaded().lock);
  loaded().functions[{device.number, key_of(variant)}] = nullptr;
}

// --- parameters ----------------------------------------------------------------------------------

// The values of a kernel's parameters, and where each is.
class Parameters {
 public:
  explicit Parameters(const KernelCall& call) {
    for (int i = 0; i < call.data_count; ++i) add_data(call.data[static_cast<size_t>(i)]);
    if (call.argument_bytes > 0) add(call.argument, call.argument_bytes);
  }
  void** all() { return at_.data(); }

  // "", or how the kernel's own parameters differ.
  std::string differ(CUfunction kernel) const {
    if (!cuFuncGetParamInfo) return "";
    size_t offset = 0;
    size_t bytes = 0;
    for (size_t i = 0; i < count_; ++i) {
      if (cuFuncGetParamInfo(kernel, i, &offset, &bytes) != CUDA_SUCCESS)
        return "it has " + std::to_string(i) + " parameters, its tasks give it " +
               std::to_string(count_);
      if (bytes != bytes_[i])
        return "its parameter " + std::to_string(i + 1) + " has " + std::to_string(bytes) +
               " bytes, its tasks give it " + std::to_string(bytes_[i]);
    }
    if (cuFuncGetParamInfo(kernel, count_, &offset, &bytes) != CUDA_SUCCESS) return "";
    return "it has more than the " + std::to_string(count_) + " parameters that its tasks give it";
  }

 private:
  static constexpr size_t most = 6 * xylem_most_accesses;

  void add(const void* value, size_t bytes) {
    at_[count_] = const_cast<void*>(value);  // CUDA does not write there
    bytes_[count_++] = bytes;
  }
  void add_number(unsigned long value) {
    numbers_[count_] = value;
    add(&numbers_[count_], sizeof value);
  }
  void add_small(const uint32_t& value) { add(&value, sizeof value); }
  void add_array(const Location& location) {
    add_number(reinterpret_cast<CUdeviceptr>(location.memory) + location.offset);
  }
  void add_data(const KernelCall::Data& data) {
    const xylem_view& view = *data.view;
    add_array(data.layout.arrays[0]);
    if (view.kind == xylem_csr) return add_sparse(data);
    if (view.kind == xylem_variable || view.kind == xylem_user) return;
    const unsigned long extents[] = {view.x, view.y, view.z};
    for (int i = 0; i < view.kind - xylem_variable; ++i) add_number(extents[i]);
  }
  void add_sparse(const KernelCall::Data& data) {
    add_array(data.layout.arrays[1]);
    add_array(data.layout.arrays[2]);
    add_small(data.view->entries);
    add_small(data.view->rows);
    add_small(data.view->first_entry);
  }

  size_t count_ = 0;
  std::array<unsigned long, most + 1> numbers_{};
  std::array<void*, most + 1> at_{};
  std::array<size_t, most + 1> bytes_{};
};

// --- launching -----------------------------------------------------------------------------------

struct Run {
  const xylem_cuda* variant = nullptr;
  CUevent began = nullptr;
  CUevent ended = nullptr;
  End end;
};

struct Range {
  size_t global[3] = {1, 1, 1};
  size_t local[3] = {0, 0, 0};
  unsigned blocks(int i) const {
    return static_cast<unsigned>((global[i] + local[i] - 1) / local[i]);
  }
  unsigned threads(int i) const { return static_cast<unsigned>(local[i]); }
};

// 256 threads in a block, in as many dimensions as there are.
void choose_blocks(Range& range) {
  const bool flat = range.global[1] == 1 && range.global[2] == 1;
  range.local[0] = flat ? 256 : 16;
  range.local[1] = flat ? 1 : range.global[2] == 1 ? 16 : 4;
  range.local[2] = range.global[2] == 1 ? 1 : 4;
  for (int i = 0; i < 3; ++i) range.local[i] = std::min(range.local[i], range.global[i]);
}

Range range_of(const KernelCall& call) {
  Range range;
  if (call.data_count > 0) {
    const xylem_view& view = *call.data[static_cast<size_t>(call.first_written)].view;
    range.global[0] = view.kind == xylem_csr ? view.rows : view.x;
    range.global[1] = view.y;
    range.global[2] = view.z;
  }
  if (call.codelet->cuda->range) {
    xylem_view views[xylem_most_accesses];
    for (int i = 0; i < call.data_count; ++i) views[i] = *call.data[static_cast<size_t>(i)].view;
    call.codelet->cuda->range(views, call.argument, range.global, range.local);
  }
  if (range.local[0] == 0) choose_blocks(range);
  for (size_t& threads : range.local) threads = std::max<size_t>(threads, 1);
  return range;
}

CUresult launch(Device& device, CUfunction kernel, const KernelCall& call, Parameters& parameters) {
  const Range range = range_of(call);
  if (range.global[0] * range.global[1] * range.global[2] == 0) return CUDA_SUCCESS;
  return cuLaunchKernel(kernel, range.blocks(0), range.blocks(1), range.blocks(2), range.threads(0),
                        range.threads(1), range.threads(2), call.codelet->cuda->shared_bytes,
                        device.kernels, parameters.all(), nullptr);
}

// The codelet's function with addresses on the device. What it returns.
int call_function(Device& device, const KernelCall& call) {
  xylem_view views[xylem_most_accesses];
  for (int i = 0; i < call.data_count; ++i) {
    const KernelCall::Data& data = call.data[static_cast<size_t>(i)];
    const auto address = [&](size_t array) -> void* {
      const Location& at = data.layout.arrays[array];
      return static_cast<char*>(at.memory) + at.offset;
    };
    views[i] = *data.view;
    views[i].data = address(0);
    if (views[i].kind != xylem_csr) continue;
    views[i].columns = static_cast<uint32_t*>(address(1));
    views[i].row_starts = static_cast<uint32_t*>(address(2));
  }
  return call.codelet->cuda->launch(views, call.argument, device.kernels);
}

// --- a run ---------------------------------------------------------------------------------------

CUresult open_run(Device& device, Run& run) {
  CUresult error = cuEventCreate(&run.began, CU_EVENT_DEFAULT);
  if (error == CUDA_SUCCESS) error = cuEventCreate(&run.ended, CU_EVENT_DEFAULT);
  if (error == CUDA_SUCCESS) error = cuEventRecord(run.began, device.kernels);
  return error;
}

// The run's end comes by the stream `ends`: the next kernel does not wait until it was told.
CUresult close_run(Device& device, Run& run) {
  CUresult error = cuEventRecord(run.ended, device.kernels);
  if (error == CUDA_SUCCESS) error = cuStreamWaitEvent(device.ends, run.ended, 0);
  if (error == CUDA_SUCCESS) error = expect_end(device.ends, run.end);
  return error;
}

void free_run(const Run& run) {
  if (run.began) cuEventDestroy(run.began);
  if (run.ended) cuEventDestroy(run.ended);
}

// After an error that only a kernel can have made: the first that is asked about is to blame.
int blame(Device& device, const xylem_cuda& variant, CUresult error) {
  const int meaning = errno_of(device, error);
  if (!is_fault(error) || device.blamed) return meaning;
  device.blamed = true;
  tell(device, variant, std::string("it failed there: ") + name_of(error));
  return EFAULT;
}

// What cannot be launched is no fault of the device's, unless that is gone. A kernel's fault may
// come before the last of the calls that launch it; while another runs it is that one's.
int refused(Device& device, const KernelCall& call, CUresult error) {
  if (is_fault(error) && device.running == 0) return blame(device, *call.codelet->cuda, error);
  if (errno_of(device, error) == ENODEV) return ENODEV;
  tell(device, *call.codelet->cuda, name_of(error));
  forget_function(device, *call.codelet->cuda);
  return ENOEXEC;
}

int begin_kernel(Device& device, const KernelCall& call, Run& run) {
  const xylem_cuda& variant = *call.codelet->cuda;
  CUfunction kernel = function_of(device, variant);
  if (!kernel) return ENOEXEC;
  Parameters parameters(call);
  if (const std::string difference = parameters.differ(kernel); !difference.empty()) {
    tell(device, variant, difference);
    forget_function(device, variant);
    return ENOEXEC;
  }
  CUresult error = open_run(device, run);
  if (error == CUDA_SUCCESS) error = launch(device, kernel, call, parameters);
  if (error == CUDA_SUCCESS) error = close_run(device, run);
  return error == CUDA_SUCCESS ? 0 : refused(device, call, error);
}

// What the function has put into the stream before it failed ends before its data is given up.
int begin_function(Device& device, const KernelCall& call, Run& run) {
  CUresult error = open_run(device, run);
  if (error != CUDA_SUCCESS) return refused(device, call, error);
  const int returned = call_function(device, call);
  if (returned != 0) {
    error = cuStreamSynchronize(device.kernels);
    if (error == CUDA_SUCCESS) return -returned;
    return refused(device, call, error);
  }
  error = close_run(device, run);
  return error == CUDA_SUCCESS ? 0 : refused(device, call, error);
}

}  // namespace

int begin(Device& device, const KernelCall& call, void** begun) {
  const Current current(device);
  if (current.error() != CUDA_SUCCESS) return refused(device, call, current.error());
  auto run = std::make_unique<Run>();
  run->variant = call.codelet->cuda;
  const int error =
      run->variant->launch ? begin_function(device, call, *run) : begin_kernel(device, call, *run);
  if (error != 0) {
    free_run(*run);
    return error;
  }
  ++device.running;
  *begun = run.release();
  return 0;
}

int end(Device& device, void* raw, double* ns) {
  const std::unique_ptr<Run> run(static_cast<Run*>(raw));
  const CUresult error = wait_for(run->end);
  --device.running;
  const Current current(device);
  float milliseconds = 0;
  if (error == CUDA_SUCCESS) cuEventElapsedTime(&milliseconds, run->began, run->ended);
  *ns = 1e6 * static_cast<double>(milliseconds);
  free_run(*run);
  return error == CUDA_SUCCESS ? 0 : blame(device, *run->variant, error);
}

}  // namespace xylem::hetero::cuda
