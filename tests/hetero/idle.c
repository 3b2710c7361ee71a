/* Codelets that have nothing to do cost nothing: no kernel thread and no processor time. Nor do
 * devices that are not there: their libraries are not loaded. */
#include <dirent.h>
#include <string.h>
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

static int is_there(const char* path) { return access(path, F_OK) == 0; }

/* Where nothing looks like an accelerator. */
static void no_library_of_devices(void) {
  if (is_there("/dev/dri") || is_there("/dev/nvidiactl") || is_there("/dev/kfd") ||
      is_there("/dev/accel") || is_there("/dev/mali0") || is_there("/dev/dxg"))
    return;
  FILE* maps = fopen("/proc/self/maps", "r");
  CHECK(maps);
  for (char line[4096]; fgets(line, sizeof line, maps);)
    CHECK(!strstr(line, "libOpenCL") && !strstr(line, "libcuda"));
  fclose(maps);
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
  no_library_of_devices();
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
