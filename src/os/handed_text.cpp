// Owns: the memory file. See handed_text.hpp.
#include "os/handed_text.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

namespace xylem::os {

int hand_over_text(std::string_view text) {
  const int file = memfd_create("xylem-plan", 0);
  if (file < 0) return -errno;
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int error = errno;
      close(file);
      return -error;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return file;
}

}  // namespace xylem::os
