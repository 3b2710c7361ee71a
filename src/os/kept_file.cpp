// Owns: replacing a file as a whole, removing old ones. See kept_file.hpp. Calls the kernel without
// libc, so that errno stays.
#include "os/kept_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include <cerrno>
#include <cinttypes>
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

// Calls visit(name) for what is in the open folder.
template <typename Visit>
void each_entry(int folder, Visit visit) {
  alignas(dirent64) char entries[4096] = {};
  while (true) {
    const long got = raw_syscall(SYS_getdents64, folder, word(entries), sizeof entries);
    if (got <= 0) return;
    for (long at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
      visit(entry->d_name);
      at += entry->d_reclen;
    }
  }
}

bool was_written_before(int folder, const char* name, int64_t time) {
  struct stat found {};
  const long error = raw_syscall(SYS_newfstatat, folder, word(name), reinterpret_cast<long>(&found),
                                 AT_SYMLINK_NOFOLLOW);
  return error == 0 && found.st_mtim.tv_sec < time;
}

}  // namespace

PathBuffer kept_path(const char* cache_folder, const char* kind, uint64_t key) {
  if (*cache_folder == 0) return {};
  char name[48];
  std::snprintf(name, sizeof name, "/xylem/%s-%016" PRIx64, kind, key);
  PathBuffer path(cache_folder);
  path.append(name);
  return path;
}

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

void remove_old_files_beside(const char* path, std::string_view names, int64_t seconds) {
  PathBuffer around(path);
  around.truncate(around.view().rfind('/'));
  const long folder =
      raw_syscall(SYS_openat, AT_FDCWD, word(around.c_str()), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  const int64_t oldest = seconds_since_1970() - seconds;
  each_entry(static_cast<int>(folder), [&](const char* name) {
    if (!std::string_view(name).starts_with(names)) return;
    if (was_written_before(static_cast<int>(folder), name, oldest))
      raw_syscall(SYS_unlinkat, folder, word(name), 0);
  });
  raw_syscall(SYS_close, folder);
}

int64_t seconds_since_1970() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec;
}

void append(std::vector<char>& text, std::string_view part) {
  text.insert(text.end(), part.begin(), part.end());
}

void append_on_one_line(std::vector<char>& text, std::string_view part) {
  for (const char letter : part)
    text.push_back(static_cast<unsigned char>(letter) < ' ' || letter == 127 ? '?' : letter);
}

// Not llround: that would need libm.
long long kept_time(double ns) {
  const double exact = ns * kept_units;
  const auto below = static_cast<long long>(exact);
  return below + (exact - static_cast<double>(below) >= 0.5 ? 1 : 0);
}

bool next_number(std::string_view& rest, long long most, long long& number) {
  return parse_integer(next_part(rest, ' '), number) && number >= 0 && number <= most;
}

}  // namespace xylem::os
