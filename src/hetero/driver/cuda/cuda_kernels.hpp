// Owns: kernels: compiled or loaded once for each device, given their parameters, launched.
#pragma once

#include "hetero/driver/cuda/cuda_device.hpp"

namespace xylem::hetero::cuda {

// See Driver::begin and Driver::end.
int begin(Device& device, const KernelCall& call, void** run);
int end(Device& device, void* run, double* ns);

}  // namespace xylem::hetero::cuda
