// Owns: the mmap family. See memory.hpp. All calls are raw: a fiber's errno stays as it was.
#include "os/memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "os/failures.hpp"
#include "os/files.hpp"
#include "os/raw_syscall.hpp"

namespace xylem::os {

namespace {
constexpr int madvise_guard_install = 102;
constexpr int madvise_populate_write = 23;
bool failed(long answer) { return answer < 0 && answer > -4096; }
}  // namespace

size_t page_size() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

namespace {

// Whether a page is there that nobody has touched: the process locks what it maps.
bool is_locked(long fresh_page) {
  unsigned char present = 0;
  raw_syscall(SYS_mincore, fresh_page, 1, reinterpret_cast<long>(&present));
  return (present & 1) != 0;
}

long map_anonymous(long bytes) {
  return raw_syscall(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
}

// What a filter of system calls answers.
bool is_forbidden(long answer) { return answer == -EPERM || answer == -ENOSYS; }

}  // namespace

// What grows from an unlocked page is unlocked, whatever the process asked for what it maps. Where
// a filter of system calls forbids that, all is mapped at once, and may be locked.
char* map_pages(size_t bytes) {
  const auto size = static_cast<long>(bytes), page = static_cast<long>(page_size());
  const long first = map_anonymous(page);
  if (failed(first)) return nullptr;
  const bool locked = is_locked(first);
  if (locked) raw_syscall(SYS_munlock, first, page);
  long all = raw_syscall(SYS_mremap, first, page, size, MREMAP_MAYMOVE);
  if (failed(all)) raw_syscall(SYS_munmap, first, page);
  if (is_forbidden(all)) all = map_anonymous(size);
  if (failed(all)) return nullptr;
  raw_syscall(SYS_madvise, all, size, MADV_NOHUGEPAGE);
  if (locked) raw_syscall(SYS_mlock2, all, size, MLOCK_ONFAULT);  // refused: they stay unlocked
  return reinterpret_cast<char*>(all);
}

bool reserving_is_limited() {
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit;
    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) return true;
  }
  std::array<char, 16> text;
  return read_file("/proc/sys/vm/overcommit_memory", text) > 0 && text[0] == '2';
}

void unmap_pages(char* start, size_t bytes) {
  raw_syscall(SYS_munmap, reinterpret_cast<long>(start), static_cast<long>(bytes));
}

Guard guard_pages(char* start, size_t bytes, bool allow_split) {
  const long at = reinterpret_cast<long>(start);
  const long size = static_cast<long>(bytes);
  if (raw_syscall(SYS_madvise, at, size, madvise_guard_install) == 0) return Guard::light;
  if (allow_split && raw_syscall(SYS_mprotect, at, size, PROT_NONE) == 0) return Guard::split;
  return Guard::none;
}

int make_executable(char* start, size_t bytes) {
  return static_cast<int>(raw_syscall(SYS_mprotect, reinterpret_cast<long>(start),
                                      static_cast<long>(bytes),
                                      PROT_READ | PROT_WRITE | PROT_EXEC));
}

void drop_pages(char* start, size_t bytes) {
  raw_syscall(SYS_madvise, reinterpret_cast<long>(start), static_cast<long>(bytes), MADV_DONTNEED);
}

namespace {

char* map_counted(size_t bytes, int more_flags) {
  if (injected_failure()) return nullptr;
  const long answer = raw_syscall(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | more_flags, -1, 0);
  return failed(answer) ? nullptr : reinterpret_cast<char*>(answer);
}

}  // namespace

char* map_memory(size_t bytes) { return map_counted(bytes, 0); }
char* map_huge_memory(size_t bytes) { return map_counted(bytes, MAP_HUGETLB); }

void pages_present(const void* start, std::span<uint8_t> present) {
  const size_t page = page_size();
  const auto ask = [&](size_t first, size_t count) {
    return raw_syscall(SYS_mincore, reinterpret_cast<long>(start) + static_cast<long>(first * page),
                       static_cast<long>(count * page),
                       reinterpret_cast<long>(present.data() + first));
  };
  // One answer for all is refused when some are not mapped: then each alone.
  if (ask(0, present.size()) != 0)
    for (size_t i = 0; i < present.size(); ++i)
      if (ask(i, 1) != 0) present[i] = 0;
  for (uint8_t& one : present) one &= 1;
}

int populate_pages(void* start, size_t bytes) {
  if (const int error = injected_failure()) return error;
  return static_cast<int>(raw_syscall(SYS_madvise, reinterpret_cast<long>(start),
                                      static_cast<long>(bytes), madvise_populate_write));
}

}  // namespace xylem::os
