/* refused noted|silent: the whole memory API where a seccomp filter refuses what default containers
 * refuse: mbind, set_mempolicy, get_mempolicy, move_pages, migrate_pages and userfaultfd, with
 * EPERM. Everything works. One line on stderr says what the kernel refuses (`noted`), or none where
 * nothing was asked of it, as on one node (`silent`). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "whole_api.h"

/* Jumps to the refusal, which is `left` instructions further. */
static struct sock_filter refuse(long call, int left) {
  struct sock_filter jump = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 0);
  jump.k = (unsigned)call;
  jump.jt = (unsigned char)left;
  return jump;
}

static int forbid(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      refuse(SYS_mbind, 6),
      refuse(SYS_set_mempolicy, 5),
      refuse(SYS_get_mempolicy, 4),
      refuse(SYS_move_pages, 3),
      refuse(SYS_migrate_pages, 2),
      refuse(SYS_userfaultfd, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
  };
  struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 0;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* What is written to stderr goes to a pipe from here on; its other end. */
static int catch_stderr(int* before) {
  int ends[2];
  if (pipe(ends) != 0) exit(77);
  *before = dup(2);
  dup2(ends[1], 2);
  close(ends[1]);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return ends[0];
}

/* How often what came through `end` says that the kernel refuses something; it goes on to `before`.
 */
static int notes_of(int end, int before) {
  static char text[65536];
  size_t size = 0;
  for (ssize_t got; (got = read(end, text + size, sizeof text - 1 - size)) > 0;)
    size += (size_t)got;
  int notes = 0;
  for (char* at = text; (at = strstr(at, "the kernel refuses")) != NULL; at++) notes++;
  if (write(before, text, size) < 0) notes = -1;
  return notes;
}

int main(int count, char** words) {
  if (!xylem_node_count || count != 2) return 77;
  if (!forbid()) return 77;
  expect_equal("mbind", syscall(SYS_mbind, 0, 0, 0, 0, 0, 0), -1);
  expect_equal("its errno", errno, EPERM);
  int before, end = catch_stderr(&before);
  use_whole_api();
  fflush(stderr);
  int notes = notes_of(end, before);
  dup2(before, 2);
  expect_equal("notes of a refusal", notes, strcmp(words[1], "noted") == 0);
  xylem_memory_statistics all = {0};
  int is_drawn = getenv("XYLEM_MACHINE") != NULL; /* pages move in books then */
  if (xylem_memory_query && strcmp(words[1], "noted") == 0) {
    xylem_memory_query(&all, sizeof all);
    expect_true("refusals are counted", all.refused > 0);
    if (!is_drawn) expect_equal("nothing has moved", all.moved_pages + all.moved_on_touch, 0);
  }
  return expect_result();
}
