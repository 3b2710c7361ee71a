// Owns: OutputFile. See output_file.hpp. Calls the kernel without libc, so that errno stays.
#include "os/output_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "os/raw_syscall.hpp"

namespace xylem::os {

namespace {

// Above what programs use, so that a program that closes "all" descriptors up to a number, or gets
// the lowest free one, does not meet ours.
constexpr int wanted_descriptors[] = {1000, 500, 200};

int open_raw(const char* path, int flags) {
  long file;
  do {
    file = raw_syscall(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), flags | O_CLOEXEC, 0666);
  } while (file == -EINTR);
  return static_cast<int>(file);
}

// The same file under a high descriptor, if there may be one.
int moved_up(int file) {
  for (const int wanted : wanted_descriptors) {
    const long high = raw_syscall(SYS_fcntl, file, F_DUPFD_CLOEXEC, wanted);
    if (high < 0) continue;
    raw_syscall(SYS_close, file);
    return static_cast<int>(high);
  }
  return file;
}

bool identify(int file, uint64_t& device, uint64_t& inode) {
  struct stat status;
  const long answer = raw_syscall(SYS_newfstatat, file, reinterpret_cast<long>(""),
                                  reinterpret_cast<long>(&status), AT_EMPTY_PATH);
  if (answer < 0) return false;
  device = status.st_dev;
  inode = status.st_ino;
  return true;
}

}  // namespace

int OutputFile::open(const char* path) {
  const int opened = open_raw(path, O_WRONLY | O_CREAT | O_TRUNC);
  if (opened < 0) return opened;
  file_ = moved_up(opened);
  identify(file_, device_, inode_);
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file_);
  const long length = raw_syscall(SYS_readlinkat, AT_FDCWD, reinterpret_cast<long>(link),
                                  reinterpret_cast<long>(path_), sizeof path_ - 1);
  path_[length > 0 ? length : 0] = 0;
  return 0;
}

bool OutputFile::is_ours(int file) const {
  uint64_t device = 0, inode = 0;
  return identify(file, device, inode) && device == device_ && inode == inode_;
}

int OutputFile::recover() {
  if (is_ours(file_)) return 0;
  const int again = open_raw(path_, O_WRONLY | O_APPEND);
  if (again < 0) {
    file_ = -1;
    return again;
  }
  file_ = moved_up(again);
  if (is_ours(file_)) return 0;
  raw_syscall(SYS_close, file_);
  file_ = -1;
  return -ENOENT;
}

int OutputFile::append(std::span<const std::byte> first, std::span<const std::byte> second) {
  while (!first.empty() || !second.empty()) {
    const iovec parts[2] = {{const_cast<std::byte*>(first.data()), first.size()},
                            {const_cast<std::byte*>(second.data()), second.size()}};
    const long done = raw_syscall(SYS_writev, file_, reinterpret_cast<long>(parts), 2);
    if (done == -EINTR || done == -EAGAIN) continue;
    if (done < 0) return static_cast<int>(done);
    if (done == 0) return -ENOSPC;
    const auto bytes = static_cast<size_t>(done);
    const size_t of_first = bytes < first.size() ? bytes : first.size();
    first = first.subspan(of_first);
    second = second.subspan(bytes - of_first);
  }
  return 0;
}

void OutputFile::close() {
  if (file_ >= 0 && is_ours(file_)) raw_syscall(SYS_close, file_);
  file_ = -1;
}

}  // namespace xylem::os
