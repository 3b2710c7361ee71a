// Owns: the answers of C11's functions.
#pragma once

#include <threads.h>

#include <cerrno>

namespace xylem::wait {

inline int as_c11(int error) {
  switch (error) {
    case 0:
      return thrd_success;
    case ETIMEDOUT:
      return thrd_timedout;
    case EBUSY:
      return thrd_busy;
    case ENOMEM:
      return thrd_nomem;
    default:
      return thrd_error;
  }
}

}  // namespace xylem::wait
