// Owns: the table. See thread_imports.hpp.
#include "os/thread_imports.hpp"

#include <string.h>

namespace xylem::os {

namespace {

constexpr const char* openmp[] = {"GOMP_", "omp_", "__kmpc_", "kmp_"};

constexpr const char* state[] = {"sigaltstack",           "pthread_sigmask",
                                 "sigprocmask",           "pthread_kill",
                                 "pthread_sigqueue",      "tgkill",
                                 "sched_setaffinity",     "pthread_setaffinity_np",
                                 "pthread_getattr_np",    "pthread_setname_np",
                                 "pthread_setschedparam", "pthread_setschedprio",
                                 "sched_setscheduler",    "sched_setparam",
                                 "setpriority",           "pthread_getcpuclockid",
                                 "timer_create"};

}  // namespace

void ThreadImports::add(const char* symbol) {
  for (const char* prefix : openmp)
    if (strncmp(symbol, prefix, strlen(prefix)) == 0) calls_openmp_ = true;
  for (const char* name : state)
    if (strcmp(symbol, name) == 0) sets_state_ = name;
  if (strcmp(symbol, "pthread_getattr_np") == 0) describes_stack_ = symbol;
  if (strcmp(symbol, "pthread_kill") == 0 || strcmp(symbol, "tgkill") == 0) signals_ = symbol;
}

const char* ThreadImports::reason() const {
  if (calls_openmp_) return sets_state_;
  return signals_ ? describes_stack_ : nullptr;
}

}  // namespace xylem::os
