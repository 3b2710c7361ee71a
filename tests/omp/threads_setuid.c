/* Credentials are the process's: the C library gives them to every kernel thread in turn, waiting
 * or not, and no member is left with the old ones. As root with other ids, else with its own. */
#define _GNU_SOURCE
#include <grp.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "threads_move.h"

enum { turns = 20, other_id = 65534 };

static int root;

/* What the kernel says of the thread that the caller is on: the C library's own word would do. */
static gid_t group_now(void) { return (gid_t)syscall(SYS_getegid); }
static uid_t user_now(void) { return (uid_t)syscall(SYS_geteuid); }

static void become(gid_t group, uid_t user) {
  if (user != 0) expect_equal("setegid", setegid(group), 0);
  expect_equal("seteuid", seteuid(user), 0);
  if (user == 0) expect_equal("setegid", setegid(group), 0);
}

static void all_are(gid_t group, uid_t user) {
  for (int i = 0; i < 3; i++) {
    expect_equal("group of this thread", group_now(), group);
    expect_equal("user of this thread", user_now(), user);
    move_alone();
  }
}

/* Between regions, where every other kernel thread sleeps. */
static void between_regions(gid_t group, uid_t user) {
  for (int turn = 0; turn < turns; turn++) {
    int there = turn % 2 == 0;
    become(there ? group : getgid(), there ? user : getuid());
#pragma omp parallel num_threads(members)
    {
      meet_and_move();
      all_are(there ? group : getgid(), there ? user : getuid());
    }
  }
}

/* By one member while the others wait, compute or give way. */
static void inside_a_region(gid_t group, uid_t user) {
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    int there = turn % 2 == 0;
    if (omp_get_thread_num() == turn % members) {
      move_alone();
      become(there ? group : getgid(), there ? user : getuid());
    } else if (omp_get_thread_num() % 2) {
      move_alone();
    }
    meet_and_move();
    all_are(there ? group : getgid(), there ? user : getuid());
    meet_and_move();
  }
}

/* Every member at once; setgroups only root may call. */
static void by_all(void) {
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    expect_equal("setgid", setgid(getgid()), 0);
    expect_equal("setuid", setuid(getuid()), 0);
    if (root) expect_equal("setgroups", setgroups(0, NULL), 0);
    move_alone();
  }
}

/* Kernel threads that come afterwards: more members, and a thread that a member makes. */
static void* look(void* wrong) {
  if (group_now() != getegid() || user_now() != geteuid()) add_one(wrong);
  return NULL;
}

static void for_who_comes(gid_t group, uid_t user) {
  int wrong = 0;
  become(group, user);
#pragma omp parallel num_threads(2 * members)
  {
    all_are(group, user);
    pthread_t thread;
    pthread_create(&thread, NULL, look, &wrong);
    move_alone();
    pthread_join(thread, NULL);
#pragma omp barrier
  }
  become(getgid(), getuid());
  expect_equal("made threads with other credentials", wrong, 0);
}

int main(void) {
  begin_threads();
  root = getuid() == 0 && setegid(other_id) == 0 && setegid(getgid()) == 0;
  gid_t group = root ? other_id : getgid();
  uid_t user = root ? other_id : getuid();
  by_all();
  between_regions(group, user);
  inside_a_region(group, user);
  for_who_comes(group, user);
  return expect_result();
}
