// The end of a process that any thread may bring about, inside a region: exit with its handlers
// and static destructors, quick_exit with its own, _Exit with none, abort, an exception that nobody
// catches, and a first thread that leaves by pthread_exit while others go on.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <stdexcept>

#include "threads_move.h"

namespace {

int said[2];  // a pipe: what handlers write is what the parent counts

void say(char letter) {
  if (write(said[1], &letter, 1) != 1) _Exit(9);
}

void at_exit() { say('e'); }
void at_quick_exit_too() { say('q'); }

struct Says {
  ~Says() { say('d'); }
};

// By member `who` of a region in which the others go on without end.
template <class End>
void in_a_region(int who, End end) {
#pragma omp parallel num_threads(members)
  {
    meet_and_move();
    if (omp_get_thread_num() == who) end();
    for (;;) move_alone();
  }
}

void* go_on(void*) {
#pragma omp parallel num_threads(members)
  meet_and_move();
  exit(6);
}

void end_by(int way, int who) {
  if (way == 0) in_a_region(who, [] { exit(4); });
  if (way == 1) in_a_region(who, [] { quick_exit(5); });
  if (way == 2) in_a_region(who, [] { _Exit(7); });
  if (way == 3) in_a_region(who, [] { abort(); });
  if (way == 4) in_a_region(who, [] { throw std::runtime_error("nobody's"); });
  pthread_t thread;
  pthread_create(&thread, nullptr, go_on, nullptr);
  pthread_exit(nullptr);
}

// How a child ended that ended `way`, and what its handlers said.
void expect_end(int way, int who, int exit_code, int signal, const char* words) {
  int status = -1;
  if (pipe(said) != 0) exit(2);
  const pid_t child = fork();
  if (child == 0) {
    close(said[0]);
    if (!freopen("/dev/null", "w", stderr)) _Exit(8);
    static const Says says;
    atexit(at_exit);
    at_quick_exit(at_quick_exit_too);
    end_by(way, who);
    _Exit(3);
  }
  close(said[1]);
  char heard[8] = "";
  size_t length = 0;
  while (length < sizeof heard - 1 && read(said[0], heard + length, 1) == 1) length++;
  close(said[0]);
  waitpid(child, &status, 0);
  expect_equal("ended by a signal", WIFSIGNALED(status), signal != 0);
  expect_equal("exit code or signal", signal ? WTERMSIG(status) : WEXITSTATUS(status),
               signal ? signal : exit_code);
  expect_equal("what handlers said", std::string_view(heard) == words, 1);
}

}  // namespace

int main() {
  begin_threads();
  for (const int who : {0, members / 2, members - 1}) {
    expect_end(0, who, 4, 0, "ed");
    expect_end(1, who, 5, 0, "q");
    expect_end(2, who, 7, 0, "");
    expect_end(3, who, 0, SIGABRT, "");
    expect_end(4, who, 0, SIGABRT, "");
  }
  expect_end(5, 0, 6, 0, "ed");
  return expect_result();
}
