// Owns: what GCC passes as a number where omp/ has a name.
#pragma once

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

}  // namespace xylem::abi
