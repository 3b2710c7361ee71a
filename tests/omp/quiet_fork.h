/* fork() that sanitizers bear too.
 *
 * GCC 12's libtsan and libasan do not take their allocators' locks around fork(): a child made
 * while another thread is inside one, as a thread that begins is, may wait for that thread for
 * ever. Under them the process forks only when its other threads sleep, and have not run between
 * two polls. In a region that never is, because the runtime's monitor looks after it: a test that
 * forks there asks only_quiet_forks. The includer defines _GNU_SOURCE. */
#pragma once

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { only_quiet_forks = 1 };

/* How often the thread has given its processor up; -1 if it does not sleep. */
static long long switches_of(const char* thread) {
  char path[300], line[200], state = 0;
  long long count = 0, more = 0;
  snprintf(path, sizeof path, "/proc/self/task/%s/status", thread);
  FILE* status = fopen(path, "r");
  if (!status) return -1; /* it has just ended */
  while (fgets(line, sizeof line, status)) {
    sscanf(line, "State: %c", &state);
    if (strstr(line, "voluntary_ctxt_switches:") && sscanf(strchr(line, ':'), ":%lld", &more) == 1)
      count += more; /* two lines: voluntary and not */
  }
  fclose(status);
  return state == 'S' ? count : -1;
}

/* The same of all threads but the caller together. */
static long long switches_of_others(void) {
  char own[20];
  long long sum = 0;
  snprintf(own, sizeof own, "%d", (int)gettid());
  DIR* threads = opendir("/proc/self/task");
  for (struct dirent* entry; threads && sum >= 0 && (entry = readdir(threads));) {
    if (entry->d_name[0] == '.' || strcmp(entry->d_name, own) == 0) continue;
    const long long count = switches_of(entry->d_name);
    sum = count < 0 ? -1 : sum + count;
  }
  if (threads) closedir(threads);
  return sum;
}

static void wait_until_others_sleep(void) {
  long long before;
  do {
    before = switches_of_others();
    usleep(5000); /* the monitor's polls, while it is awake, come oftener */
  } while (before < 0 || switches_of_others() != before);
}
#else
enum { only_quiet_forks = 0 };
static void wait_until_others_sleep(void) {}
#endif

static pid_t fork_when_quiet(void) {
  wait_until_others_sleep();
  return fork();
}
