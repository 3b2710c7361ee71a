// libxylem-cuda.so: codelets on CUDA devices (hetero/driver/driver.hpp), and nothing else.
#include "base/export.hpp"
#include "hetero/driver/cuda/cuda_kernels.hpp"

namespace {

namespace hetero = xylem::hetero;
namespace cuda = hetero::cuda;

constexpr hetero::Driver driver = {
    .find = cuda::find_devices,
    .about = [](int device) -> const hetero::DeviceAbout& { return cuda::device(device).about; },
    .memory = [](int device) { return cuda::memory_driver(cuda::device(device)); },
    .measure = [](int device) { return cuda::measure_links(cuda::device(device)); },
    .variant = [](const xylem_codelet& codelet) -> const void* { return codelet.cuda; },
    .begin = [](int device, const hetero::KernelCall& call,
                void** run) { return cuda::begin(cuda::device(device), call, run); },
    .end = [](int device, void* run,
              double* ns) { return cuda::end(cuda::device(device), run, ns); },
};

}  // namespace

extern "C" XYLEM_EXPORT const hetero::Driver* xylem_driver() { return &driver; }
