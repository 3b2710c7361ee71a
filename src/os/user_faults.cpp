// Owns: entering the kernel for userfaultfd. See user_faults.hpp.
#include "os/user_faults.hpp"

#include <fcntl.h>
#include <linux/mempolicy.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>

#include "os/failures.hpp"
#include "os/raw_syscall.hpp"

#ifndef USERFAULTFD_IOC_NEW  // headers before Linux 6.1
#define USERFAULTFD_IOC_NEW _IO(0xAA, 0x00)
#endif

namespace xylem::os {

namespace {

constexpr size_t huge_page = size_t{2} << 20;
constexpr size_t page_bytes = 4096;
constexpr uint64_t needed = UFFD_FEATURE_THREAD_ID | UFFD_FEATURE_EVENT_REMAP |
                            UFFD_FEATURE_EVENT_REMOVE | UFFD_FEATURE_EVENT_UNMAP;

template <typename T>
long control(int descriptor, unsigned long request, T& argument) {
  return raw_syscall(SYS_ioctl, descriptor, static_cast<long>(request),
                     reinterpret_cast<long>(&argument));
}

int open_file(const char* path, int flags) {
  return static_cast<int>(
      raw_syscall(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), flags | O_CLOEXEC));
}

// Not UFFD_USER_MODE_ONLY: system calls on watched pages would fail.
int new_descriptor() {
  const int made = static_cast<int>(raw_syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK));
  if (made != -EPERM) return made;
  const int device = open_file("/dev/userfaultfd", O_RDWR);
  if (device < 0) return -EPERM;
  const long answer = raw_syscall(SYS_ioctl, device, USERFAULTFD_IOC_NEW, O_CLOEXEC | O_NONBLOCK);
  close_descriptor(device);
  return answer >= 0 ? static_cast<int>(answer) : -EPERM;
}

int open_with(uint64_t features) {
  const int made = new_descriptor();
  if (made < 0) return made;
  uffdio_api api{};
  api.api = UFFD_API;
  api.features = features;
  const long answer = control(made, UFFDIO_API, api);
  if (answer == 0) return made;
  close_descriptor(made);
  return answer == -EINVAL ? -EOPNOTSUPP : static_cast<int>(answer);
}

FaultEvent event_of(const uffd_msg& message) {
  using Kind = FaultEvent::Kind;
  switch (message.event) {
    case UFFD_EVENT_PAGEFAULT:
      return {Kind::touched, message.arg.pagefault.address & ~(page_bytes - 1), 0, 0,
              static_cast<int>(message.arg.pagefault.feat.ptid)};
    case UFFD_EVENT_FORK:
      return {Kind::forked, 0, 0, 0, static_cast<int>(message.arg.fork.ufd)};
    case UFFD_EVENT_REMAP:
      return {Kind::moved, message.arg.remap.from, message.arg.remap.from + message.arg.remap.len,
              message.arg.remap.to, -1};
    case UFFD_EVENT_REMOVE:
      return {Kind::removed, message.arg.remove.start, message.arg.remove.end, 0, -1};
    case UFFD_EVENT_UNMAP:
      return {Kind::unmapped, message.arg.remove.start, message.arg.remove.end, 0, -1};
    default:
      return {};
  }
}

}  // namespace

int open_user_faults(bool& sees_forks) {
  if (const int error = injected_failure()) return error;
  int made = open_with(needed | UFFD_FEATURE_EVENT_FORK);
  sees_forks = made >= 0;
  if (made == -EPERM || made == -EOPNOTSUPP) made = open_with(needed);
  return made;
}

void close_descriptor(int descriptor) { raw_syscall(SYS_close, descriptor); }

int watch_pages(int faults, uintptr_t start, size_t bytes) {
  if (const int error = injected_failure()) return error;
  uffdio_register range{};
  range.range = {start, bytes};
  range.mode = UFFDIO_REGISTER_MODE_MISSING;
  return static_cast<int>(control(faults, UFFDIO_REGISTER, range));
}

int unwatch_pages(int faults, uintptr_t start, size_t bytes) {
  uffdio_range range{start, bytes};
  return static_cast<int>(control(faults, UFFDIO_UNREGISTER, range));
}

// Injects no failure: a thread sleeps until it is given its page, and nothing can be done without.
long give_pages(int faults, uintptr_t to, uintptr_t from, size_t bytes) {
  uffdio_copy copy{};
  copy.dst = to;
  copy.src = from;
  copy.len = bytes;
  copy.mode = UFFDIO_COPY_MODE_DONTWAKE;
  const long answer = control(faults, UFFDIO_COPY, copy);
  if (copy.copy > 0) return static_cast<long>(copy.copy);
  return answer != 0 ? answer : static_cast<long>(copy.copy);
}

void wake_touchers(int faults, uintptr_t start, size_t bytes) {
  uffdio_range range{start, bytes};
  control(faults, UFFDIO_WAKE, range);
}

// The kernel looks at its count of changes before it looks at the range, which is none.
bool mappings_change(int faults) {
  uffdio_zeropage nothing{};
  return control(faults, UFFDIO_ZEROPAGE, nothing) == -EAGAIN;
}

size_t read_fault_events(int faults, std::span<FaultEvent> events) {
  std::array<uffd_msg, 16> messages;
  const size_t most = events.size() < messages.size() ? events.size() : messages.size();
  const long bytes = raw_syscall(SYS_read, faults, reinterpret_cast<long>(messages.data()),
                                 static_cast<long>(most * sizeof(uffd_msg)));
  const size_t count = bytes > 0 ? static_cast<size_t>(bytes) / sizeof(uffd_msg) : 0;
  for (size_t i = 0; i < count; ++i) events[i] = event_of(messages[i]);
  return count;
}

int make_bell() {
  return static_cast<int>(raw_syscall(SYS_eventfd2, 0, EFD_CLOEXEC | EFD_NONBLOCK));
}

void ring_bell(int bell) {
  const uint64_t once = 1;
  raw_syscall(SYS_write, bell, reinterpret_cast<long>(&once), sizeof once);
}

bool wait_for_faults(int faults, int bell, int milliseconds) {
  std::array<pollfd, 2> both{{{faults, POLLIN, 0}, {bell, POLLIN, 0}}};
  const long came =
      raw_syscall(SYS_poll, reinterpret_cast<long>(both.data()), both.size(), milliseconds);
  uint64_t rung = 0;
  if (both[1].revents) raw_syscall(SYS_read, bell, reinterpret_cast<long>(&rung), sizeof rung);
  return came > 0;
}

int take_pages_away(uintptr_t start, size_t bytes, uintptr_t to) {
  if (const int error = injected_failure()) return error;
  const long answer = raw_syscall(
      SYS_mremap, static_cast<long>(start), static_cast<long>(bytes), static_cast<long>(bytes),
      MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, static_cast<long>(to));
  return answer < 0 && answer > -4096 ? static_cast<int>(answer) : 0;
}

namespace {

long map_nothing(size_t bytes, int protection) {
  if (const int error = injected_failure()) return error;
  return raw_syscall(SYS_mmap, 0, static_cast<long>(bytes), protection,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

}  // namespace

uintptr_t reserve_addresses(size_t bytes, uintptr_t like) {
  const size_t more = bytes >= huge_page ? huge_page : 0;  // so that huge pages stay whole
  const long answer = map_nothing(bytes + more, PROT_NONE);
  if (answer < 0 && answer > -4096) return 0;
  const uintptr_t got = static_cast<uintptr_t>(answer);
  const size_t before = more ? (like - got) % huge_page : 0;
  if (before > 0) unmap_range(got, before);
  if (more > before) unmap_range(got + before + bytes, more - before);
  return got + before;
}

char* map_table(size_t bytes) {
  const long answer = map_nothing(bytes, PROT_READ | PROT_WRITE);
  return answer < 0 && answer > -4096 ? nullptr : reinterpret_cast<char*>(answer);
}

void unmap_range(uintptr_t start, size_t bytes) {
  raw_syscall(SYS_munmap, static_cast<long>(start), static_cast<long>(bytes));
}

void keep_taken_pages(uintptr_t start, size_t bytes) {
  const long at = static_cast<long>(start);
  const long size = static_cast<long>(bytes);
  raw_syscall(SYS_mprotect, at, size, PROT_READ | PROT_WRITE);
  raw_syscall(SYS_madvise, at, size, MADV_DONTFORK);
}

int prefer_node(int node) {
  if (const int error = injected_failure()) return error;
  constexpr int most = 1024;
  std::array<unsigned long, most / 64> words{};
  if (node >= 0 && node < most)
    words[static_cast<size_t>(node) / 64] = 1ul << (static_cast<size_t>(node) % 64);
  if (node < 0) return static_cast<int>(raw_syscall(SYS_set_mempolicy, MPOL_DEFAULT, 0, 0));
  return static_cast<int>(
      raw_syscall(SYS_set_mempolicy, MPOL_PREFERRED, reinterpret_cast<long>(words.data()), most));
}

int processors_of_thread(int tid, std::span<unsigned long> words) {
  const long bytes = raw_syscall(SYS_sched_getaffinity, tid, static_cast<long>(words.size_bytes()),
                                 reinterpret_cast<long>(words.data()));
  return static_cast<int>(bytes > 0 ? bytes / static_cast<long>(sizeof(unsigned long)) : bytes);
}

int open_page_states() { return open_file("/proc/self/pagemap", O_RDONLY); }

namespace {

// Bits of a page's state.
constexpr uint64_t present = uint64_t{1} << 63, swapped = uint64_t{1} << 62;
constexpr uint64_t of_file_or_shared = uint64_t{1} << 61;

// Calls visit(i, state) for each page until it returns false; false then, or if the kernel does not
// say.
template <typename Visit>
bool visit_states(int pages, uintptr_t start, size_t all, Visit visit) {
  std::array<uint64_t, 64> states;
  for (size_t first = 0; first < all; first += states.size()) {
    const size_t count = all - first < states.size() ? all - first : states.size();
    const long bytes =
        raw_syscall(SYS_pread64, pages, reinterpret_cast<long>(states.data()),
                    static_cast<long>(count * sizeof(uint64_t)),
                    static_cast<long>((start / page_bytes + first) * sizeof(uint64_t)));
    if (bytes != static_cast<long>(count * sizeof(uint64_t))) return false;
    for (size_t i = 0; i < count; ++i)
      if (!visit(first + i, states[i])) return false;
  }
  return true;
}

}  // namespace

bool pages_hold_something(int pages, uintptr_t start, std::span<bool> hold) {
  return visit_states(pages, start, hold.size(), [hold](size_t i, uint64_t state) {
    hold[i] = (state & (present | swapped)) != 0;
    return true;
  });
}

bool pages_are_private(int pages, uintptr_t start, size_t count) {
  return visit_states(pages, start, count, [](size_t, uint64_t state) {
    return (state & (present | of_file_or_shared)) == present;
  });
}

}  // namespace xylem::os
