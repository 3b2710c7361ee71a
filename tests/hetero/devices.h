/* Owns what programs with codelets on devices check with. */
#ifndef TESTS_HETERO_DEVICES_H
#define TESTS_HETERO_DEVICES_H

#include "check.h"

/* Ends the test as skipped where there are fewer devices. */
static inline void need_devices(int count) {
  if (xylem_device_count() >= count) return;
  printf("skipped: %d OpenCL devices of %d\n", xylem_device_count(), count);
  exit(77);
}

#endif
