// Owns: asking the processor about its time counter. See ticks.hpp.
#include "os/ticks.hpp"

#include <cpuid.h>

#include <atomic>

#include "os/clock.hpp"

namespace xylem::os {

namespace {

// When counting began. Written once, before others look.
constinit int64_t begun_ns = 0;
constinit uint64_t begun_ticks = 0;
// 0: not known yet. relaxed: a number, and all who write it write nearly the same.
constinit std::atomic<uint64_t> ticks_in_a_ms{0};
constexpr int64_t ns_in_a_ms = 1'000'000, long_enough_ns = 2 * ns_in_a_ms;

}  // namespace

// Intel's and AMD's manuals: CPUID leaf 80000007h, EDX bit 8, "invariant TSC".
bool ticks_are_steady() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d & 1u << 8) != 0;
}

void begin_counting_ticks() {
  if (!ticks_are_steady()) return;
  begun_ns = now_ns();
  begun_ticks = read_ticks();
}

uint64_t ticks_in(int64_t ns) {
  uint64_t rate = ticks_in_a_ms.load(std::memory_order_relaxed);
  if (rate == 0) {
    const int64_t passed = now_ns() - begun_ns;
    if (begun_ns == 0 || passed < long_enough_ns) return 0;
    rate = (read_ticks() - begun_ticks) / static_cast<uint64_t>(passed / 1'000) * 1'000;
    ticks_in_a_ms.store(rate, std::memory_order_relaxed);
  }
  return static_cast<uint64_t>(ns) * rate / ns_in_a_ms;
}

}  // namespace xylem::os
