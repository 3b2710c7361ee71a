/* The signal mask is each OpenMP thread's own, over switches and from region to region; a new
 * thread begins with its maker's, and so does a pthread or a process that a member makes. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "threads_move.h"

enum { turns = 20, shared_signal = SIGUSR2, first_own = 40 };

/* One signal that all block, one of this member's own. */
static void own_mask(sigset_t* mask, int member) {
  sigemptyset(mask);
  sigaddset(mask, shared_signal);
  sigaddset(mask, first_own + member);
}

static int same(const sigset_t* a, const sigset_t* b) {
  for (int signal = 1; signal < 60; signal++) {
    if (sigismember(a, signal) != sigismember(b, signal)) return 0;
  }
  return 1;
}

static int in_force(const sigset_t* mask) {
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, NULL, &now);
  return same(mask, &now);
}

static void begins_with_makers(void) {
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR1);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
#pragma omp parallel num_threads(members)
  {
    expect_true("mask of a new thread", in_force(&mask));
    meet_and_move();
    expect_true("mask of a new thread that moved", in_force(&mask));
  }
}

static void* look(void* mask) { return in_force(mask) ? mask : NULL; }

static int child_has(const sigset_t* mask) {
  int status = -1;
  pid_t child = fork();
  if (child == 0) _exit(in_force(mask) ? 0 : 1);
  waitpid(child, &status, 0);
  return status == 0;
}

static void is_own(void) {
#pragma omp parallel num_threads(members)
  {
    sigset_t mine;
    own_mask(&mine, omp_get_thread_num());
    pthread_sigmask(SIG_SETMASK, &mine, NULL);
    for (int turn = 0; turn < turns; turn++) {
      meet_and_move();
      expect_true("own mask", in_force(&mine));
    }
    pthread_t thread;
    void* seen = NULL;
    pthread_create(&thread, NULL, look, &mine);
    move_alone();
    pthread_join(thread, &seen);
    expect_true("mask of a made thread", seen == &mine);
    expect_true("mask of a made process", child_has(&mine));
  }
}

static void holds_over_regions(void) {
  for (int region = 0; region < turns; region++) {
#pragma omp parallel num_threads(members)
    {
      sigset_t mine;
      own_mask(&mine, omp_get_thread_num());
      expect_true("mask in the next region", in_force(&mine));
      meet_and_move();
      expect_true("mask in the next region, moved", in_force(&mine));
    }
  }
}

/* Blocked, a signal to itself waits for its member, and for no other. */
static int came[most_members];
static __thread int member_here = -1;

static void note(int signal) {
  (void)signal;
  if (member_here >= 0) add_one(&came[member_here]);
}

static void waits_for_its_member(void) {
  struct sigaction action = {.sa_handler = note};
  sigaction(shared_signal, &action, NULL);
#pragma omp parallel num_threads(members)
  {
    sigset_t none, pending;
    int me = member_here = omp_get_thread_num();
    raise(shared_signal);
    meet_and_move();
    expect_equal("signals that came while blocked", load(&came[me]), 0);
    sigpending(&pending);
    expect_true("it is pending", sigismember(&pending, shared_signal) == 1);
    meet_and_move();
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    expect_equal("signals that came once unblocked", load(&came[me]), 1);
    meet_and_move();
    expect_equal("signals in all", load(&came[me]), 1);
  }
}

int main(void) {
  begin_threads();
  begins_with_makers();
  is_own();
  holds_over_regions();
  waits_for_its_member();
  return expect_result();
}
