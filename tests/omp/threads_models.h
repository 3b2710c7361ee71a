/* What threads_models and its library share: three variables for each model of thread-local data,
 * one initialised, one zero, one larger than a page and aligned. */
#pragma once

#include <stdint.h>
#include <string.h>

struct large {
  _Alignas(256) char bytes[6000];
};

#define VARIABLES_OF(name, model)                                              \
  static __thread int name##_set __attribute__((tls_model(model))) = 100;      \
  static __thread int name##_zero __attribute__((tls_model(model)));           \
  static __thread struct large name##_large __attribute__((tls_model(model))); \
  int name##_step(int value);                                                  \
  __attribute__((noinline)) int name##_step(int value) {                       \
    if ((uintptr_t)&name##_large % 256 != 0) return -1;                        \
    if (name##_large.bytes[17] != (char)name##_zero) return -2;                \
    name##_zero++;                                                             \
    memset(name##_large.bytes, name##_zero, sizeof name##_large.bytes);        \
    return name##_set += value;                                                \
  }
