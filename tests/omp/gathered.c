/* Members that are spread over the processors, as they compute, and then wait for each other again
 * and again, and run for moments in between. Arguments: what they wait by, and what is expected:
 * `together` that they come together on few processors, where nothing is stolen, so that nothing
 * else brings them together; `apart` that they are spread again once they compute, which the
 * runtime is not told. To be run with the interposing library, and four processors or more. */
#define XYLEM_WEAK
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

#include "../../include/xylem/bubble.h"
#include "expect.h"

enum { members = 16, rounds = 4000, skipped_rounds = 1000, most_pus = 64 };
static const double computed_s = 0.02;

static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t turn_of[members];
static int turn;

static void wait_by_barrier(int me, int round) {
  (void)me;
  (void)round;
  pthread_barrier_wait(&barrier);
}

static void wait_by_condition(int me, int round) {
  pthread_mutex_lock(&mutex);
  while (turn != round * members + me) pthread_cond_wait(&changed, &mutex);
  turn++;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

static void wait_by_semaphore(int me, int round) {
  (void)round;
  sem_wait(&turn_of[me]);
  sem_post(&turn_of[(me + 1) % members]);
}

static void (*way_of(const char* name))(int me, int round) {
  if (strcmp(name, "barrier") == 0) return wait_by_barrier;
  return strcmp(name, "condition") == 0 ? wait_by_condition : wait_by_semaphore;
}

static unsigned long bit_of_pu(void) { return 1ul << (xylem_current_pu() % most_pus); }

/* Nobody comes by the runtime meanwhile. */
static void compute(void) {
  const double begin = expect_seconds();
  while (expect_seconds() - begin < computed_s) continue;
}

static unsigned long on_in[rounds]; /* bits of processors */
static unsigned long began_on, computed_on;

static void compute_seen_on(unsigned long* on) {
  compute();
  __atomic_or_fetch(on, bit_of_pu(), __ATOMIC_RELAXED);
}

static void expect_together(void) {
  int used = 0;
  for (int round = skipped_rounds; round < rounds; round++)
    used += __builtin_popcountl(on_in[round]);
  const int counted = rounds - skipped_rounds;
  expect_between("processors used in all rounds", used, counted, 2 * counted);
}

static void expect_apart(void) {
  expect_between("processors used to compute", __builtin_popcountl(computed_on), 2, most_pus);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  void (*const wait)(int, int) = way_of(argv[1]);
  const int apart = strcmp(argv[2], "apart") == 0;
  pthread_barrier_init(&barrier, NULL, members);
  for (int i = 0; i < members; i++) sem_init(&turn_of[i], 0, i == 0);
#pragma omp parallel num_threads(members)
  {
    const int me = omp_get_thread_num();
    compute_seen_on(&began_on);
    for (int round = 0; round < rounds; round++) {
      wait(me, round);
      __atomic_or_fetch(&on_in[round], bit_of_pu(), __ATOMIC_RELAXED);
    }
    if (apart) compute_seen_on(&computed_on);
  }
  expect_between("processors used at first", __builtin_popcountl(began_on), 3, most_pus);
  if (apart)
    expect_apart();
  else
    expect_together();
  return expect_result();
}
