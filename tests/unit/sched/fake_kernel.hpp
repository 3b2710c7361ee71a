// Owns: what the kernel would say of time and kernel threads, where a test says it instead. The
// linker puts these functions in the place of those of os/ (fake_kernel.cmake);
// while no FakeKernel lives they are the real ones.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <set>

namespace xylem::test {

class FakeKernel {
 public:
  FakeKernel();
  ~FakeKernel();
  FakeKernel(const FakeKernel&) = delete;
  FakeKernel& operator=(const FakeKernel&) = delete;

  int64_t now = 1'000'000'000;      // the clock
  std::map<int, int64_t> used;      // processor time by thread id
  std::map<int, int64_t> waited;    // for a processor, likewise
  std::set<int> wants_a_processor;  // thread ids that do not sleep
  std::set<int> delayed;            // that the kernel makes wait
  std::atomic<int> started{0};      // kernel threads that the runtime started; they never run
};

}  // namespace xylem::test
