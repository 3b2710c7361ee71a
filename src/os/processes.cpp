// Other processes: see processes.hpp.
#include "os/processes.hpp"

#include <dirent.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "os/files.hpp"

namespace xylem::os {

namespace {

// Calls visit(number) for each name in the folder that is a number. 0 or a negative errno.
template <typename Visit>
int each_number(const char* folder, Visit visit) {
  DIR* open = ::opendir(folder);
  if (open == nullptr) return errno == ENOENT ? -ESRCH : -errno;
  while (const dirent* entry = ::readdir(open)) {
    long long number = 0;
    if (parse_integer(entry->d_name, number)) visit(static_cast<int>(number));
  }
  ::closedir(open);
  return 0;
}

// The text of a line "NAME:\tVALUE" of a status file; empty if there is none.
std::string_view value_in(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    std::string_view line = next_part(text, '\n');
    if (next_part(line, ':') == name) return trim(line);
  }
  return {};
}

using Buffer = std::array<char, 4096>;

int read_of(int process, const char* file, Buffer& buffer, std::string_view& text) {
  char path[128];
  std::snprintf(path, sizeof path, "/proc/%d/%s", process, file);
  const int got = read_file(path, buffer);
  if (got < 0) return got == -ENOENT ? -ESRCH : got;
  text = {buffer.data(), static_cast<size_t>(got)};
  return got == 0 ? -ESRCH : 0;
}

}  // namespace

int list_processes(std::vector<int>& out) {
  out.clear();
  const int error = each_number("/proc", [&](int process) { out.push_back(process); });
  std::sort(out.begin(), out.end());
  return error;
}

long owner_of(int process) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d", process);
  struct stat status;
  if (::stat(path, &status) != 0) return errno == ENOENT ? -ESRCH : -errno;
  return static_cast<long>(status.st_uid);
}

long own_user() { return static_cast<long>(::geteuid()); }

int find_shared_memory(int process, const char* name) {
  char folder[64], wanted[64];
  std::snprintf(folder, sizeof folder, "/proc/%d/fd", process);
  std::snprintf(wanted, sizeof wanted, "/memfd:%s (deleted)", name);
  int found = -ENOENT;
  const int error = each_number(folder, [&](int descriptor) {
    char path[96], text[128];
    std::snprintf(path, sizeof path, "%s/%d", folder, descriptor);
    const ssize_t length = ::readlink(path, text, sizeof text - 1);
    text[std::max<ssize_t>(length, 0)] = '\0';
    if (std::strcmp(text, wanted) == 0) found = std::max(found, descriptor);
  });
  return error != 0 ? error : found;
}

int read_process(int process, ProcessState& out) {
  Buffer buffer;
  std::string_view text;
  if (const int error = read_of(process, "stat", buffer, text)) return error;
  // Behind the name, which may hold anything, come the fields from the third on.
  const size_t end = text.rfind(") ");
  if (end == std::string_view::npos) return -EPROTO;
  text.remove_prefix(end + 2);
  constexpr int threads_at = 20, start_at = 22;
  long long threads = 0, start = 0;
  out.state = text.empty() ? '?' : text[0];
  for (int field = 3; field <= start_at; ++field) {
    const std::string_view part = next_part(text, ' ');
    if (field == threads_at) parse_integer(part, threads);
    if (field == start_at) parse_integer(part, start);
  }
  timespec now;
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  out.threads = static_cast<long>(threads);
  out.started_ns = start * (1'000'000'000 / ::sysconf(_SC_CLK_TCK));
  out.age_ns = int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec - out.started_ns;
  return 0;
}

int read_thread(int process, int thread, ThreadState& out) {
  char file[64];
  std::snprintf(file, sizeof file, "task/%d/status", thread);
  Buffer buffer;
  std::string_view text;
  if (const int error = read_of(process, file, buffer, text)) return error;
  const std::string_view state = value_in(text, "State");
  long long sleeps = 0;
  if (!parse_integer(value_in(text, "voluntary_ctxt_switches"), sleeps)) return -EPROTO;
  out.state = state.empty() ? '?' : state[0];
  out.sleeps = static_cast<uint64_t>(sleeps);
  return 0;
}

long number_inside(int process) {
  Buffer buffer;
  std::string_view text;
  if (const int error = read_of(process, "status", buffer, text)) return error;
  std::string_view numbers = value_in(text, "NSpid");  // from the outermost name space on
  long long number = process;
  while (!numbers.empty()) parse_integer(next_part(numbers, '\t'), number);
  return static_cast<long>(number);
}

}  // namespace xylem::os
