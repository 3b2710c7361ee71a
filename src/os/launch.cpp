// Becoming another program: see launch.hpp.
#include "os/launch.hpp"

#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace xylem::os {

FileState file_state(const char* path) {
  struct stat status;
  if (::stat(path, &status) != 0) {
    return errno == EACCES ? FileState::not_executable : FileState::missing;
  }
  if (S_ISDIR(status.st_mode)) return FileState::folder;
  return ::access(path, X_OK) == 0 ? FileState::executable : FileState::not_executable;
}

bool raises_rights(const char* path) {
  struct stat status;
  if (::stat(path, &status) != 0) return false;
  if ((status.st_mode & S_ISUID) != 0 && status.st_uid != ::getuid()) return true;
  if ((status.st_mode & S_ISGID) != 0 && status.st_gid != ::getgid()) return true;
  return ::getuid() != 0 && ::getxattr(path, "security.capability", nullptr, 0) > 0;
}

int replace_process(const char* path, char* const* argv, char* const* variables) {
  ::execve(path, argv, variables);
  return -errno;
}

int replace_by_shell(const char* path, char* const* argv, char* const* variables) {
  std::vector<char*> shell_argv = {const_cast<char*>("/bin/sh"), const_cast<char*>(path)};
  for (char* const* argument = argv + 1; *argument != nullptr; ++argument) {
    shell_argv.push_back(*argument);
  }
  shell_argv.push_back(nullptr);
  ::execve("/bin/sh", shell_argv.data(), variables);
  return -errno;
}

std::span<char* const> environment_variables() {
  std::size_t count = 0;
  while (environ != nullptr && environ[count] != nullptr) ++count;
  return {environ, count};
}

int own_path(char* buffer, std::size_t room) {
  ssize_t length = ::readlink("/proc/self/exe", buffer, room - 1);
  if (length < 0) {  // /proc is not mounted
    const std::unique_ptr<char, decltype(&std::free)> started(
        ::realpath(reinterpret_cast<const char*>(::getauxval(AT_EXECFN)), nullptr), std::free);
    if (!started) return -errno;
    length = static_cast<ssize_t>(std::strlen(started.get()));
    if (static_cast<std::size_t>(length) >= room) return -ENAMETOOLONG;
    std::memcpy(buffer, started.get(), static_cast<std::size_t>(length));
  }
  buffer[length] = '\0';
  return static_cast<int>(length);
}

}  // namespace xylem::os
