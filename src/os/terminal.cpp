// The terminal: see terminal.hpp.
#include "os/terminal.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

namespace xylem::os {

namespace {

volatile sig_atomic_t end_wanted = 0;
constexpr int ends[] = {SIGINT, SIGTERM, SIGHUP};
struct sigaction actions_before[3];

void record_end(int) { end_wanted = 1; }

bool write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(STDOUT_FILENO, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    text.remove_prefix(static_cast<size_t>(done));
  }
  return true;
}

}  // namespace

bool output_is_terminal() { return ::isatty(STDOUT_FILENO) == 1; }

void Terminal::open() {
  if (open_) return;
  open_ = true;
  end_wanted = 0;
  struct sigaction action {};
  action.sa_handler = record_end;
  for (size_t at = 0; at < 3; ++at) ::sigaction(ends[at], &action, &actions_before[at]);
  keys_ = ::tcgetattr(STDIN_FILENO, &before_) == 0;
  if (keys_) {
    termios mine = before_;
    mine.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
    mine.c_cc[VMIN] = 1;
    mine.c_cc[VTIME] = 0;
    ::tcsetattr(STDIN_FILENO, TCSANOW, &mine);
  }
  write_all("\033[?1049h\033[?25l");
}

void Terminal::close() {
  if (!open_) return;
  open_ = false;
  write_all("\033[?25h\033[?1049l");
  if (keys_) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  for (size_t at = 0; at < 3; ++at) ::sigaction(ends[at], &actions_before[at], nullptr);
}

Terminal::Size Terminal::size() {
  winsize known{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &known) != 0 || known.ws_row == 0 || known.ws_col == 0)
    return {24, 80};
  return {known.ws_row, known.ws_col};
}

char Terminal::wait_key(int64_t ns) {
  if (asked_to_end()) return 0;
  pollfd input{STDIN_FILENO, POLLIN, 0};
  const timespec limit{ns / 1'000'000'000, ns % 1'000'000'000};
  if (::ppoll(&input, keys_ ? 1 : 0, &limit, nullptr) <= 0) return 0;
  char key = 0;
  const ssize_t got = ::read(STDIN_FILENO, &key, 1);
  if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) input_ended_ = true;
  return got == 1 ? key : 0;
}

bool Terminal::asked_to_end() const { return end_wanted != 0 || input_ended_; }

bool Terminal::show(std::string_view text) {
  return write_all("\033[H") && write_all(text) && write_all("\033[J");
}

}  // namespace xylem::os
