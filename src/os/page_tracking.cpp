// Owns: reading and writing the kernel's files of page states. See page_tracking.hpp.
#include "os/page_tracking.hpp"

#include <fcntl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>

#include "os/files.hpp"
#include "os/memory.hpp"
#include "os/raw_syscall.hpp"

namespace xylem::os {

namespace {

constexpr std::size_t word_bytes = sizeof(uint64_t), word_bits = 64;

int open_below(const char* root, const char* name, int flags) {
  PathBuffer path(root);
  path.append(name);
  return static_cast<int>(
      raw_syscall(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path.c_str()), flags | O_CLOEXEC));
}

int done_whole(long answer, std::size_t bytes) {
  if (answer < 0) return static_cast<int>(answer);
  return answer == static_cast<long>(bytes) ? 0 : -EIO;
}

int read_words(int file, uint64_t first, std::span<uint64_t> words) {
  return done_whole(
      raw_syscall(SYS_pread64, file, reinterpret_cast<long>(words.data()),
                  static_cast<long>(words.size_bytes()), static_cast<long>(first * word_bytes)),
      words.size_bytes());
}

int write_word(int file, uint64_t index, uint64_t word) {
  return done_whole(raw_syscall(SYS_pwrite64, file, reinterpret_cast<long>(&word), word_bytes,
                                static_cast<long>(index * word_bytes)),
                    word_bytes);
}

PageState state_of(uint64_t word) {
  constexpr uint64_t present = uint64_t{1} << 63, written = uint64_t{1} << 55;
  constexpr uint64_t frame = written - 1;
  return {(word & present) != 0 ? word & frame : 0, (word & written) != 0};
}

PageState state_of_page(const PageTracking& tracking, const char* page) {
  PageState state;
  page_states(tracking, reinterpret_cast<uintptr_t>(page) / page_size(), {&state, 1});
  return state;
}

// Whether what was opened does what it is to do, by the page, which nobody else accesses.
void try_both(PageTracking& tracking, volatile char* page) {
  const auto* address = const_cast<const char*>(page);
  *page = 1;
  if (tracking.no_writes == 0) tracking.no_writes = forget_writes(tracking);
  const bool is_forgotten = !state_of_page(tracking, address).is_written;
  *page = 2;
  const PageState state = state_of_page(tracking, address);
  if (tracking.no_writes == 0 && !(is_forgotten && state.is_written)) tracking.no_writes = -ENOSYS;
  if (tracking.no_accesses != 0) return;
  uint8_t is_idle = 0;
  tracking.no_accesses = state.frame == 0 ? -EPERM : mark_idle(tracking, {&state.frame, 1});
  if (tracking.no_accesses == 0)
    tracking.no_accesses = find_idle(tracking, {&state.frame, 1}, {&is_idle, 1});
}

}  // namespace

PageTracking open_page_tracking(const char* root) {
  PageTracking tracking;
  tracking.states = open_below(root, "/proc/self/pagemap", O_RDONLY);
  if (tracking.states < 0) {
    tracking.no_accesses = tracking.no_writes = tracking.states;
    return tracking;
  }
  tracking.marks = open_below(root, "/proc/self/clear_refs", O_WRONLY);
  tracking.idle_bits = open_below(root, "/sys/kernel/mm/page_idle/bitmap", O_RDWR);
  tracking.no_writes = std::min(tracking.marks, 0);
  tracking.no_accesses = std::min(tracking.idle_bits, 0);
  if (*root != '\0') return tracking;
  char* page = map_memory(page_size());
  if (page == nullptr) {
    tracking.no_accesses = tracking.no_writes = -ENOMEM;
    return tracking;
  }
  try_both(tracking, page);
  unmap_pages(page, page_size());
  return tracking;
}

void close_page_tracking(PageTracking& tracking) {
  for (const int file : {tracking.states, tracking.marks, tracking.idle_bits})
    if (file >= 0) raw_syscall(SYS_close, file);
  tracking = {};
}

int page_states(const PageTracking& tracking, uint64_t first, std::span<PageState> states) {
  std::array<uint64_t, 256> words;
  for (std::size_t done = 0; done < states.size(); done += words.size()) {
    const std::span<uint64_t> some(words.data(), std::min(words.size(), states.size() - done));
    if (const int error = read_words(tracking.states, first + done, some)) return error;
    for (std::size_t i = 0; i < some.size(); ++i) states[done + i] = state_of(some[i]);
  }
  return 0;
}

int forget_writes(const PageTracking& tracking) {
  constexpr char soft_dirty = '4';  // what Linux documents of /proc/PID/clear_refs
  return done_whole(raw_syscall(SYS_write, tracking.marks, reinterpret_cast<long>(&soft_dirty), 1),
                    1);
}

int mark_idle(const PageTracking& tracking, std::span<const uint64_t> frames) {
  for (std::size_t i = 0; i < frames.size();) {
    const uint64_t index = frames[i] / word_bits;
    uint64_t word = 0;
    for (; i < frames.size() && frames[i] / word_bits == index; ++i)
      word |= uint64_t{1} << (frames[i] % word_bits);
    if (const int error = write_word(tracking.idle_bits, index, word)) return error;
  }
  return 0;
}

int find_idle(const PageTracking& tracking, std::span<const uint64_t> frames,
              std::span<uint8_t> idle) {
  for (std::size_t i = 0; i < frames.size();) {
    const uint64_t index = frames[i] / word_bits;
    uint64_t word = 0;
    if (const int error = read_words(tracking.idle_bits, index, {&word, 1})) return error;
    for (; i < frames.size() && frames[i] / word_bits == index; ++i)
      idle[i] = static_cast<uint8_t>(word >> (frames[i] % word_bits) & 1);
  }
  return 0;
}

}  // namespace xylem::os
