// Owns: what the arguments of GOMP_task and GOMP_taskloop ask of omp/, but for those that are
// arrays (depend_decode.hpp, reduction_decode.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "abi/gomp/task_flags.hpp"
#include "omp/tasks/task_create.hpp"
#include "omp/tasks/taskloop.hpp"
#include "omp/tool/interface.hpp"

namespace xylem::abi {

// Older compilers pass fewer arguments: `priority` counts only when its flag is set.
inline omp::TaskRequest task_request(void (*fn)(void*), void* data, void (*cpyfn)(void*, void*),
                                     long arg_size, long arg_align, bool if_clause, unsigned flags,
                                     int priority) {
  omp::TaskRequest request{fn, data, cpyfn, static_cast<size_t>(arg_size),
                           static_cast<size_t>(arg_align)};
  request.undeferred = !if_clause;
  request.final = flags & task_flags::final;
  if (flags & task_flags::priority) request.priority = priority;
  return request;
}

// Of these flags what only a tool is told.
inline int told_flags(unsigned flags) {
  namespace told = omp::tool::task_flags;
  return (flags & task_flags::untied ? told::untied : 0) |
         (flags & task_flags::mergeable ? told::mergeable : 0);
}

// Each task of a taskloop. Its arguments begin with the range, two words of 64 bits.
inline omp::TaskRequest taskloop_request(void (*fn)(void*), void* data, void (*cpyfn)(void*, void*),
                                         long arg_size, long arg_align, unsigned flags,
                                         int priority) {
  auto request = task_request(fn, data, cpyfn, arg_size, arg_align, flags & task_flags::if_clause,
                              flags, priority);
  request.range_at = {0, sizeof(long)};
  return request;
}

// `amount` is the num_tasks or the grainsize clause.
inline omp::LoopOfTasks loop_of_tasks(unsigned flags, unsigned long amount,
                                      const omp::IterationSpace& space) {
  omp::LoopOfTasks loop;
  loop.grouped = !(flags & task_flags::nogroup);
  loop.by_grainsize = flags & task_flags::grainsize;
  loop.strict = flags & task_flags::strict;
  loop.amount = amount;
  loop.space = space;
  return loop;
}

}  // namespace xylem::abi
