// Owns: target regions, which run on the host: there is no other device, and host memory is the
// device's, so mapping moves nothing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xylem::omp {

struct Member;

// Dies if OMP_TARGET_OFFLOAD=mandatory forbids the host for this device number.
void check_device(Member& member, int device);

// Runs function(arguments) as the initial task of a new initial team of one, with the ICVs that the
// environment gave; thread_limit 0: none. Returns when its tasks have ended too.
void run_target(Member& member, void (*function)(void*), void* arguments, unsigned thread_limit);

}  // namespace xylem::omp
