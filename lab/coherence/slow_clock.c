// Preloaded into metered programs: CLOCK_MONOTONIC runs METER_SLOWER times slower (default 200),
// about as much slower as emulated threads that share two processors are than threads on processors
// of their own. What a runtime does after so many microseconds (park, announce, look around) it
// does then after as much work as on such a machine.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int64_t real_ns(clockid_t clock) {
  struct timespec now;
  syscall(SYS_clock_gettime, clock, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int64_t start, slower;

__attribute__((constructor)) static void begin(void) {
  const char* text = getenv("METER_SLOWER");
  slower = text && atoi(text) > 0 ? atoi(text) : 200;
  start = real_ns(CLOCK_MONOTONIC);
}

int clock_gettime(clockid_t clock, struct timespec* out) {
  if (clock != CLOCK_MONOTONIC || slower == 0) return (int)syscall(SYS_clock_gettime, clock, out);
  const int64_t now = start + (real_ns(clock) - start) / slower;
  out->tv_sec = now / 1000000000;
  out->tv_nsec = now % 1000000000;
  return 0;
}
