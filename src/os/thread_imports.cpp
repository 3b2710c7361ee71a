// Owns: the table. See thread_imports.hpp.
#include "os/thread_imports.hpp"

#include <string.h>

#include <algorithm>
#include <iterator>

#include "os/openmp_names.hpp"

namespace xylem::os {

namespace {

constexpr const char* state[] = {"gettid",
                                 "sigaltstack",
                                 "pthread_sigmask",
                                 "sigprocmask",
                                 "pthread_kill",
                                 "pthread_sigqueue",
                                 "tgkill",
                                 "sigwait",
                                 "sigwaitinfo",
                                 "sigtimedwait",
                                 "sigsuspend",
                                 "signalfd",
                                 "timer_create",
                                 "sched_setaffinity",
                                 "kmp_set_affinity",
                                 "kmp_set_affinity_",
                                 "kmp_set_thread_affinity_mask_initial",
                                 "pthread_setaffinity_np",
                                 "pthread_getaffinity_np",
                                 "nice",
                                 "pthread_setschedparam",
                                 "pthread_getschedparam",
                                 "pthread_setschedprio",
                                 "setpriority",
                                 "sched_setscheduler",
                                 "sched_setparam",
                                 "sched_setattr",
                                 "capset",
                                 "cap_set_proc",
                                 "pthread_getname_np",
                                 "pthread_setname_np",
                                 "prctl",
                                 "pthread_getattr_np",
                                 "pthread_getcpuclockid",
                                 "unshare",
                                 "setns"};

constexpr const char* kernel_owned[] = {"pthread_mutexattr_setprotocol",
                                        "pthread_mutexattr_setrobust",
                                        "pthread_mutexattr_setrobust_np"};

}  // namespace

bool sees_kernel_thread(const char* symbol) {
  const auto is_it = [symbol](const char* name) { return strcmp(symbol, name) == 0; };
  return std::any_of(std::begin(state), std::end(state), is_it) ||
         std::any_of(std::begin(kernel_owned), std::end(kernel_owned), is_it);
}

void ThreadImports::add(const char* symbol) {
  calls_openmp_ |= is_openmp_function(symbol);
  for (const char* name : state)
    if (strcmp(symbol, name) == 0) sets_state_ = name;
  for (const char* name : kernel_owned)
    if (strcmp(symbol, name) == 0) kernel_owned_ = name;
  if (strcmp(symbol, "pthread_getattr_np") == 0) describes_stack_ = true;
  if (strcmp(symbol, "pthread_kill") == 0 || strcmp(symbol, "tgkill") == 0) signals_ = true;
}

KernelThreadNeed ThreadImports::need() const {
  if (kernel_owned_) return KernelThreadNeed::required;
  return reason() ? KernelThreadNeed::wanted : KernelThreadNeed::none;
}

const char* ThreadImports::reason() const {
  if (kernel_owned_) return kernel_owned_;
  if (calls_openmp_) return sets_state_;
  return signals_ && describes_stack_ ? "pthread_getattr_np" : nullptr;
}

}  // namespace xylem::os
