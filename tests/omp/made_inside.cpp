// What the members of a team make may run on all the processors that the process may: a pthread, a
// std::async, and children made by system, popen, posix_spawn and fork. "bound": threads are bound
// to places of one processor each, and what a member makes inherits its place.
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <future>
#include <string>

#include "expect.h"

extern char** environ;

static int processors;

static int allowed() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  return CPU_COUNT(&set);
}

static void* allowed_in_thread(void* out) {
  *static_cast<int*>(out) = allowed();
  return nullptr;
}

static int in_pthread() {
  pthread_t thread;
  int seen = -1;
  if (pthread_create(&thread, nullptr, allowed_in_thread, &seen) != 0) return -1;
  pthread_join(thread, nullptr);
  return seen;
}

static int in_async() { return std::async(std::launch::async, allowed).get(); }

static int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }

static int in_system() { return exit_code(system("exit $(env -u OMP_NUM_THREADS nproc)")); }

static int in_popen() {
  FILE* pipe = popen("env -u OMP_NUM_THREADS nproc", "r");
  int seen = -1;
  if (pipe && fscanf(pipe, "%d", &seen) != 1) seen = -1;
  if (pipe) pclose(pipe);
  return seen;
}

static int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return exit_code(status);
}

static int in_spawned() {
  const char* words[] = {"sh", "-c", "exit $(env -u OMP_NUM_THREADS nproc)", nullptr};
  pid_t child;
  if (posix_spawnp(&child, "sh", nullptr, nullptr, const_cast<char**>(words), environ) != 0)
    return -1;
  return wait_for(child);
}

static int in_forked() {
  const pid_t child = fork();
  if (child == 0) _exit(allowed());
  return wait_for(child);
}

static void expect_all(int members) {
#pragma omp parallel num_threads(members)
  {
#pragma omp barrier
    const int mine = allowed();
#pragma omp critical
    {
      expect_equal("processors of a member", mine, processors);
      expect_equal("of its pthread", in_pthread(), processors);
      expect_equal("of its std::async", in_async(), processors);
      expect_equal("of a child of system", in_system(), processors);
      expect_equal("of a child of popen", in_popen(), processors);
      expect_equal("of a child of posix_spawn", in_spawned(), processors);
      expect_equal("of a child of fork", in_forked(), processors);
    }
#pragma omp barrier
  }
}

int main(int argc, char** argv) {
  if (allowed() > 255) return 77;  // an exit code has no room
  processors = argc > 1 && strcmp(argv[1], "bound") == 0 ? 1 : allowed();
  expect_all(omp_get_num_procs());
  expect_all(2 * omp_get_num_procs() + 1);
  return expect_result();
}
