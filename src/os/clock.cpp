// Owns: the clocks. See clock.hpp.
#include "os/clock.hpp"

#include <sys/syscall.h>
#include <time.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "os/files.hpp"
#include "os/raw_syscall.hpp"

namespace xylem::os {

namespace {
constexpr clockid_t thread_clock_of(int tid) {
  return static_cast<clockid_t>((~static_cast<unsigned>(tid) << 3) |
                                6u);  // kernel ABI: sched clock, per thread
}
int64_t in_ns(const timespec& t) { return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec; }
}  // namespace

int64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return in_ns(t);
}

int64_t thread_cpu_ns(int tid) {
  timespec t{};  // clang-tidy does not see that the kernel writes it
  const long answer =
      raw_syscall(SYS_clock_gettime, thread_clock_of(tid), reinterpret_cast<long>(&t));
  return answer < 0 ? -1 : in_ns(t);
}

Activity activity_of(int tid) {
  char path[64], text[256];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
  const int length = read_file(path, text);
  if (length <= 0) return Activity::sleeps;
  // "tid (name) state ...": a name may hold anything, but what follows it holds no ')'.
  const std::string_view line(text, static_cast<size_t>(length));
  const size_t name_end = std::min(line.rfind(')'), line.size());
  const char letter = name_end + 2 < line.size() ? line[name_end + 2] : 'S';
  if (letter == 'R') return Activity::wants_processor;
  return letter == 'D' ? Activity::delayed : Activity::sleeps;
}

bool processor_waits(int tid, ProcessorWaits& out) {
  char path[64], text[96];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", tid);
  const int length = read_file(path, text);
  // "ran waited arrivals"; the first is old by up to a tick of the kernel's.
  int64_t ran = 0;
  const char* at = text;
  for (int64_t* number : {&ran, &out.waited_ns, &out.arrivals}) {
    const auto [end, error] = std::from_chars(at, text + std::max(length, 0), *number);
    if (error != std::errc{}) return false;
    at = end + 1;
  }
  return true;
}

void yield_to_kernel() { raw_syscall(SYS_sched_yield); }

}  // namespace xylem::os
