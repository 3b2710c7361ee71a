// See starting_affinity.hpp.
#include "os/starting_affinity.hpp"

#include <sys/syscall.h>

#include <bit>
#include <cstdint>

#include "os/raw_syscall.hpp"

namespace xylem::os {

namespace {

constexpr int word_bits = 64;

// Written while the process has one thread.
constinit std::uint64_t kept[128] = {};
constinit long kept_bytes = 0;  // 0: not asked yet; below: the kernel refused

}  // namespace

__attribute__((no_sanitize("address", "thread"))) void keep_starting_affinity() {
  if (kept_bytes == 0)
    kept_bytes = raw_syscall(SYS_sched_getaffinity, 0, sizeof kept, reinterpret_cast<long>(kept));
}

bool starting_affinity(CpuSet& out) {
  out.clear();
  const long words = kept_bytes / static_cast<long>(sizeof kept[0]);
  for (int at = 0; at < words; ++at)
    for (std::uint64_t word = kept[at]; word != 0; word &= word - 1)
      out.add(at * word_bits + std::countr_zero(word));
  return !out.empty();
}

}  // namespace xylem::os
