// Running a program to its end: see child.hpp.
#include "os/child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>

#include "os/clock.hpp"

namespace xylem::os {

namespace {

// While it lives, the signals that tell of a child's end or of this process's stand pending.
class SignalsHeld {
 public:
  SignalsHeld() {
    signal(SIGCHLD, SIG_DFL);  // ignored, it would leave no status behind
    sigemptyset(&awaited_);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&awaited_, signal);
    sigprocmask(SIG_BLOCK, &awaited_, &before_);
  }
  ~SignalsHeld() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

  const sigset_t& before() const { return before_; }

  // The next of them, 0 after `wait_ns`.
  int next(int64_t wait_ns) const {
    const timespec wait = {wait_ns / 1'000'000'000, wait_ns % 1'000'000'000};
    const int signal = sigtimedwait(&awaited_, nullptr, &wait);
    return signal > 0 ? signal : 0;
  }

 private:
  sigset_t awaited_;
  sigset_t before_;
};

// 0 or a negative errno.
int spawn(const char* path, char* const* argv, char* const* variables, const sigset_t& mask,
          pid_t& child) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  for (const int output : {1, 2})
    posix_spawn_file_actions_addopen(&files, output, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &mask);
  const int error = posix_spawn(&child, path, &files, &attributes, argv, variables);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return -error;
}

// The signal that ended the wait: SIGCHLD, one that asks this process to end, 0 at the limit.
int await_end(const SignalsHeld& signals, pid_t child, int64_t until, ChildEnd& end) {
  for (;;) {
    if (waitpid(child, &end.status, WNOHANG) == child) return SIGCHLD;
    const int64_t left = until - now_ns();
    if (left <= 0) return 0;
    const int signal = signals.next(left);
    if (signal != 0 && signal != SIGCHLD) return signal;
  }
}

}  // namespace

ChildEnd run_child(const char* path, char* const* argv, char* const* variables, int64_t limit_ns) {
  ChildEnd end;
  int asked = 0;
  {
    const SignalsHeld signals;
    const int64_t begun = now_ns();
    pid_t child = 0;
    end.error = spawn(path, argv, variables, signals.before(), child);
    if (end.error != 0) return end;
    const int signal = await_end(signals, child, begun + limit_ns, end);
    end.elapsed_ns = now_ns() - begun;
    if (signal == SIGCHLD) return end;
    kill(-child, SIGKILL);
    waitpid(child, &end.status, 0);
    end.stopped = signal == 0;
    asked = signal;
  }
  if (asked != 0) raise(asked);
  return end;
}

}  // namespace xylem::os
