/* relay PORT command...
 *
 * The last act of a lab machine's first process: runs the command and tells the outside what it
 * does, as frames on one port, so that nothing can overtake anything else: kind (1 byte), length (4
 * bytes, little-endian), data kinds: 'u' up, the command is about to start; 'o' and 'e' what it
 * wrote to stdout and stderr; 'x' its exit code as 4 bytes (128 + n for signal n, 127 not found,
 * 126 not to be run), the last. When the command has ended, everything it left running is killed;
 * what was written before is still passed on. Then the machine is switched off.
 *
 * Linked statically: it must not depend on what a job brings along. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { not_runnable = 126, not_found = 127, of_signal = 128 };

static int port; /* set once, before anything is sent */

/* The port is gone when the outside has closed it: nobody is left to tell. */
static void power_off(void) {
  reboot(RB_POWER_OFF);
  _exit(1);
}

static void fail(const char* what) {
  fprintf(stderr, "lab relay: %s: %s\n", what, strerror(errno));
  power_off();
}

static void write_whole(const void* data, size_t length) {
  const char* next = data;
  while (length > 0) {
    ssize_t written = write(port, next, length);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("the port does not take what was written");
    next += written;
    length -= (size_t)written;
  }
}

static void send_frame(char kind, const void* data, uint32_t length) {
  unsigned char head[5] = {(unsigned char)kind};
  for (int i = 0; i < 4; i++) head[1 + i] = (unsigned char)(length >> (8 * i));
  write_whole(head, sizeof head);
  write_whole(data, length);
}

/* Passes on what one read gives; false at the end of the stream. */
static int pass_on(char kind, int from) {
  static char buffer[1 << 15];
  ssize_t length = read(from, buffer, sizeof buffer);
  if (length < 0 && errno == EINTR) return 1;
  if (length <= 0) return 0;
  send_frame(kind, buffer, (uint32_t)length);
  return 1;
}

/* Children that ended, the command's orphans among them; the command's status, or -1. */
static int reap(pid_t command) {
  int status, found = -1;
  pid_t ended;
  while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
    if (ended == command) found = status;
  }
  return found;
}

static pid_t start(char** words, int out, int err, const sigset_t* mask) {
  pid_t child = fork();
  if (child != 0) return child;
  setsid();
  sigprocmask(SIG_SETMASK, mask, NULL);
  dup2(open("/dev/null", O_RDONLY), 0);
  dup2(out, 1);
  dup2(err, 2);
  execvp(words[0], words);
  fprintf(stderr, "lab: cannot run %s: %s\n", words[0], strerror(errno));
  _exit(errno == ENOENT ? not_found : not_runnable);
}

/* Relays until the command has ended and both streams are dry; its wait status. */
static int relay(pid_t command, int out, int err, int signals) {
  struct pollfd from[3] = {{out, POLLIN, 0}, {err, POLLIN, 0}, {signals, POLLIN, 0}};
  int status = -1;
  while (from[0].fd >= 0 || from[1].fd >= 0 || status < 0) {
    if (poll(from, 3, -1) < 0) continue;
    if (from[0].revents && !pass_on('o', out)) from[0].fd = -1;
    if (from[1].revents && !pass_on('e', err)) from[1].fd = -1;
    if (from[2].revents) {
      struct signalfd_siginfo news;
      if (read(signals, &news, sizeof news) < 0) continue;
      int ended = reap(command);
      if (ended < 0) continue;
      status = ended;
      kill(-1, SIGKILL); /* as the first process: all but itself. So the streams end */
    }
  }
  return status;
}

int main(int count, char** words) {
  if (count < 3) return not_runnable;
  port = open(words[1], O_WRONLY | O_CLOEXEC);
  if (port < 0) fail(words[1]);
  sigset_t before, children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, &before);
  int signals = signalfd(-1, &children, SFD_CLOEXEC);
  int out[2], err[2];
  if (signals < 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) fail("pipes");
  send_frame('u', "", 0);
  pid_t command = start(words + 2, out[1], err[1], &before);
  if (command < 0) fail("fork");
  close(out[1]);
  close(err[1]);
  int status = relay(command, out[0], err[0], signals);
  int code = WIFSIGNALED(status) ? of_signal + WTERMSIG(status) : WEXITSTATUS(status);
  unsigned char told[4] = {(unsigned char)code};
  send_frame('x', told, sizeof told);
  /* The outside ends the machine as soon as it has read this; switching off is for when it cannot.
   */
  sleep(2);
  power_off();
}
