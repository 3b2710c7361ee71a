/* omp_fulfill_event from everywhere: before the task starts, while it runs, after its body has
 * ended, from the task itself, from its child, from a nested team, from another root's team, and
 * from a thread that never met OpenMP; for deferred and undeferred tasks; and who waits for the
 * task by taskwait, taskgroup, dependence or barrier waits for the event too. */
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include "expect.h"

enum { rounds = 20 };
typedef enum Source { itself, child, member, nested, other_root, plain_thread, sources } Source;

typedef struct Work {
  omp_event_handle_t event;
  int started, ended, fulfilled;
} Work;

static void fulfill(Work* work) {
  add_one(&work->fulfilled);
  omp_fulfill_event(work->event);
}

static void* fulfill_plainly(void* work) {
  fulfill(work);
  return NULL;
}

static void* fulfill_in_a_team(void* work) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    fulfill(work);
  }
  return NULL;
}

static void in_a_thread(void* (*function)(void*), Work* work) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, function, work) == 0) pthread_join(thread, NULL);
}

static void fulfill_from(Source source, Work* work) {
  switch (source) {
    case child:
#pragma omp task
      fulfill(work);
      break;
    case nested:
#pragma omp parallel num_threads(3)
      if (omp_get_thread_num() == omp_get_num_threads() - 1) fulfill(work);
      break;
    case other_root:
      in_a_thread(fulfill_in_a_team, work);
      break;
    case plain_thread:
      in_a_thread(fulfill_plainly, work);
      break;
    default:
      fulfill(work);
  }
}

/* From within the body, however it comes about. */
static void while_it_runs(Source source) {
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < rounds; i++) {
    Work work = {0, 0, 0, 0};
    omp_event_handle_t event;
#pragma omp task detach(event) shared(work)
    {
      work.event = event;
      fulfill_from(source, &work);
      store(&work.ended, 1);
    }
#pragma omp taskwait
    expect_equal("taskwait: body ended", load(&work.ended), 1);
    expect_equal("taskwait: fulfilled", load(&work.fulfilled), 1);
  }
}

/* The body has ended: nobody else runs the team's tasks meanwhile. */
static void after_it_ended(Source source) {
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < rounds; i++) {
    Work work = {0, 0, 0, 0};
    int seen = 0;
    omp_event_handle_t event;
#pragma omp taskgroup
    {
#pragma omp task detach(event) shared(work) depend(out : work)
      store(&work.ended, 1);
      work.event = event;
#pragma omp task shared(work, seen) depend(in : work)
      seen = load(&work.fulfilled);
      while (!load(&work.ended)) {
#pragma omp taskyield
      }
      usleep(100);
      fulfill_from(source, &work);
    }
    expect_equal("taskgroup: fulfilled", load(&work.fulfilled), 1);
    expect_equal("a dependent task started after that", seen, 1);
  }
}

/* The body waits for its dependence, which comes after the event. */
static void before_it_starts(Source source) {
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < rounds; i++) {
    Work work = {0, 0, 0, 0};
    int held = 0;
    omp_event_handle_t event;
#pragma omp task shared(work, held) depend(out : held)
    while (!load(&work.fulfilled)) usleep(50);
#pragma omp task detach(event) shared(work, held) depend(in : held)
    store(&work.ended, 1);
    work.event = event;
    fulfill_from(source, &work);
#pragma omp taskwait
    expect_equal("body ran after its event", load(&work.ended), 1);
    expect_equal("what only the clauses name", held, 0);
  }
}

/* Undeferred: the one who makes the task goes on when its body is over, with GCC's code when its
 * event is, too. As on the compilers' own runtimes. */
#ifdef __clang__
enum { waits_for_event = 0 };
#else
enum { waits_for_event = 1 };
#endif

static void undeferred(Source source) {
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < rounds; i++) {
    Work work = {0, 0, 0, 0};
    omp_event_handle_t event;
#pragma omp task detach(event) shared(work) if (0)
    {
      work.event = event;
      fulfill_from(source, &work);
      store(&work.ended, 1);
    }
    expect_equal("undeferred: body ended", load(&work.ended), 1);
    if (waits_for_event) expect_equal("undeferred: fulfilled", load(&work.fulfilled), 1);
#pragma omp taskwait
    expect_equal("undeferred, and waited for: fulfilled", load(&work.fulfilled), 1);
  }
}

static void* fulfill_late(void* argument) {
  Work* work = argument;
  while (!load(&work->started)) usleep(50);
  usleep(300);
  fulfill(work);
  return NULL;
}

/* The creator waits, having nothing to run. */
static void undeferred_and_late(void) {
  Work work = {0, 0, 0, 0};
  pthread_t thread;
  pthread_create(&thread, NULL, fulfill_late, &work);
#pragma omp parallel num_threads(2)
#pragma omp master
  {
    omp_event_handle_t event;
#pragma omp task detach(event) shared(work) if (0)
    {
      work.event = event;
      store(&work.started, 1);
    }
    if (waits_for_event) expect_equal("undeferred and late: fulfilled", load(&work.fulfilled), 1);
#pragma omp taskwait
    expect_equal("undeferred and late, and waited for", load(&work.fulfilled), 1);
  }
  pthread_join(thread, NULL);
}

/* By a member that is not in the barrier yet. */
static void at_a_barrier(int members) {
  Work work = {0, 0, 0, 0};
#pragma omp parallel num_threads(members)
  {
    if (omp_get_thread_num() == 0) {
      omp_event_handle_t event;
#pragma omp task detach(event) shared(work)
      store(&work.ended, 1);
      work.event = event;
      store(&work.started, 1);
    }
    if (omp_get_thread_num() == members - 1) {
      while (!load(&work.started)) usleep(50);
      usleep(100);
      fulfill(&work);
    }
#pragma omp barrier
    expect_equal("barrier: body ended", load(&work.ended), 1);
    expect_equal("barrier: fulfilled", load(&work.fulfilled), 1);
  }
}

int main(void) {
  for (Source source = itself; source < sources; source++) {
    while_it_runs(source);
    before_it_starts(source);
    undeferred(source);
    if (source != itself) after_it_ended(source);
  }
  for (int turn = 0; turn < rounds; turn++) {
    undeferred_and_late();
    for (int members = 1; members <= 5; members++) at_a_barrier(members);
  }
  return expect_result();
}
