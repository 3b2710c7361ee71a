// Owns: target regions, which run on the host: there is no other device, and host memory is the
// device's, so mapping moves nothing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xylem::omp {

struct Member;

// What says for which device a construct is: the ICV (no device clause), the construct, which is
// for the initial device (its if clause is false), or a number.
enum class DeviceBy : uint8_t { icv, initial, number };

struct TargetDevice {
  DeviceBy by;
  int number = 0;
};

// Dies if OMP_TARGET_OFFLOAD=mandatory forbids the host for this device.
void check_device(Member& member, TargetDevice device);

// Runs function(arguments) as the initial task of a new initial team of one, with the ICVs that the
// environment gave; thread_limit 0: none. Returns when its tasks have ended too.
void run_target(Member& member, void (*function)(void*), void* arguments, unsigned thread_limit);

}  // namespace xylem::omp
