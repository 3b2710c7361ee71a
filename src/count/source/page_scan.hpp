// Owns: one scan of pages: which of them were accessed, and which were written, between its
// beginning and its end, as the kernel tracks pages (os/page_tracking.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "count/source/estimate.hpp"
#include "os/instrument_library.hpp"
#include "os/page_tracking.hpp"

namespace xylem::count {

// At most `most` pages of the ranges: those behind the first `skipped` ones (modulo all), and from
// the first one on again.
std::vector<PageRange> part_of(std::span<const PageRange> ranges, uint64_t skipped, uint64_t most);

class PageScan {
 public:
  explicit PageScan(const os::PageTracking& tracking) : tracking_(tracking) {}

  // Marks the pages. False: the kernel refuses, and the scan has not begun.
  bool begin(std::vector<PageRange> pages);
  // Tells each page that was accessed, as thread 0's: a read if it is known to have been accessed,
  // a write if it was written. Pages that were only read are not told where accesses are not
  // tracked, nor those that moved meanwhile. Returns how many pages were written.
  uint64_t end(os::AccessSink sink, void* to);

  bool is_open() const { return is_open_; }
  uint64_t pages() const;

 private:
  // A page whose accesses are tracked.
  struct Tracked {
    uint64_t frame = 0;
    std::size_t page = 0;  // counted through all ranges
  };
  bool read_states(std::vector<os::PageState>& states) const;
  void mark_frames(std::span<const os::PageState> states);
  std::vector<uint8_t> idle_frames() const;  // by tracked_
  std::vector<bool> accessed_pages(std::span<const os::PageState> states) const;

  const os::PageTracking tracking_;
  std::vector<PageRange> ranges_;
  std::vector<Tracked> tracked_;  // by frame
  bool is_open_ = false;
};

}  // namespace xylem::count
