// Owns: what the kernel tracks of this process's pages for who marks them: which were accessed
// since (idle bits, /sys/kernel/mm/page_idle/bitmap), and which were written (soft-dirty bits,
// /proc/self/pagemap). By which thread is not tracked.
//
// A page has one state for all who look: who marks pages takes their answer away from others. What
// was opened speaks of the process that opened it, in a child of fork() too. All calls are raw:
// errno stays the program's. Results are 0 or a negative errno.
#pragma once

#include <cerrno>
#include <cstdint>
#include <span>

namespace xylem::os {

struct PageTracking {
  int states = -1;  // descriptors
  int marks = -1;
  int idle_bits = -1;
  int no_accesses = -ENOENT;  // why accesses are not tracked; 0: they are
  int no_writes = -ENOSYS;    // the same of writes

  bool is_any() const { return no_accesses == 0 || no_writes == 0; }
};

// -ENOENT, -ENOSYS: the kernel was built without; -EACCES, -EPERM: this process may not know. Tries
// both with a page of its own, which forgets the process's writes; not below a `root` (tests),
// where the files are taken for the kernel's.
PageTracking open_page_tracking(const char* root = "");
void close_page_tracking(PageTracking& tracking);

struct PageState {
  uint64_t frame = 0;       // of memory; 0: the page is not there, or this process may not know
  bool is_written = false;  // since forget_writes(), or it is new
};
// Of pages (address / page size) from `first` on.
int page_states(const PageTracking& tracking, uint64_t first, std::span<PageState> states);

// Of the whole process: each page's next write costs it a fault.
int forget_writes(const PageTracking& tracking);

// `frames` ascend.
int mark_idle(const PageTracking& tracking, std::span<const uint64_t> frames);
// idle[i] is 1 if frame i was marked, and nobody accessed it since. Some frames cannot be marked,
// as those of parts of huge pages but the first.
int find_idle(const PageTracking& tracking, std::span<const uint64_t> frames,
              std::span<uint8_t> idle);

}  // namespace xylem::os
