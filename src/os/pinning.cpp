// Locking pages in memory.
#include "os/pinning.hpp"

#include <sys/mman.h>

#include <cerrno>

namespace xylem::os {

int pin_pages(void* start, std::size_t bytes) {
  const int saved = errno;
  int result = ::mlock(start, bytes) == 0 ? 0 : -errno;
  errno = saved;
  return result;
}

void unpin_pages(void* start, std::size_t bytes) {
  const int saved = errno;
  ::munlock(start, bytes);
  errno = saved;
}

}  // namespace xylem::os
