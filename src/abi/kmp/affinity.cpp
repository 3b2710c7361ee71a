// kmp_* routines about the processors of the calling thread: masks are sets of the kernel's
// numbers. A program that sets masks has a kernel thread for each OpenMP thread
// (os/thread_imports.cpp). A name that ends in _ is Fortran's, arguments by address.
#include <cstdint>
#include <vector>

#include "base/export.hpp"
#include "omp/team/query.hpp"
#include "os/cpus.hpp"
#include "os/thread.hpp"

using namespace xylem;

namespace {

// What a kmp_affinity_mask_t points to.
using Mask = os::CpuSet;

Mask& behind(void* const* mask) { return *static_cast<Mask*>(*mask); }

// The kernel's numbers end before this one.
int processors_end() {
  Mask online;
  int end = 0;
  if (os::online_cpus(online) == 0)
    for (int cpu = online.next(-1); cpu >= 0; cpu = online.next(cpu)) end = cpu + 1;
  return end;
}

std::vector<int> usable_processors() {
  omp::ensure_runtime();
  std::vector<int> os_indices;
  omp::os_indices_of_machine(os_indices);
  return os_indices;
}

bool is_usable(int processor) {
  for (const int usable : usable_processors())
    if (usable == processor) return true;
  return false;
}

// 0 if a mask may have the processor, else what the routines answer.
int refusal(int processor) {
  if (processor < 0 || processor >= processors_end()) return -1;
  return is_usable(processor) ? 0 : -2;
}

// From here on the thread's own teams are not bound to places. 0, or an errno value.
int bind_caller(const std::vector<int>& os_indices) {
  const int error = os::bind_to_cpus(os_indices.data(), static_cast<int>(os_indices.size()));
  if (error == 0) omp::own_icvs().bind_var = omp::ProcBind::none;
  return -error;
}

}  // namespace

extern "C" {

XYLEM_EXPORT void kmp_create_affinity_mask(void** mask) { *mask = new Mask; }
XYLEM_EXPORT void kmp_destroy_affinity_mask(void** mask) {
  delete static_cast<Mask*>(*mask);
  *mask = nullptr;
}

XYLEM_EXPORT int kmp_get_affinity_max_proc() { return processors_end(); }

XYLEM_EXPORT int kmp_set_affinity(void* const* mask) {
  std::vector<int> os_indices;
  const Mask& wanted = behind(mask);
  for (int cpu = wanted.next(-1); cpu >= 0; cpu = wanted.next(cpu)) os_indices.push_back(cpu);
  return bind_caller(os_indices);
}
XYLEM_EXPORT int kmp_get_affinity(void* const* mask) { return -os::affinity_cpus(behind(mask)); }

// Back to all that the process had.
XYLEM_EXPORT int kmp_set_thread_affinity_mask_initial() {
  return bind_caller(usable_processors()) == 0 ? 0 : -1;
}

XYLEM_EXPORT int kmp_set_affinity_mask_proc(int processor, void* const* mask) {
  const int refused = refusal(processor);
  if (refused == 0) behind(mask).add(processor);
  return refused;
}
XYLEM_EXPORT int kmp_set_affinity_mask_proc_(const std::int32_t* processor, void* const* mask) {
  return kmp_set_affinity_mask_proc(*processor, mask);
}

XYLEM_EXPORT int kmp_unset_affinity_mask_proc(int processor, void* const* mask) {
  const int refused = refusal(processor);
  if (refused == 0) behind(mask).remove(processor);
  return refused;
}
XYLEM_EXPORT int kmp_unset_affinity_mask_proc_(const std::int32_t* processor, void* const* mask) {
  return kmp_unset_affinity_mask_proc(*processor, mask);
}

// 1 if the mask has the processor; -1: there is none of this number.
XYLEM_EXPORT int kmp_get_affinity_mask_proc(int processor, void* const* mask) {
  const int refused = refusal(processor);
  if (refused != 0) return refused == -1 ? -1 : 0;
  return behind(mask).has(processor) ? 1 : 0;
}
XYLEM_EXPORT int kmp_get_affinity_mask_proc_(const std::int32_t* processor, void* const* mask) {
  return kmp_get_affinity_mask_proc(*processor, mask);
}

}  // extern "C"
