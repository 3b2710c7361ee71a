/* Codelets that have nothing to do cost nothing: no kernel thread and no processor time. */
#include <dirent.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static int run(const xylem_view* views, void* argument) {
  (void)views;
  (void)argument;
  return 0;
}

static int kernel_threads(void) {
  DIR* folder = opendir("/proc/self/task");
  CHECK(folder);
  int count = 0;
  for (struct dirent* entry; (entry = readdir(folder));) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void burst(void) {
  static const xylem_codelet running = {.cpu = run};
  for (int i = 0; i < 1000; ++i) CHECK(xylem_submit(&running, NULL, NULL) == 0);
  CHECK(xylem_wait_all() == 0);
}

int main(void) {
  burst();
  const int with_crew = kernel_threads();
  int threads = with_crew;
  for (int turn = 0; turn < 100 && threads == with_crew; ++turn) {
    usleep(50000);
    threads = kernel_threads();
  }
  CHECK(threads == with_crew - 1); /* the crew's */
  const double before = processor_seconds();
  usleep(300000);
  const double used = processor_seconds() - before;
  fprintf(stderr, "%.1f ms of processor time in 300 ms\n", used * 1e3);
  CHECK(used < 0.010);
  burst(); /* it comes again */
  return 0;
}
