// Owns: a scan. See page_scan.hpp.
#include "count/source/page_scan.hpp"

#include <algorithm>

namespace xylem::count {

namespace {

uint64_t pages_of(std::span<const PageRange> ranges) {
  uint64_t all = 0;
  for (const PageRange& range : ranges) all += range.count;
  return all;
}

}  // namespace

std::vector<PageRange> part_of(std::span<const PageRange> ranges, uint64_t skipped, uint64_t most) {
  const uint64_t all = pages_of(ranges);
  uint64_t wanted = std::min(all, most);
  if (all > 0) skipped %= all;
  std::vector<PageRange> part;
  for (std::size_t i = 0; wanted > 0; i = (i + 1) % ranges.size()) {
    const uint64_t before = std::min(skipped, ranges[i].count);
    const uint64_t count = std::min(ranges[i].count - before, wanted);
    skipped -= before;
    wanted -= count;
    if (count > 0) part.push_back({ranges[i].first + before, count});
  }
  return part;
}

uint64_t PageScan::pages() const { return pages_of(ranges_); }

bool PageScan::begin(std::vector<PageRange> pages) {
  ranges_ = std::move(pages);
  std::vector<os::PageState> states;
  if (tracking_.no_writes == 0 && os::forget_writes(tracking_) != 0) return false;
  if (!read_states(states)) return false;
  mark_frames(states);
  is_open_ = true;
  return true;
}

bool PageScan::read_states(std::vector<os::PageState>& states) const {
  states.resize(pages());
  std::span<os::PageState> rest(states);
  for (const PageRange& range : ranges_) {
    if (os::page_states(tracking_, range.first, rest.first(range.count)) != 0) return false;
    rest = rest.subspan(range.count);
  }
  return true;
}

// Frames that do not take the mark are not tracked.
void PageScan::mark_frames(std::span<const os::PageState> states) {
  tracked_.clear();
  if (tracking_.no_accesses != 0) return;
  for (std::size_t page = 0; page < states.size(); ++page)
    if (states[page].frame != 0) tracked_.push_back({states[page].frame, page});
  std::ranges::sort(tracked_, {}, &Tracked::frame);
  std::vector<uint64_t> frames;
  frames.reserve(tracked_.size());
  for (const Tracked& tracked : tracked_) frames.push_back(tracked.frame);
  if (os::mark_idle(tracking_, frames) != 0) return tracked_.clear();
  const std::vector<uint8_t> idle = idle_frames();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < tracked_.size(); ++i)
    if (idle[i] != 0) tracked_[kept++] = tracked_[i];
  tracked_.resize(kept);
}

std::vector<uint8_t> PageScan::idle_frames() const {
  std::vector<uint64_t> frames;
  frames.reserve(tracked_.size());
  for (const Tracked& tracked : tracked_) frames.push_back(tracked.frame);
  std::vector<uint8_t> idle(frames.size());
  if (os::find_idle(tracking_, frames, idle) != 0) std::ranges::fill(idle, uint8_t{1});
  return idle;
}

std::vector<bool> PageScan::accessed_pages(std::span<const os::PageState> states) const {
  std::vector<bool> accessed(states.size());
  const std::vector<uint8_t> idle = idle_frames();
  for (std::size_t i = 0; i < tracked_.size(); ++i) {
    const auto [frame, page] = tracked_[i];
    accessed[page] = idle[i] == 0 && states[page].frame == frame;
  }
  return accessed;
}

uint64_t PageScan::end(os::AccessSink sink, void* to) {
  is_open_ = false;
  std::vector<os::PageState> states;
  if (!read_states(states)) return 0;
  const std::vector<bool> accessed = accessed_pages(states);
  uint64_t all_written = 0;
  std::size_t at = 0;
  for (const PageRange& range : ranges_)
    for (uint64_t page = range.first; page < range.first + range.count; ++page, ++at) {
      const bool is_written = tracking_.no_writes == 0 && states[at].is_written;
      if (accessed[at] || is_written) sink(to, page, 0, accessed[at], is_written);
      all_written += is_written;
    }
  return all_written;
}

}  // namespace xylem::count
