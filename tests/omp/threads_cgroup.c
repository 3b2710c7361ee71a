/* The control group and the namespaces of an OpenMP thread are the process's, wherever it runs:
 * whoever starts kernel threads starts them there. */
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

#include "threads_move.h"

enum { turns = 20, most_bytes = 4096, spaces = 4 };

static const char* const space[spaces] = {"mnt", "net", "ipc", "uts"};

/* The contents of a file of /proc, as far as they fit. */
static void read_whole(const char* path, char* text) {
  FILE* file = fopen(path, "r");
  size_t length = file ? fread(text, 1, most_bytes - 1, file) : 0;
  text[length] = '\0';
  if (file) fclose(file);
}

static void read_link(const char* of, const char* name, char* text) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%s/ns/%s", of, name);
  ssize_t length = readlink(path, text, most_bytes - 1);
  text[length > 0 ? length : 0] = '\0';
}

static void is_the_processs(const char* cgroup) {
  char mine[most_bytes], other[most_bytes];
  read_whole("/proc/thread-self/cgroup", mine);
  expect_equal("cgroup", strcmp(mine, cgroup), 0);
  for (int i = 0; i < spaces; i++) {
    read_link("thread-self", space[i], mine);
    read_link("self", space[i], other);
    expect_equal(space[i], strcmp(mine, other), 0);
  }
}

int main(void) {
  char cgroup[most_bytes];
  begin_threads();
  read_whole("/proc/self/cgroup", cgroup);
  if (cgroup[0] == '\0') return 77;
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    is_the_processs(cgroup);
    meet_and_move();
  }
  return expect_result();
}
