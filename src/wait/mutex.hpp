// Owns: which mutexes a fiber can wait for, and waiting for one.
#pragma once

#include <pthread.h>

#include "wait/waiting.hpp"

namespace xylem::wait {

// The scheduler if the caller is a fiber that may be suspended until it gets this mutex. Not for
// robust, priority-inheriting, priority-protected and shared mutexes, which the kernel has to know
// of; nor for those that know their owner where libc cannot tell fibers apart.
const Scheduler* scheduler_for(const pthread_mutex_t& mutex, const void* caller);

// What pthread_mutex_lock() and, with a deadline, pthread_mutex_timedlock() answer.
int lock_on_fiber(const Scheduler& scheduler, pthread_mutex_t& mutex, int64_t deadline);

// What pthread_mutex_unlock() answers.
int unlock_and_wake(pthread_mutex_t& mutex, const void* caller);

}  // namespace xylem::wait
