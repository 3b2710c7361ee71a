/* Waiting for signals: sigwait, sigwaitinfo, sigtimedwait, signalfd and pause by members, each for
 * a signal that another sends to it or to the process. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "threads_move.h"

enum { turns = 10 };

static pthread_t self[most_members];

static void only(sigset_t* set, int signal) {
  sigemptyset(set);
  sigaddset(set, signal);
}

/* Round a ring: each waits for its neighbour's signal, in a way of its turn. */
static int wait_once(int turn, int signal) {
  sigset_t set;
  int seen = 0;
  only(&set, signal);
  if (turn % 3 == 0) return sigwait(&set, &seen) == 0 ? seen : -1;
  if (turn % 3 == 1) return sigwaitinfo(&set, NULL);
  struct timespec long_time = {1000, 0};
  return sigtimedwait(&set, NULL, &long_time);
}

static void in_a_ring(void) {
#pragma omp parallel num_threads(members)
  {
    int me = omp_get_thread_num();
    sigset_t blocked;
    only(&blocked, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    self[me] = pthread_self();
#pragma omp barrier
    for (int turn = 0; turn < turns; turn++) {
      if (me == 0) pthread_kill(self[1], SIGUSR1);
      expect_equal("signal waited for", wait_once(turn, SIGUSR1), SIGUSR1);
      if (me != 0) pthread_kill(self[(me + 1) % members], SIGUSR1);
      meet_and_move();
    }
    struct timespec no_time = {0, 0};
    errno = 0;
    expect_equal("nothing more comes", sigtimedwait(&blocked, NULL, &no_time), -1);
    expect_equal("its errno", errno, EAGAIN);
  }
}

/* Blocked before there were threads, a signal to the process is taken by the one who waits. */
static void for_the_process(void) {
  sigset_t set;
  only(&set, SIGUSR2);
  int taken = 0;
#pragma omp parallel num_threads(members)
  {
    for (int turn = 0; turn < turns; turn++) {
      int me = omp_get_thread_num();
      if (me == turn % members) {
        int seen = 0;
        kill(getpid(), SIGUSR2);
        expect_equal("sigwait", sigwait(&set, &seen), 0);
        if (seen == SIGUSR2) add_one(&taken);
      }
      meet_and_move();
    }
  }
  expect_equal("signals to the process, taken", taken, turns);
}

static void by_descriptor(void) {
  sigset_t set;
  only(&set, SIGRTMIN + 1);
#pragma omp parallel num_threads(members)
  {
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    int descriptor = signalfd(-1, &set, SFD_CLOEXEC);
    expect_true("signalfd", descriptor >= 0);
#pragma omp barrier
    for (int turn = 0; turn < turns; turn++) {
      struct signalfd_siginfo information = {0};
      pthread_kill(pthread_self(), SIGRTMIN + 1);
      move_alone();
      expect_equal("bytes of a signalfd", read(descriptor, &information, sizeof information),
                   sizeof information);
      expect_equal("signal of a signalfd", information.ssi_signo, SIGRTMIN + 1);
    }
#pragma omp barrier
    close(descriptor);
  }
}

static void nothing(int signal) { (void)signal; }

/* sigsuspend with a mask of its own: the mask before it is back afterwards. */
static void suspended(void) {
  struct sigaction action = {.sa_handler = nothing};
  sigaction(SIGRTMIN + 2, &action, NULL);
#pragma omp parallel num_threads(members)
  {
    sigset_t blocked, none, now;
    only(&blocked, SIGRTMIN + 2);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    sigemptyset(&none);
    for (int turn = 0; turn < turns; turn++) {
      meet_and_move();
      raise(SIGRTMIN + 2);
      move_alone();
      expect_equal("sigsuspend", sigsuspend(&none), -1);
      pthread_sigmask(SIG_SETMASK, NULL, &now);
      expect_equal("blocked again", sigismember(&now, SIGRTMIN + 2), 1);
    }
  }
}

int main(void) {
  sigset_t for_all;
  begin_threads();
  only(&for_all, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &for_all, NULL);
  in_a_ring();
  for_the_process();
  by_descriptor();
  suspended();
  return expect_result();
}
