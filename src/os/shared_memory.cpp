// Memory that other processes may map: see shared_memory.hpp. Calls the kernel without libc, so
// that a program's errno stays.
#include "os/shared_memory.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "os/raw_syscall.hpp"

namespace xylem::os {

namespace {

constexpr unsigned never_executable = 8;  // MFD_NOEXEC_SEAL, kernel 6.3 on; allows seals as well
constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

// Above what programs use, as the trace's file (output_file.cpp).
constexpr int wanted_descriptors[] = {1000, 500, 200};

int make_file(const char* name) {
  const long text = reinterpret_cast<long>(name);
  long file = raw_syscall(SYS_memfd_create, text, MFD_CLOEXEC | never_executable);
  if (file == -EINVAL) file = raw_syscall(SYS_memfd_create, text, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return static_cast<int>(file);
  for (const int wanted : wanted_descriptors) {
    const long high = raw_syscall(SYS_fcntl, file, F_DUPFD_CLOEXEC, wanted);
    if (high < 0) continue;
    raw_syscall(SYS_close, file);
    return static_cast<int>(high);
  }
  return static_cast<int>(file);
}

long look_at(int file, struct stat& status) {
  return raw_syscall(SYS_newfstatat, file, reinterpret_cast<long>(""),
                     reinterpret_cast<long>(&status), AT_EMPTY_PATH);
}

// Where files may not be so long (ulimit -f) the kernel would end the process.
bool may_be_as_long(std::size_t bytes) {
  rlimit limit{};
  const long answer =
      raw_syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, reinterpret_cast<long>(&limit));
  return answer == 0 && (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= bytes);
}

// Takes the memory now: later a machine that has none left would answer a write with SIGBUS.
int set_size(int file, std::size_t bytes) {
  if (!may_be_as_long(bytes)) return -EFBIG;
  const long size = static_cast<long>(bytes);
  if (const long error = raw_syscall(SYS_ftruncate, file, size)) return static_cast<int>(error);
  const long taken = raw_syscall(SYS_fallocate, file, 0, 0, size);
  if (taken < 0 && taken != -EOPNOTSUPP && taken != -ENOSYS) return static_cast<int>(taken);
  return static_cast<int>(raw_syscall(SYS_fcntl, file, F_ADD_SEALS, seals));
}

}  // namespace

int SharedMemory::keep_mapping(int file, std::size_t bytes) {
  const long answer = raw_syscall(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                                  MAP_SHARED, file, 0);
  if (answer < 0 && answer > -4096) return static_cast<int>(answer);
  bytes_ = {reinterpret_cast<std::byte*>(answer), bytes};
  return 0;
}

int SharedMemory::create(const char* name, std::size_t bytes) {
  const int file = make_file(name);
  if (file < 0) return file;
  struct stat status {};
  int error = set_size(file, bytes);
  if (error == 0) error = static_cast<int>(look_at(file, status));
  if (error == 0) error = keep_mapping(file, bytes);
  if (error != 0) {
    raw_syscall(SYS_close, file);
    return error;
  }
  file_ = file;
  device_ = status.st_dev;
  inode_ = status.st_ino;
  return 0;
}

int SharedMemory::attach(int process, int descriptor) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", process, descriptor);
  const long file =
      raw_syscall(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), O_RDWR | O_CLOEXEC);
  if (file < 0) return static_cast<int>(file);
  struct stat status {};
  int error = static_cast<int>(look_at(static_cast<int>(file), status));
  const long sealed = raw_syscall(SYS_fcntl, file, F_GET_SEALS);
  if (error == 0 && (sealed < 0 || (sealed & F_SEAL_SHRINK) == 0 || status.st_size <= 0))
    error = -EPROTO;
  if (error == 0)
    error = keep_mapping(static_cast<int>(file), static_cast<std::size_t>(status.st_size));
  raw_syscall(SYS_close, file);
  return error;
}

bool SharedMemory::is_ours(int file) const {
  struct stat status {};
  return look_at(file, status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

void SharedMemory::release() {
  if (!bytes_.empty())
    raw_syscall(SYS_munmap, reinterpret_cast<long>(bytes_.data()),
                static_cast<long>(bytes_.size()));
  if (file_ >= 0 && is_ours(file_)) raw_syscall(SYS_close, file_);
  bytes_ = {};
  file_ = -1;
}

}  // namespace xylem::os
