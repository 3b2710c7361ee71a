/* Threads of a team that end from within, by pthread_exit, thrd_exit or cancellation of themselves:
 * members, the thread that opened the region, all of a team, members of an inner team. Their
 * cleanup handlers run, each once and in its own thread. Their region never ends, as on libgomp;
 * the rest of the program goes on, other regions have all their threads, and the process ends as it
 * says. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>

enum { most = 64, everybody = -1, by_exit = 0, by_thrd_exit, by_cancellation, ways };

struct region {
  int threads, inner, who, way;
  int ended;             /* threads that ran all their handlers */
  int handlers[most][2]; /* runs of the outer and the inner handler */
};

struct handler {
  struct region* region;
  int thread, level;
  pthread_t self;
};

static int failures;

static void run_handler(void* raw) {
  struct handler* handler = raw;
  struct region* region = handler->region;
  if (!pthread_equal(handler->self, pthread_self())) {
    printf("a handler ran in another thread\n");
    failures++;
  }
  region->handlers[handler->thread][handler->level]++;
  if (handler->level == 0) __atomic_add_fetch(&region->ended, 1, __ATOMIC_RELEASE);
}

static void end(int way) {
  if (way == by_exit) pthread_exit(NULL);
  if (way == by_thrd_exit) thrd_exit(0);
  pthread_cancel(pthread_self());
  pthread_testcancel();
}

static void inner_frame(struct handler* outer) {
  struct handler handler = *outer;
  handler.level = 1;
  pthread_cleanup_push(run_handler, &handler);
  end(handler.region->way);
  pthread_cleanup_pop(0);
}

static void member(struct region* region) {
  const int thread = omp_get_thread_num();
#pragma omp barrier
  if (region->who != everybody && region->who != thread) return;
  struct handler handler = {region, thread, 0, pthread_self()};
  pthread_cleanup_push(run_handler, &handler);
  inner_frame(&handler);
  pthread_cleanup_pop(0);
}

static void* open_region(void* raw) {
  struct region* region = raw;
  omp_set_max_active_levels(2);
  if (region->inner) {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
#pragma omp parallel num_threads(region->threads)
      member(region);
    }
  } else {
#pragma omp parallel num_threads(region->threads)
    member(region);
  }
  return NULL;
}

static void others_go_on(const char* when) {
  for (int turn = 0; turn < 20; turn++) {
    int met = 0;
#pragma omp parallel num_threads(8) reduction(+ : met)
    {
#pragma omp barrier
      met = 1;
    }
    if (met != 8) {
      printf("%s: a team of 8 has %d threads\n", when, met);
      failures++;
    }
  }
}

/* The region's own data stay for ever: its other threads wait in it. */
static void one_case(int threads, int inner, int who, int way) {
  struct region* region = calloc(1, sizeof *region);
  *region = (struct region){.threads = threads, .inner = inner, .who = who, .way = way};
  pthread_t opener;
  pthread_create(&opener, NULL, open_region, region);
  pthread_detach(opener);
  const int ending = who == everybody ? threads : 1;
  while (__atomic_load_n(&region->ended, __ATOMIC_ACQUIRE) < ending) usleep(100);
  char when[80];
  snprintf(when, sizeof when, "%d threads%s, %d ends in way %d", threads, inner ? ", inner" : "",
           who, way);
  others_go_on(when);
  for (int t = 0; t < threads; t++)
    for (int level = 0; level < 2; level++)
      if (region->handlers[t][level] != (who == everybody || who == t)) {
        printf("%s: handler %d of thread %d ran %d times\n", when, level, t,
               region->handlers[t][level]);
        failures++;
      }
}

int main(void) {
  others_go_on("before");
  const int teams[] = {2, 4, 16};
  for (int t = 0; t < 3; t++)
    for (int way = 0; way < ways; way++) {
      one_case(teams[t], 0, 1, way);
      one_case(teams[t], 0, teams[t] - 1, way);
      one_case(teams[t], 0, 0, way);
      one_case(teams[t], 0, everybody, way);
      one_case(teams[t], 1, teams[t] / 2, way);
    }
  others_go_on("after");
  return failures == 0 ? 0 : 1;
}
