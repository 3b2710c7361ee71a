// Owns: the functions that stand in for os/'s. See fake_kernel.hpp.
#include "sched/fake_kernel.hpp"

#include <cstddef>

#include "os/clock.hpp"
#include "os/thread.hpp"

namespace xylem::test {

namespace {
std::atomic<FakeKernel*> in_force{nullptr};
}

FakeKernel::FakeKernel() { in_force.store(this); }
FakeKernel::~FakeKernel() { in_force.store(nullptr); }

}  // namespace xylem::test

using xylem::test::in_force;

extern "C" {

// os::now_ns, thread_cpu_ns, activity_of, processor_waits and start_thread, as the linker calls
// them.
int64_t __real__ZN5xylem2os6now_nsEv();
int64_t __real__ZN5xylem2os13thread_cpu_nsEi(int tid);
xylem::os::Activity __real__ZN5xylem2os11activity_ofEi(int tid);
bool __real__ZN5xylem2os15processor_waitsEiRNS0_14ProcessorWaitsE(int tid,
                                                                  xylem::os::ProcessorWaits& out);
int __real__ZN5xylem2os12start_threadEPFvPvES1_NS0_10SignalMaskEm(void (*entry)(void*),
                                                                  void* argument,
                                                                  xylem::os::SignalMask mask,
                                                                  size_t stack_bytes);

int64_t __wrap__ZN5xylem2os6now_nsEv() {
  const auto* fake = in_force.load();
  return fake ? fake->now : __real__ZN5xylem2os6now_nsEv();
}

int64_t __wrap__ZN5xylem2os13thread_cpu_nsEi(int tid) {
  auto* fake = in_force.load();
  return fake ? fake->used[tid] : __real__ZN5xylem2os13thread_cpu_nsEi(tid);
}

xylem::os::Activity __wrap__ZN5xylem2os11activity_ofEi(int tid) {
  const auto* fake = in_force.load();
  if (!fake) return __real__ZN5xylem2os11activity_ofEi(tid);
  if (fake->delayed.count(tid)) return xylem::os::Activity::delayed;
  return fake->wants_a_processor.count(tid) ? xylem::os::Activity::wants_processor
                                            : xylem::os::Activity::sleeps;
}

bool __wrap__ZN5xylem2os15processor_waitsEiRNS0_14ProcessorWaitsE(int tid,
                                                                  xylem::os::ProcessorWaits& out) {
  auto* fake = in_force.load();
  if (!fake) return __real__ZN5xylem2os15processor_waitsEiRNS0_14ProcessorWaitsE(tid, out);
  out.waited_ns = fake->waited[tid];
  return true;
}

int __wrap__ZN5xylem2os12start_threadEPFvPvES1_NS0_10SignalMaskEm(void (*entry)(void*),
                                                                  void* argument,
                                                                  xylem::os::SignalMask mask,
                                                                  size_t stack_bytes) {
  auto* fake = in_force.load();
  if (!fake)
    return __real__ZN5xylem2os12start_threadEPFvPvES1_NS0_10SignalMaskEm(entry, argument, mask,
                                                                         stack_bytes);
  ++fake->started;
  return 0;
}
}
