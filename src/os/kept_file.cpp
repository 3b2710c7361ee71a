// Owns: replacing a file as a whole. See kept_file.hpp. Calls the kernel without libc, so that
// errno stays.
#include "os/kept_file.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>

#include <cerrno>
#include <cstdio>

#include "os/clock.hpp"
#include "os/files.hpp"
#include "os/raw_syscall.hpp"
#include "os/thread.hpp"

namespace xylem::os {

namespace {

long word(const char* text) { return reinterpret_cast<long>(text); }

// Makes `depth` folders around the path, the outermost first; those that are there stay.
void make_folders_around(std::string_view path, int depth) {
  const std::size_t end = path.rfind('/');
  if (depth == 0 || end == std::string_view::npos || end == 0) return;
  const std::string_view folder = path.substr(0, end);
  make_folders_around(folder, depth - 1);
  const PathBuffer name(folder);
  raw_syscall(SYS_mkdirat, AT_FDCWD, word(name.c_str()), 0700);  // failing: the file will too
}

int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const long done =
        raw_syscall(SYS_write, file, word(text.data()), static_cast<long>(text.size()));
    if (done == -EINTR) continue;
    if (done <= 0) return done < 0 ? static_cast<int>(done) : -ENOSPC;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
  return 0;
}

// A new file; somebody else's of that name is left alone.
int write_new(const char* path, std::string_view text) {
  const long file = raw_syscall(SYS_openat, AT_FDCWD, word(path),
                                O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (file < 0) return static_cast<int>(file);
  const int error = write_all(static_cast<int>(file), text);
  raw_syscall(SYS_close, file);
  if (error != 0) raw_syscall(SYS_unlinkat, AT_FDCWD, word(path), 0);
  return error;
}

}  // namespace

int write_kept_file(const char* path, std::string_view text) {
  make_folders_around(path, 2);
  char unique[64];  // among threads by the first, among machines that share the folder by the time
  std::snprintf(unique, sizeof unique, ".%d-%lld", thread_id(), static_cast<long long>(now_ns()));
  PathBuffer beside(path);
  beside.append(unique);
  if (!beside.ok()) return -ENAMETOOLONG;
  if (const int error = write_new(beside.c_str(), text)) return error;
  const long error =
      raw_syscall(SYS_renameat, AT_FDCWD, word(beside.c_str()), AT_FDCWD, word(path));
  if (error < 0) raw_syscall(SYS_unlinkat, AT_FDCWD, word(beside.c_str()), 0);
  return static_cast<int>(error);
}

int64_t seconds_since_1970() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec;
}

}  // namespace xylem::os
