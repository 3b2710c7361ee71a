// Files of rows: see row_file.hpp. Calls the kernel without libc, so that a program's errno stays.
#include "os/row_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/raw_syscall.hpp"

namespace xylem::os {

namespace {

// Above what programs use, as the trace's file (output_file.cpp).
constexpr int wanted_descriptors[] = {1000, 500, 200};
constexpr unsigned others = 077;

long as_word(const void* pointer) { return reinterpret_cast<long>(pointer); }

long look_at(int file, struct stat& status) {
  return raw_syscall(SYS_newfstatat, file, as_word(""), as_word(&status), AT_EMPTY_PATH);
}

void close_file(int file) { raw_syscall(SYS_close, file); }

int open_at(int folder, const char* name, int flags) {
  long file;
  do {
    file = raw_syscall(SYS_openat, folder, as_word(name), flags | O_NOFOLLOW | O_CLOEXEC, 0600);
  } while (file == -EINTR);
  return static_cast<int>(file);
}

int moved_up(int file) {
  for (const int wanted : wanted_descriptors) {
    const long high = raw_syscall(SYS_fcntl, file, F_DUPFD_CLOEXEC, wanted);
    if (high < 0) continue;
    close_file(file);
    return static_cast<int>(high);
  }
  return file;
}

// 0 if it is of that type, this user's, and closed to others.
int check(int file, unsigned type, struct stat& status) {
  if (const long error = look_at(file, status)) return static_cast<int>(error);
  if ((status.st_mode & S_IFMT) != type) return -EPROTO;
  const auto user = static_cast<uid_t>(raw_syscall(SYS_geteuid));
  return status.st_uid == user && (status.st_mode & others) == 0 ? 0 : -EPERM;
}

int open_folder(const char* path, RowFile::Open how) {
  if (how == RowFile::Open::make_if_missing)
    raw_syscall(SYS_mkdirat, AT_FDCWD, as_word(path), 0700);  // whether it is there tells open()
  const int folder = open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY);
  if (folder < 0) return folder == -ENOTDIR || folder == -ELOOP ? -EPROTO : folder;
  struct stat status {};
  const int error = check(folder, S_IFDIR, status);
  if (error == 0) return folder;
  close_file(folder);
  return error;
}

struct flock lock_of(std::size_t row_bytes, int row) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(row_bytes) * row;
  lock.l_len = static_cast<off_t>(row_bytes);
  return lock;
}

// Where files may not be so long (ulimit -f) the kernel would send SIGXFSZ.
bool may_be_as_long(std::size_t bytes) {
  rlimit limit{};
  const long answer = raw_syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, as_word(&limit));
  return answer == 0 && (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= bytes);
}

}  // namespace

// A fifo would keep an opener waiting for ever, but for O_NONBLOCK.
int RowFile::open(const char* folder_path, const char* name, Open how) {
  const int folder = open_folder(folder_path, how);
  if (folder < 0) return folder;
  const int make = how == Open::make_if_missing ? O_CREAT : 0;
  const int file = open_at(folder, name, O_RDWR | O_NONBLOCK | O_NOCTTY | make);
  close_file(folder);
  if (file < 0) return file == -ELOOP || file == -EISDIR || file == -ENXIO ? -EPROTO : file;
  struct stat status {};
  int error = check(file, S_IFREG, status);
  if (error == 0 && status.st_nlink != 1)
    error = -EPERM;  // also somewhere else, for who knows whom
  if (error != 0) {
    close_file(file);
    return error;
  }
  file_ = moved_up(file);
  device_ = status.st_dev;
  inode_ = status.st_ino;
  return 0;
}

int RowFile::take_row(std::size_t row_bytes, int rows) {
  for (int row = 0; row < rows; ++row) {
    struct flock lock = lock_of(row_bytes, row);
    const long answer = raw_syscall(SYS_fcntl, file_, F_OFD_SETLK, as_word(&lock));
    if (answer == 0) return row;
    if (answer != -EAGAIN && answer != -EACCES) return static_cast<int>(answer);
  }
  return -EAGAIN;
}

int RowFile::is_taken_by_other(std::size_t row_bytes, int row) const {
  struct flock lock = lock_of(row_bytes, row);
  const long answer = raw_syscall(SYS_fcntl, file_, F_OFD_GETLK, as_word(&lock));
  if (answer != 0) return static_cast<int>(answer);
  return lock.l_type == F_UNLCK ? 0 : 1;
}

int RowFile::read(std::span<std::byte> buffer, std::size_t from) const {
  return static_cast<int>(raw_syscall(SYS_pread64, file_, as_word(buffer.data()),
                                      static_cast<long>(buffer.size()), static_cast<long>(from)));
}

int RowFile::write_row(std::span<const std::byte> row, int index) const {
  const std::size_t begin = row.size() * static_cast<std::size_t>(index);
  if (!may_be_as_long(begin + row.size())) return -EFBIG;
  const long written = raw_syscall(SYS_pwrite64, file_, as_word(row.data()),
                                   static_cast<long>(row.size()), static_cast<long>(begin));
  if (written < 0) return static_cast<int>(written);
  return written == static_cast<long>(row.size()) ? 0 : -ENOSPC;
}

bool RowFile::is_ours() const {
  struct stat status {};
  return look_at(file_, status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

bool RowFile::is_whole() const {
  struct stat status {};
  return file_ >= 0 && look_at(file_, status) == 0 && status.st_dev == device_ &&
         status.st_ino == inode_ && status.st_nlink == 1;
}

void RowFile::close() {
  if (file_ >= 0 && is_ours()) close_file(file_);
  file_ = -1;
}

PathBuffer session_folder(const char* runtime_folder) {
  PathBuffer path;
  if (*runtime_folder != 0) return path.append(runtime_folder).append("/xylem");
  char user[32];
  snprintf(user, sizeof user, "/tmp/xylem-%ld", raw_syscall(SYS_geteuid));
  return path.append(user);
}

namespace {

// The number in "pid:[4026531836]".
bool append_number_of(PathBuffer& name, const char* space) {
  char link[64];
  const long length =
      raw_syscall(SYS_readlinkat, AT_FDCWD, as_word(space), as_word(link), sizeof link);
  if (length <= 0 || length >= static_cast<long>(sizeof link)) return false;
  std::string_view text(link, static_cast<std::size_t>(length));
  next_part(text, '[');
  const std::string_view number = next_part(text, ']');
  return !number.empty() && name.append("-").append(number).ok();
}

}  // namespace

bool name_in_session(const char* kind, PathBuffer& name) {
  char boot[64];
  name = PathBuffer(kind);
  return read_file("/proc/sys/kernel/random/boot_id", boot) > 0 &&
         name.append("-").append(trim(boot)).ok() && append_number_of(name, "/proc/self/ns/pid") &&
         append_number_of(name, "/proc/self/ns/mnt");
}

}  // namespace xylem::os
