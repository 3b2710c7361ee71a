// Prints all that a program can ask LLVM's runtime about its settings: compare.py runs it on libomp
// and on Xylem. Arguments: `team`: opens a team as the settings want it; `nested`: teams in a team;
// `teams`: a teams construct; `bound`: a team, with the processors of each thread; `stack N`:
// threads use N KiB of their stacks.
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Of LLVM's omp.h, which GCC's has not.
int kmp_get_blocktime(void);
int kmp_get_library(void);
size_t kmp_get_stacksize_s(void);

enum { most_threads = 64 };

static void print_values(void) {
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  printf("procs: %d\nthread limit: %d\ndynamic: %d\nlevels: %d\ncancellation: %d\n",
         omp_get_num_procs(), omp_get_thread_limit(), omp_get_dynamic(),
         omp_get_max_active_levels(), omp_get_cancellation());
  printf("schedule: %d %d\n", (int)kind, chunk);
  printf("blocktime: %d\nlibrary: %d\nstack: %zu\n", kmp_get_blocktime(), kmp_get_library(),
         kmp_get_stacksize_s());
  printf("teams: %d\nteams' thread limit: %d\n", omp_get_max_teams(), omp_get_teams_thread_limit());
}

static void print_team(void) {
  int threads = 0;
#pragma omp parallel
#pragma omp single
  threads = omp_get_num_threads();
  printf("max threads: %d\nteam: %d\n", omp_get_max_threads(), threads);
}

// One thread opens the inner team: how much of a limit two at once get depends on who is first.
static void print_nested(void) {
  int outer = 0, inner = 0;
#pragma omp parallel
  if (omp_get_thread_num() == 0) {
    outer = omp_get_num_threads();
#pragma omp parallel
#pragma omp single
    inner = omp_get_num_threads();
  }
  printf("outer: %d inner: %d\n", outer, inner);
}

static void print_teams(void) {
  int teams = 0, limit = 0, threads = 0;
#pragma omp teams
  if (omp_get_team_num() == 0) {
    teams = omp_get_num_teams();
    limit = omp_get_thread_limit();
#pragma omp parallel
#pragma omp single
    threads = omp_get_num_threads();
  }
  printf("league: %d teams of %d threads\nteam's thread limit: %d\n", teams, threads, limit);
}

static void print_bound(void) {
  static cpu_set_t sets[most_threads];
  int threads = 0;
#pragma omp parallel
  {
    const int self = omp_get_thread_num();
    if (self == 0) threads = omp_get_num_threads();
    if (self < most_threads) sched_getaffinity(0, sizeof(cpu_set_t), &sets[self]);
  }
  for (int i = 0; i < threads && i < most_threads; ++i) {
    printf("processors of thread %d:", i);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &sets[i])) printf(" %d", cpu);
    printf("\n");
  }
}

// Of those that the runtime has made.
static void use_stacks(size_t kib) {
  int sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    if (omp_get_thread_num() == 0) {
      sum = 1;
    } else {
      volatile char* room = __builtin_alloca(kib << 10);
      for (size_t at = 0; at < kib; ++at) room[at << 10] = 1;
      sum += room[0];
    }
  }
  printf("stacks used: %d\n", sum == omp_get_max_threads());
}

int main(int count, char** words) {
  print_values();
  for (int i = 1; i < count; ++i) {
    if (!strcmp(words[i], "team")) print_team();
    if (!strcmp(words[i], "nested")) print_nested();
    if (!strcmp(words[i], "teams")) print_teams();
    if (!strcmp(words[i], "bound")) print_bound();
    if (!strcmp(words[i], "stack") && i + 1 < count) use_stacks((size_t)atol(words[++i]));
  }
  return 0;
}
