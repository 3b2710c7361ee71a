/* A shared object whose thread-local data is of the initial-exec model, for threads_late_tls: it
 * stands at a fixed distance from the thread pointer, in room that the C library keeps for it. */
#include <stddef.h>

static __thread __attribute__((tls_model("initial-exec"))) int total = 100;
static __thread __attribute__((tls_model("initial-exec"))) int zero;
static __thread __attribute__((tls_model("initial-exec"))) int* self = NULL;

int plugin_add(int value) {
  if (!self) self = &zero;
  if (self != &zero || zero != 0) return -1;
  return total += value;
}
