/* Where the kernel threads of devices run: each argument is a list of processors, as the kernel
 * writes it, on which exactly one thread of this process is to be allowed to run. They are started
 * by the first task. */
#include <dirent.h>
#include <string.h>
#include <unistd.h>
#include <xylem/codelet.h>

#include "expect.h"

static const double seconds_until_late = 60;

static int is_allowed_on(const char* task, const char* wanted) {
  char path[64], line[256], list[64];
  snprintf(path, sizeof path, "/proc/self/task/%.20s/status", task);
  FILE* file = fopen(path, "r");
  int is = 0;
  while (file && fgets(line, sizeof line, file)) {
    if (sscanf(line, "Cpus_allowed_list: %63s", list) == 1) is = strcmp(list, wanted) == 0;
  }
  if (file) fclose(file);
  return is;
}

static int threads_on(const char* wanted) {
  int count = 0;
  DIR* tasks = opendir("/proc/self/task");
  for (const struct dirent* task; tasks && (task = readdir(tasks));)
    count += task->d_name[0] != '.' && is_allowed_on(task->d_name, wanted);
  if (tasks) closedir(tasks);
  return count;
}

static char** lists;

/* A thread says itself where it runs, so it may come a little later. */
static int look(const xylem_view* views, void* argument) {
  (void)views;
  (void)argument;
  const double end = expect_seconds() + seconds_until_late;
  for (char** list = lists; *list; list++) {
    while (threads_on(*list) != 1 && expect_seconds() < end) usleep(10000);
    expect_equal(*list, threads_on(*list), 1);
  }
  return 0;
}

int main(int count, char** words) {
  (void)count;
  static const xylem_codelet looking = {.cpu = look};
  lists = words + 1;
  expect_equal("devices", xylem_device_count(), 4);
  expect_equal("submitted", xylem_submit(&looking, NULL, NULL), 0);
  expect_equal("waited", xylem_wait_all(), 0);
  return expect_result();
}
