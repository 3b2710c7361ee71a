/* A set-uid program on the runtime: what its caller puts into the environment for hwloc counts for
 * nothing, be it plugins to load or a machine to believe in. Run as root with the plugin's file it
 * makes a set-uid copy of itself and calls that as another user; else it is skipped. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

enum { nobody = 65534, skipped = 77, many = 6000, members_unless_told = 4 };

static int run_raised(void) {
  if (getauxval(AT_SECURE) == 0) return skipped; /* a file system without set-uid */
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  const int wanted = expect_members(members_unless_told);
  int members = 0;
#pragma omp parallel num_threads(wanted) reduction(+ : members)
  members += 1;
  expect_equal("members", members, wanted);
  expect_equal("processors", omp_get_num_procs(), CPU_COUNT(&allowed));
  expect_true("the caller's plugin is not there", getenv("RAISED_PLUGIN") == NULL);
  expect_true("the environment is as it was", getenv("HWLOC_SYNTHETIC") != NULL);
  return expect_result();
}

static void copy(const char* from, const char* to, mode_t mode) {
  const int in = open(from, O_RDONLY);
  const int out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  struct stat about;
  fstat(in, &about);
  for (off_t at = 0; at < about.st_size;)
    if (sendfile(out, in, &at, (size_t)(about.st_size - at)) <= 0) exit(1);
  fchmod(out, mode);
  close(in);
  close(out);
}

static int call_as_another_user(const char* folder, const char* program, int variables) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("HWLOC_PLUGINS_PATH", folder, 1);
    setenv("HWLOC_SYNTHETIC", "pu:37", 1);
    for (int i = 0; i < variables; i++) {
      char name[16];
      snprintf(name, sizeof name, "V%d", i);
      setenv(name, "", 1);
    }
    if (setgroups(0, NULL) != 0 || setgid(nobody) != 0 || setuid(nobody) != 0) _exit(skipped);
    execl(program, program, (char*)NULL);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int count, char** words) {
  if (count == 1) return run_raised();
  if (geteuid() != 0) return skipped;
  char folder[] = "/tmp/xylem-raised-XXXXXX", program[64], plugin[64];
  if (!mkdtemp(folder)) return skipped;
  chmod(folder, 0755);
  snprintf(program, sizeof program, "%s/program", folder);
  snprintf(plugin, sizeof plugin, "%s/hwloc_marks.so", folder);
  copy("/proc/self/exe", program, 04755);
  copy(words[1], plugin, 0755);
  int code = call_as_another_user(folder, program, 0);
  if (code == 0) code = call_as_another_user(folder, program, many);
  unlink(program);
  unlink(plugin);
  rmdir(folder);
  return code;
}
