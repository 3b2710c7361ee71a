/* Signals sent to one OpenMP thread by pthread_kill, pthread_sigqueue and raise: handled in that
 * thread, once each, wherever it is; a process that dies by one, dies. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "threads_move.h"

enum { turns = 20 };

static pthread_t self[most_members];
static int came[most_members], values[most_members], wrong;
static __thread int member_here = -1;

static void note(int signal, siginfo_t* information, void* context) {
  (void)signal;
  (void)context;
  if (member_here < 0) {
    add_one(&wrong);
    return;
  }
  add_one(&came[member_here]);
  if (information->si_code == SI_QUEUE)
    __atomic_add_fetch(&values[member_here], information->si_value.sival_int, __ATOMIC_SEQ_CST);
}

/* Until this many signals came to the caller: they come at any time after they were sent. */
static void wait_for(int expected) {
  while (load(&came[omp_get_thread_num()]) < expected) {
#pragma omp taskyield
    sched_yield();
  }
}

static void to_each_other(void) {
#pragma omp parallel num_threads(members)
  {
    int me = member_here = omp_get_thread_num();
    self[me] = pthread_self();
    /* GCC 12's libtsan loses a signal that comes in the midst of a thread's first pthread_kill. */
    expect_equal("pthread_kill with 0", pthread_kill(self[me], 0), 0);
#pragma omp barrier
    for (int turn = 1; turn <= turns; turn++) {
      int next = (me + turn) % members;
      expect_equal("pthread_kill", pthread_kill(self[next], SIGUSR1), 0);
      meet_and_move();
      wait_for(turn);
      meet_and_move();
      expect_equal("signals to this member", load(&came[me]), turn);
#pragma omp barrier
    }
    expect_equal("pthread_kill with 0", pthread_kill(self[(me + 1) % members], 0), 0);
    raise(SIGUSR1);
    expect_equal("raise is for the caller", load(&came[me]), turns + 1);
    meet_and_move();
    union sigval value = {.sival_int = me + 1};
    expect_equal("pthread_sigqueue", pthread_sigqueue(self[(me + 1) % members], SIGUSR1, value), 0);
    wait_for(turns + 2);
    expect_equal("the value sent", load(&values[me]), (me + members - 1) % members + 1);
#pragma omp barrier
  }
  expect_equal("signals handled elsewhere", load(&wrong), 0);
}

/* From a region to the thread that waits outside of it, and back. */
static int outside_is_ready; /* a signal before that would have nobody to count for */

static void* wait_outside(void* said) {
  member_here = 0;
  store(&outside_is_ready, 1);
  while (load(&came[0]) == 0) sched_yield();
  store(said, 1);
  return NULL;
}

static void to_a_thread_outside(void) {
  pthread_t thread;
  int said = 0;
  store(&came[0], 0);
  pthread_create(&thread, NULL, wait_outside, &said);
  while (!load(&outside_is_ready)) sched_yield();
#pragma omp parallel num_threads(members)
  {
    member_here = omp_get_thread_num();
    meet_and_move();
    if (omp_get_thread_num() == members - 1) pthread_kill(thread, SIGUSR1);
  }
  pthread_join(thread, NULL);
  expect_equal("the thread outside saw it", said, 1);
}

static void dies_by_it(void) {
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    signal(SIGUSR2, SIG_DFL);
#pragma omp parallel num_threads(members)
    {
      self[omp_get_thread_num()] = pthread_self();
      meet_and_move();
      if (omp_get_thread_num() == 0) pthread_kill(self[members - 1], SIGUSR2);
      for (;;) move_alone();
    }
  }
  waitpid(child, &status, 0);
  expect_true("the child died by a signal", WIFSIGNALED(status));
  expect_equal("by which", WTERMSIG(status), SIGUSR2);
}

int main(void) {
  begin_threads();
  dies_by_it();
  struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
  to_each_other();
  to_a_thread_outside();
  return expect_result();
}
