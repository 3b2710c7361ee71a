// Gangs whose threads come by no scheduling point give their turn up nevertheless: they are stopped
// meanwhile (paper 002, section 2.3.2). One gang computes without a pause, the other one in small
// pieces. The word says what is looked at:
//   shares        each of the two gets half of the processors' time
//   locks         both take one lock, and memory, while they compute: nobody waits for ever
//   own_handler   the program handles SIGURG itself: its handler is never called
//   sleeps        threads that sleep in the kernel are not interrupted there
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "expect.h"

enum { gangs = 2, members = 2, most_steps = 2000000, piece_ns = 50000, step_ns = 3000000 };
static double until;
static _Atomic long long used_ns[gangs];
static _Atomic long long steps[gangs];
static _Atomic int interrupted, handled;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long long locked_steps;

static long long clock_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static int goes_on(void) { return omp_get_wtime() < until; }

static void compute(int gang, long long ns) {
  const long long begin = clock_ns();
  long long now = begin;
  while (now - begin < ns && goes_on()) now = clock_ns();
  used_ns[gang] += now - begin;
}

static void locked_step(int gang) {
  pthread_mutex_lock(&lock);
  ++locked_steps;
  char* memory = malloc(1 << 16);
  memset(memory, gang, 1 << 16);
  compute(gang, gang == 0 ? step_ns : piece_ns);
  free(memory);
  pthread_mutex_unlock(&lock);
  ++steps[gang];
}

static void sleeping_step(int gang) {
  const struct timespec pause = {0, 30000000};
  if (gang == 0 && nanosleep(&pause, NULL) != 0) ++interrupted;
  compute(gang, piece_ns);
}

static void step(const char* word, int gang) {
  if (strcmp(word, "locks") == 0)
    locked_step(gang);
  else if (strcmp(word, "sleeps") == 0)
    sleeping_step(gang);
  else
    compute(gang, gang == 0 ? 1ll << 60 : piece_ns);
}

static void count(int signal) {
  (void)signal;
  ++handled;
}

static void run(const char* word) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(gangs)
  {
    const int gang = omp_get_thread_num();
#pragma omp parallel for num_threads(members) schedule(dynamic, 1)
    for (long i = 0; i < most_steps; ++i)
      if (goes_on()) step(word, gang);
  }
}

int main(int argc, char** argv) {
  const char* word = argc > 1 ? argv[1] : "shares";
  const double seconds = argc > 2 ? atof(argv[2]) : 2;
  if (strcmp(word, "own_handler") == 0) signal(SIGURG, count);
  until = omp_get_wtime() + seconds;
  run(word);
  if (strcmp(word, "shares") == 0) {
    const double share = (double)used_ns[1] / (double)(used_ns[0] + used_ns[1]);
    printf("the gang that pauses: %.3f\n", share);
    expect_between("thousandths of the time", (long long)(share * 1000), 400, 600);
  }
  if (strcmp(word, "locks") == 0) {
    expect_equal("steps under the lock", locked_steps, steps[0] + steps[1]);
    for (int gang = 0; gang < gangs; ++gang) expect_true("a gang went on", steps[gang] > 0);
  }
  expect_equal("interrupted sleeps", interrupted, 0);
  expect_equal("calls of the program's handler", handled, 0);
  return expect_result();
}
