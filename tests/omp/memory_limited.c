/* Programs whose address space is limited (ulimit -v), and one that locks what it maps: threads,
 * fewer if need be, do all the work. The program runs itself once for each limit. */
#include <omp.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

enum { wanted = 16, iterations = 1000, most_seconds = 50, most_locked_kib = 200 << 10 };

/* All meet twice, each with a loop between, and open a team each. Returns the team's size. */
static int use_threads(void) {
  int size = 0, inner = 0;
  long sum = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(wanted) reduction(+ : sum, inner)
  {
    char room[64 << 10];
    memset(room, omp_get_thread_num(), sizeof room);
#pragma omp single
    size = omp_get_num_threads();
#pragma omp for schedule(dynamic)
    for (int i = 0; i < iterations; i++) sum += i;
#pragma omp parallel num_threads(2) reduction(+ : inner)
    {
#pragma omp barrier
      inner += 1 == 1;
    }
    sum += room[100] - omp_get_thread_num();
  }
  expect_equal("sum of the loop", sum, (long)iterations * (iterations - 1) / 2);
  expect_between("members of inner teams", inner, size, 2 * size);
  return size;
}

/* Each blocks its kernel thread until all are there, which takes one for each. */
static void meet_blocking(void) {
  pthread_barrier_t barrier;
#pragma omp parallel num_threads(wanted)
  {
#pragma omp single
    pthread_barrier_init(&barrier, NULL, (unsigned)omp_get_num_threads());
    pthread_barrier_wait(&barrier);
  }
}

/* `least` is the least size of the first team; 0: the members meet. */
static void run_limited(long mebibytes, int least) {
  const rlim_t bytes = (rlim_t)mebibytes << 20;
  const struct rlimit limit = {bytes, bytes};
  const pid_t child = fork();
  if (child == 0) {
    setrlimit(RLIMIT_AS, &limit);
    char word[16];
    snprintf(word, sizeof word, "%d", least);
    execl("/proc/self/exe", "memory_limited", word, (char*)NULL);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  char line[80];
  snprintf(line, sizeof line, "exit status with %ld MiB", mebibytes);
  expect_equal(line, status, 0);
}

static long locked_kib(void) {
  char line[128];
  long kib = 0;
  FILE* status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status))
    if (sscanf(line, "VmRSS: %ld kB", &kib) == 1) break;
  if (status) fclose(status);
  return kib;
}

static int run_locked(void) {
  if (mlockall(MCL_FUTURE) != 0) return 77;
  const long before = locked_kib();
  expect_equal("threads where memory is locked", use_threads(), wanted);
  expect_between("KiB that they made resident", locked_kib() - before, 0, most_locked_kib);
  return expect_result();
}

int main(int count, char** words) {
  alarm(most_seconds);
  if (count == 2 && strcmp(words[1], "locked") == 0) return run_locked();
  if (count == 2) {
    if (atoi(words[1]) == 0) {
      meet_blocking();
      return expect_result();
    }
    expect_between("threads", use_threads(), atoi(words[1]), wanted);
    /* Kernel threads that came to help meanwhile have taken memory too. */
    for (int turn = 0; turn < 20; turn++) expect_between("threads", use_threads(), 1, wanted);
    return expect_result();
  }
  static const struct {
    long mebibytes;
    int least;
  } limits[] = {{80, 4},       {120, 8},      {160, 13},     {200, wanted},
                {300, wanted}, {500, wanted}, {1000, wanted}};
  for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++)
    run_limited(limits[i].mebibytes, limits[i].least);
  run_limited(120, 0);
  run_limited(160, 0);
  run_limited(300, 0);
  run_limited(1000, 0);
  return expect_result();
}
