/* A shared object for threads_late_tls, whose thread-local data stands at a fixed distance from the
 * thread pointer, in room that the C library keeps for it: it is compiled for the initial-exec
 * model, and for descriptors, which the C library serves so while there is room. */
#include <stddef.h>

static __thread int total = 100;
static __thread int zero;
static __thread int* self = NULL;

int plugin_add(int value) {
  if (!self) self = &zero;
  if (self != &zero || zero != 0) return -1;
  return total += value;
}
