// A program for everybody to run with its owner's rights. Says who it is and what its regions do,
// and drops its rights in the middle: outside a region or inside one (argv[1]).
#define _GNU_SOURCE
#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { steps = 100000, threads = 8 };

static double sum(void) {
  double total = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : total)
  for (int i = 1; i <= steps; i++) total += 1.0 / ((double)i * i);
  return total;
}

// How many of the team's threads have these ids, by the kernel's own word on each of them.
static int threads_with(uid_t real, uid_t effective) {
  int right = 0;
#pragma omp parallel num_threads(threads) reduction(+ : right)
  {
    for (int round = 0; round < 20; round++) {
      uid_t r, e, s;
      getresuid(&r, &e, &s);
      if (r != real || e != effective) break;
      if (round == 19) right++;
#pragma omp critical
      usleep(10);
    }
  }
  return right;
}

static int drop_outside(void) { return setuid(getuid()); }

// The others of the team wait at a barrier, compute, or sleep in the kernel meanwhile.
static int drop_inside(void) {
  int code = -1;
#pragma omp parallel num_threads(threads)
  {
    if (omp_get_thread_num() == threads / 2) {
      code = setuid(getuid());
    } else if (omp_get_thread_num() % 2 == 0) {
      usleep(2000);
    }
#pragma omp barrier
  }
  return code;
}

// The owner's rights are gone for good, in every thread.
static int threads_that_can_rise(void) {
  int can = 0;
#pragma omp parallel num_threads(threads) reduction(+ : can)
  can += setuid(0) == 0 || access("/etc/shadow", R_OK) == 0;
  return can;
}

int main(int argc, char** argv) {
  const uid_t caller = getuid(), owner = geteuid();
  const int inside = argc > 1 && strcmp(argv[1], "inside") == 0;
  printf("secure %lu, rights of another: %d\n", getauxval(AT_SECURE), caller != owner);
  printf("sum %.6f\n", sum());
  printf("threads with the owner's rights: %d of %d\n", threads_with(caller, owner), threads);
  printf("setuid %d\n", inside ? drop_inside() : drop_outside());
  printf("threads with the caller's rights: %d of %d\n", threads_with(caller, caller), threads);
  printf("threads that can rise: %d\n", threads_that_can_rise());
  printf("sum %.6f\n", sum());
  return 0;
}
