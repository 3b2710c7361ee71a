/* Timers: one that signals a thread of the program's choice, one of a thread's processor time, one
 * that starts a thread, and the process's; each comes where it was asked for. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "threads_move.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static int came[most_members], elsewhere, of_process, in_threads;
static __thread int member_here = -1;

static void note(int signal) {
  (void)signal;
  if (member_here >= 0)
    add_one(&came[member_here]);
  else
    add_one(&elsewhere);
}

static void note_process(int signal) {
  (void)signal;
  add_one(&of_process);
}

static void in_thread(union sigval value) { add_one(value.sival_ptr); }

static void start(timer_t timer, long nanoseconds, long every) {
  struct itimerspec when = {{0, every}, {0, nanoseconds}};
  expect_equal("timer_settime", timer_settime(timer, 0, &when, NULL), 0);
}

/* A timer for each member, by its kernel thread's id. */
static void by_thread(clockid_t clock) {
  for (int i = 0; i < members; i++) store(&came[i], 0);
#pragma omp parallel num_threads(members)
  {
    timer_t timer;
    int me = member_here = omp_get_thread_num();
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 3};
    event.sigev_notify_thread_id = gettid();
    expect_equal("timer_create", timer_create(clock, &event, &timer), 0);
    start(timer, 1000000, 1000000);
    meet_and_move();
    while (load(&came[me]) < 3) {
      if (clock == CLOCK_MONOTONIC) move_alone();
    }
    timer_delete(timer);
#pragma omp barrier
  }
  expect_equal("timers that came elsewhere", load(&elsewhere), 0);
}

static void starts_a_thread(void) {
#pragma omp parallel num_threads(members)
  {
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = in_thread};
    event.sigev_value.sival_ptr = &in_threads;
    expect_equal("timer_create", timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    start(timer, 1000000, 0);
    while (load(&in_threads) < members) move_alone();
#pragma omp barrier
    timer_delete(timer);
  }
  expect_equal("timers that started a thread", load(&in_threads), members);
}

static void of_the_process(void) {
  struct sigaction action = {.sa_handler = note_process, .sa_flags = SA_RESTART};
  struct itimerval every = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
  sigaction(SIGALRM, &action, NULL);
  sigaction(SIGPROF, &action, NULL);
#pragma omp parallel num_threads(members)
  {
#pragma omp single
    {
      setitimer(ITIMER_REAL, &every, NULL);
      setitimer(ITIMER_PROF, &every, NULL);
    }
    while (load(&of_process) < 20) move_alone();
#pragma omp barrier
#pragma omp single
    {
      setitimer(ITIMER_REAL, &never, NULL);
      setitimer(ITIMER_PROF, &never, NULL);
    }
  }
}

int main(void) {
  begin_threads();
  struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
  sigaction(SIGRTMIN + 3, &action, NULL);
  by_thread(CLOCK_MONOTONIC);
  by_thread(CLOCK_THREAD_CPUTIME_ID);
  starts_a_thread();
  of_the_process();
  return expect_result();
}
