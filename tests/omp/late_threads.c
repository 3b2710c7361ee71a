/* A library that sets what belongs to a kernel thread is opened after the first region, as Python
 * opens one: from the next region on that no other is open beside, each OpenMP thread is a kernel
 * thread. Argument 2, `data`: the threads of the program have data of their own by then (compiled
 * with HAVE_DATA), which they keep, and the user is told. */
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

enum { members_unless_told = 8, regions = 20 };

static int members;

#ifdef HAVE_DATA
static int mine;
#pragma omp threadprivate(mine)
#else
static int mine; /* of nobody */
#endif

static int begun, over;

static void fill(void) {
#pragma omp parallel num_threads(members)
#ifdef HAVE_DATA
  mine = 100 + omp_get_thread_num();
#else
  add_one(&mine);
#endif
}

static void expect_kept(void) {
#ifdef HAVE_DATA
#pragma omp parallel num_threads(members)
  expect_equal("data of a member", mine, 100 + omp_get_thread_num());
#endif
}

static void use_everything(void) {
  for (int region = 0; region < regions; region++) {
    int sum = 0, tasks = 0;
#pragma omp parallel num_threads(members) reduction(+ : sum)
    {
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 100; i++) sum += i;
#pragma omp task shared(tasks)
      add_one(&tasks);
    }
    expect_equal("sum", sum, 4950);
    expect_equal("tasks", tasks, members);
  }
}

static void* use_beside(void* nothing) {
  use_everything();
  return nothing;
}

/* Its region is open until `over`. */
static void* stay_inside(void* nothing) {
#pragma omp parallel num_threads(2)
  {
    add_one(&begun);
    while (!reached(&over, 1)) usleep(1000);
  }
  use_everything();
  return nothing;
}

typedef int Members(int members, int first);

static Members* open_plugin(const char* file) {
  void* plugin = dlopen(file, RTLD_NOW);
  if (!plugin) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  Members* function;
  *(void**)&function = dlsym(plugin, "members_without_their_own");
  return function;
}

/* A child of fork() makes its own pool, whether its parent's is about to retire or has retired. */
static void use_in_child(void) {
  const pid_t child = fork();
  if (child == 0) {
    use_everything();
    _exit(expect_result());
  }
  int status = -1;
  expect_equal("child", (int)waitpid(child, &status, 0), (int)child);
  expect_equal("its end", status, 0);
}

static void from_then_on(const char* file) {
  pthread_t beside;
  pthread_create(&beside, NULL, stay_inside, NULL);
  while (!reached(&begun, 2)) usleep(1000);
  Members* members_without_their_own = open_plugin(file);
  use_everything(); /* in the pool of the region beside */
  store(&over, 1);
  pthread_join(beside, NULL);
  use_in_child();
  for (int region = 0; region < regions; region++)
    expect_equal("members without their own", members_without_their_own(members, region == 0), 0);
  pthread_create(&beside, NULL, use_beside, NULL);
  use_everything();
  pthread_join(beside, NULL);
  expect_equal("members without their own, later", members_without_their_own(members, 0), 0);
  use_in_child();
}

static void with_data(const char* file) {
  char said[4096] = "";
  const int before = dup(2);
  FILE* errors = tmpfile();
  dup2(fileno(errors), 2);
  open_plugin(file);
  expect_kept();
  dup2(before, 2);
  rewind(errors);
  said[fread(said, 1, sizeof said - 1, errors)] = 0;
  fputs(said, stderr);
  expect_true("the user is told", strstr(said, "XYLEM_TLS=thread") != NULL);
  expect_true("which library it was", strstr(said, "omp_late_threads_plugin.so") != NULL);
  expect_true("and what it imports", strstr(said, "pthread_sigmask") || strstr(said, "gettid"));
}

int main(int count, char** words) {
  if (count < 2) return 2;
  members = expect_members(members_unless_told);
  fill();
  use_everything();
  if (count > 2)
    with_data(words[1]);
  else
    from_then_on(words[1]);
  expect_kept();
  use_everything();
  return expect_result();
}
