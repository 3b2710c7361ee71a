#pragma once

/* The functions of the library of OpenCL, for tests whose own stand before them. */
#include <dlfcn.h>
#include <stdatomic.h>

#include "check.h"

/* Devices' threads ask at the same time. Each that finds no library opens it: that gives one
 * handle. */
static inline void* opencl_function(const char* name) {
  static _Atomic(void*) library;
  if (!library) library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  CHECK(library);
  void* function = dlsym(library, name);
  CHECK(function);
  return function;
}
