// Owns: what GCC passes as a number where omp/ has a name.
#pragma once

#include "omp/env/icv.hpp"
#include "omp/target/target.hpp"
#include "omp/team/cancel.hpp"

namespace xylem::abi {

// The first argument of GOMP_cancel and GOMP_cancellation_point.
inline omp::CancelKind cancel_kind(int which) {
  switch (which) {
    case 2:
      return omp::CancelKind::loop;
    case 4:
      return omp::CancelKind::sections;
    case 8:
      return omp::CancelKind::taskgroup;
    default:
      return omp::CancelKind::parallel;  // 1
  }
}

// The proc_bind clause: the low three bits of the flags of regions, omp_proc_bind_t's numbers; 0 if
// there is none.
inline omp::ProcBind proc_bind(unsigned flags) { return static_cast<omp::ProcBind>(flags & 7); }

// The device argument of target constructs: -1 without a clause, -2 for if(false), else a number.
inline omp::TargetDevice target_device(int device) {
  if (device == -1) return {omp::DeviceBy::icv};
  if (device == -2) return {omp::DeviceBy::initial};
  return {omp::DeviceBy::number, device};
}

}  // namespace xylem::abi
