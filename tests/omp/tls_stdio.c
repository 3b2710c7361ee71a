/* stdio on fibers: lines stay whole, flockfile excludes and nests, snprintf of floating point works
 * (it keeps state per thread), and recursive and error-checking mutexes nest on one member. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <string.h>

#include "expect.h"

enum { members = 16, turns = 40 };

static FILE* file;
static pthread_mutex_t recursive;

static void write_lines(void) {
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    flockfile(file);
    fprintf(file, "<%d ", omp_get_thread_num());
    flockfile(file);
    fprintf(file, "%d %.3f", turn, turn / 8.0);
    funlockfile(file);
    fputs(">\n", file);
    funlockfile(file);
    if (turn % 8 == 0) {
#pragma omp barrier
    }
  }
}

static void check_lines(void) {
  int next[members] = {0};
  int lines = 0;
  char line[80];
  rewind(file);
  while (fgets(line, sizeof line, file) != NULL) {
    int member = -1, turn = -1;
    double value = -1;
    char end = 0;
    expect_equal("fields of a line", sscanf(line, "<%d %d %lf%c", &member, &turn, &value, &end), 4);
    expect_equal("end of a line", end, '>');
    expect_between("member in a line", member, 0, members - 1);
    if (member < 0 || member >= members) continue;
    expect_equal("a member's lines come in order", turn, next[member]++);
    expect_near("value in a line", value, turn / 8.0, 0);
    lines++;
  }
  expect_equal("lines", lines, members * turns);
}

static int depth_inside;
static long count_inside;

static void nest(int depth) {
  pthread_mutex_lock(&recursive);
  depth_inside++;
  count_inside++;
  if (depth > 0) nest(depth - 1);
  depth_inside--;
  pthread_mutex_unlock(&recursive);
}

static void recursive_mutexes(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&recursive, &attributes);
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    nest(5);
#pragma omp barrier
  }
  expect_equal("depth at the end", depth_inside, 0);
  expect_equal("turns inside", count_inside, 6L * members * turns);
}

static void to_standard_output(void) {
#pragma omp parallel num_threads(members)
  {
    printf("member %d\n", omp_get_thread_num());
#pragma omp barrier
    printf("member %d again\n", omp_get_thread_num());
  }
  fflush(stdout);
}

int main(void) {
  file = tmpfile();
  write_lines();
  check_lines();
  recursive_mutexes();
  to_standard_output();
  return expect_result();
}
