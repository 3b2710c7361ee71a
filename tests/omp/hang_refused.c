/* Kernel threads that the system refuses for a moment: this program's own pthread_create answers
 * EAGAIN to the n-th call, or to some calls from the n-th on, for each n. Members that block and
 * spin on each other must meet all the same. With the word `seats`: each processor has its worker
 * in the end. The program runs itself once for each n. */
#include <dlfcn.h>
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

enum { seconds_until_hung = 50, most_refused_first = 12, members_unless_told = 8, processors = 4 };

static int members;
static int calls;
static int first_refused, last_refused; /* 0: none */

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*entry)(void*),
                   void* argument) {
  int (*real)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  *(void**)&real = dlsym(RTLD_NEXT, "pthread_create");
  const int call = add_one(&calls);
  if (call >= first_refused && call <= last_refused) return EAGAIN;
  return real(thread, attributes, entry, argument);
}

static void meet_blocking(void) {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, members);
  int met = 0;
#pragma omp parallel num_threads(members)
  {
    pthread_barrier_wait(&barrier);
    add_one(&met);
  }
  expect_equal("met in a pthread barrier", met, members);
  pthread_barrier_destroy(&barrier);
}

static void meet_spinning(void) {
  int met = 0;
#pragma omp parallel num_threads(members)
  {
    add_one(&met);
    while (!reached(&met, members)) {
    }
  }
  expect_equal("met spinning", met, members);
}

/* How many kernel threads ran the members of a region that is long enough to be shared and too
 * short to be relieved. */
static int threads_of_a_region(void) {
  long ids[processors];
#pragma omp parallel num_threads(processors)
  {
    const double end = expect_seconds() + 3e-4;
    while (expect_seconds() < end) {
    }
    ids[omp_get_thread_num()] = syscall(SYS_gettid);
  }
  int different = 0;
  for (int i = 0; i < processors; i++) {
    int seen = 0;
    for (int k = 0; k < i; k++) seen |= ids[k] == ids[i];
    different += !seen;
  }
  return different;
}

static int run_refused(const char* what, int first, int count) {
  first_refused = first;
  last_refused = first + count - 1;
  alarm(seconds_until_hung);
  if (strcmp(what, "seats") == 0) {
    while (threads_of_a_region() < processors) {
    }
  } else {
    members = expect_members(members_unless_told);
    meet_blocking();
    meet_spinning();
    meet_blocking();
  }
  return expect_result();
}

static void run_self(const char* what, int first, int count) {
  char first_word[16], count_word[16];
  snprintf(first_word, sizeof first_word, "%d", first);
  snprintf(count_word, sizeof count_word, "%d", count);
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "hang_refused", what, first_word, count_word, (char*)NULL);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  char line[96];
  snprintf(line, sizeof line, "%s: status with %d calls refused from call %d on", what, count,
           first);
  expect_equal(line, status, 0);
}

int main(int count, char** words) {
  if (count == 4) return run_refused(words[1], atoi(words[2]), atoi(words[3]));
  if (count == 2) {
    for (int refused = 1; refused <= 4; refused++) run_self("seats", 1, refused);
    return expect_result();
  }
  for (int first = 1; first <= most_refused_first; first++)
    for (int refused = 1; refused <= 3; refused += 2) run_self("meet", first, refused);
  return expect_result();
}
