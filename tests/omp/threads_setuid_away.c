/* The program's first thread changes the process's credentials in a region, at a time when its
 * OpenMP thread has gone on with another kernel thread: its own kernel thread, which runs another
 * member meanwhile, gets them as well. With one worker that is so as soon as the monitor has seen
 * the first kernel thread busy; argument 1, `away`: it is to be so. */
#define _GNU_SOURCE
#include <grp.h>
#include <omp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "expect.h"

enum { wanted = 6, turns = 60, other_id = 65534 };

static const double patience = 0.2; /* seconds */

typedef enum { groups, group, user } What;

static int gone, met_at_home, root;

static void change(What what, int there) {
  const gid_t others[] = {3, 5};
  if (what == group) expect_equal("setegid", setegid(there ? other_id : getgid()), 0);
  if (what == user) expect_equal("seteuid", seteuid(there ? other_id : getuid()), 0);
  if (what == groups && root) expect_equal("setgroups", setgroups(there ? 2 : 0, others), 0);
}

/* What the kernel says of the thread that the caller is on: the C library's own word would do. */
static void expect_changed(What what, int there) {
  if (what == group) expect_equal("group", syscall(SYS_getegid), there ? other_id : (int)getgid());
  if (what == user) expect_equal("user", syscall(SYS_geteuid), there ? other_id : (int)getuid());
  if (what == groups) expect_equal("groups", syscall(SYS_getgroups, 0, NULL), there ? 2 : 0);
}

/* On another kernel thread than `home`; false if that does not come about. */
static int go_away(long home) {
  const double until = expect_seconds() + patience;
  while (syscall(SYS_gettid) == home && expect_seconds() < until) {
#pragma omp taskyield
  }
  return syscall(SYS_gettid) != home;
}

static void region(What what, int there, long home) {
  store(&gone, 0);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    go_away(home);
    change(what, there);
    store(&gone, 1);
  } else {
    while (!reached(&gone, 1)) {
    }
    if (syscall(SYS_gettid) == home) add_one(&met_at_home);
    expect_changed(what, there);
  }
}

int main(int count, char** words) {
  (void)words;
  const int away = count > 1;
  const long home = syscall(SYS_gettid);
  root = getuid() == 0 && setgroups(0, NULL) == 0;
  if (!root) return 77;
  for (int turn = 0; turn < (away ? turns : 1) && met_at_home < wanted; turn++) {
    for (int what = groups; what <= user; what++) region(what, 1, home);
    for (int what = user; what >= groups; what--) region(what, 0, home);
  }
  if (away) expect_between("members at the home that was left", met_at_home, wanted, 1000);
  return expect_result();
}
