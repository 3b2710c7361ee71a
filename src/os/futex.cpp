// Owns: the futex system call. See futex.hpp.
#include "os/futex.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include "os/raw_syscall.hpp"

namespace xylem::os {

void futex_wait(const std::atomic<uint32_t>* word, uint32_t expected, int64_t timeout_ns) {
  timespec limit{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
  raw_syscall(SYS_futex, reinterpret_cast<long>(word), FUTEX_WAIT_PRIVATE,
              static_cast<long>(expected), timeout_ns < 0 ? 0 : reinterpret_cast<long>(&limit));
}

void futex_wake(const std::atomic<uint32_t>* word, int count) {
  raw_syscall(SYS_futex, reinterpret_cast<long>(word), FUTEX_WAKE_PRIVATE, count);
}

}  // namespace xylem::os
