// libxylem-opencl.so: codelets on OpenCL devices (hetero/driver/driver.hpp), and nothing else.
#include "base/export.hpp"
#include "hetero/driver/opencl/kernels.hpp"

namespace {

namespace hetero = xylem::hetero;
namespace opencl = hetero::opencl;

constexpr hetero::Driver driver = {
    .find = opencl::find_devices,
    .about = [](int device) -> const hetero::DeviceAbout& { return opencl::device(device).about; },
    .memory = [](int device) { return opencl::memory_driver(opencl::device(device)); },
    .measure = [](int device) { return opencl::measure_links(opencl::device(device)); },
    .variant = [](const xylem_codelet& codelet) -> const void* { return codelet.opencl; },
    .begin = [](int device, const hetero::KernelCall& call,
                void** run) { return opencl::begin(opencl::device(device), call, run); },
    .end = [](int device, void* run,
              double* ns) { return opencl::end(opencl::device(device), run, ns); },
};

}  // namespace

extern "C" XYLEM_EXPORT const hetero::Driver* xylem_driver() { return &driver; }
