// Owns: the scans of the process. See idle.hpp.
#include "count/source/idle.hpp"

#include <atomic>
#include <cerrno>
#include <vector>

#include "count/source/page_scan.hpp"
#include "count/source/program_arrays.hpp"
#include "os/clock.hpp"
#include "os/memory.hpp"
#include "os/process.hpp"

namespace xylem::count {

namespace {

constexpr uint64_t most_pages = uint64_t{1} << 16;

// Numbers for those who ask; written by the engines' thread, relaxed.
constinit std::atomic<int64_t> all_scans{0}, all_pages{0}, all_told{0}, all_spent_ns{0};

std::vector<PageRange> pages_of_arrays() {
  const uint64_t page = os::page_size();
  std::vector<PageRange> ranges;
  for (const ProgramArray& array : program_arrays()) {
    const uint64_t first = (array.start + page - 1) / page,
                   end = (array.start + array.bytes) / page;
    if (end > first) ranges.push_back({first, end - first});
  }
  return ranges;
}

// A page that was told goes on, counted.
struct Counted {
  os::AccessSink sink;
  void* to;
  int64_t pages = 0;
};
void give(void* raw, uint64_t page, int thread, uint64_t reads, uint64_t writes) {
  auto& counted = *static_cast<Counted*>(raw);
  ++counted.pages;
  counted.sink(counted.to, page, thread, reads, writes);
}

class Scans {
 public:
  Scans(const IdleSettings& settings, const os::PageTracking& tracking, int64_t write_ns)
      : share_(settings.most_cost), write_ns_(write_ns), scan_(tracking) {}

  // Between two iterations.
  void take(os::AccessSink sink, void* to) {
    const int64_t begun = os::now_ns();
    if (scan_.is_open())
      end(begun, sink, to);
    else if (begun >= next_ns_)
      begin(begun);
  }

 private:
  void begin(int64_t begun) {
    const bool has_begun = scan_.begin(part_of(pages_of_arrays(), skipped_, most_pages));
    skipped_ += most_pages;
    cost_ns_ = os::now_ns() - begun;
    if (!has_begun) rest();
  }
  void end(int64_t begun, os::AccessSink sink, void* to) {
    Counted counted{sink, to};
    const auto written = static_cast<int64_t>(scan_.end(give, &counted));
    cost_ns_ += os::now_ns() - begun + written * write_ns_;
    rest();
    all_scans.fetch_add(1, std::memory_order_relaxed);
    all_pages.fetch_add(static_cast<int64_t>(scan_.pages()), std::memory_order_relaxed);
    all_told.fetch_add(counted.pages, std::memory_order_relaxed);
    all_spent_ns.fetch_add(cost_ns_, std::memory_order_relaxed);
  }

  void rest() {
    next_ns_ = os::now_ns() + static_cast<int64_t>(static_cast<double>(cost_ns_) / share_);
  }

  const double share_;
  const int64_t write_ns_;  // of a page's first write after it was marked
  PageScan scan_;
  uint64_t skipped_ = 0;
  int64_t cost_ns_ = 0;  // of the scan that is open, or was last
  int64_t next_ns_ = 0;  // no scan begins before
};

// Written once, before the first region.
constinit Scans* the_scans = nullptr;
constinit int the_process = 0;

// A child of fork() has no scans: what its parent opened speaks of the parent.
void take_pages(os::AccessSink sink, void* to) {
  if (os::process_id() == the_process) the_scans->take(sink, to);
}

// Of a negative errno, or 0.
const char* why(int error, const char* refused, const char* missing) {
  if (error == 0) return nullptr;
  return error == -EACCES || error == -EPERM ? refused : missing;
}

IdleObstacles obstacles_of(const os::PageTracking& tracking) {
  return {why(tracking.no_accesses, "the kernel tells them to root alone",
              "the kernel was built without CONFIG_IDLE_PAGE_TRACKING"),
          why(tracking.no_writes, "the process may not mark its pages in /proc/self/clear_refs",
              "the kernel was built without CONFIG_MEM_SOFT_DIRTY")};
}

// Of a scan of so many pages of the caller's own, in which all are written.
struct ScanCost {
  int64_t all_ns = 0;
  int64_t writes_ns = 0;  // of that
};
ScanCost measure_scan(const os::PageTracking& tracking, uint64_t pages) {
  const std::size_t bytes = pages * os::page_size();
  char* start = os::map_memory(bytes);
  if (start == nullptr) return {};
  const auto write_all = [&] {
    for (std::size_t at = 0; at < bytes; at += os::page_size())
      *static_cast<volatile char*>(start + at) = 1;
    return os::now_ns();
  };
  PageScan scan(tracking);
  const int64_t begun = write_all();
  scan.begin({{reinterpret_cast<uintptr_t>(start) / os::page_size(), pages}});
  const int64_t marked = os::now_ns(), written = write_all();
  scan.end([](void*, uint64_t, int, uint64_t, uint64_t) {}, nullptr);
  const ScanCost cost{os::now_ns() - begun, written - marked};
  os::unmap_pages(start, bytes);
  return cost;
}

}  // namespace

IdleObstacles idle_obstacles() {
  os::PageTracking tracking = os::open_page_tracking();
  const IdleObstacles obstacles = obstacles_of(tracking);
  os::close_page_tracking(tracking);
  return obstacles;
}

int64_t measure_idle_ns() {
  constexpr uint64_t pages = 4096;
  os::PageTracking tracking = os::open_page_tracking();
  const int64_t cost = tracking.is_any() ? measure_scan(tracking, pages).all_ns : 0;
  os::close_page_tracking(tracking);
  return cost / static_cast<int64_t>(pages);
}

IdleObstacles start_idle_source(const IdleSettings& settings) {
  constexpr uint64_t some_pages = 256;
  os::PageTracking tracking = os::open_page_tracking();
  const IdleObstacles obstacles = obstacles_of(tracking);
  if (!tracking.is_any()) {
    os::close_page_tracking(tracking);
    return obstacles;
  }
  const int64_t writes_ns = measure_scan(tracking, some_pages).writes_ns;
  the_process = os::process_id();
  the_scans = new Scans(settings, tracking,  // lives as long as the process
                        writes_ns / static_cast<int64_t>(some_pages));
  return obstacles;
}

Source idle_source() { return {.name = "idle", .take = take_pages, .sees = Sees::pages}; }

IdleStatistics idle_statistics() {
  return {all_scans.load(std::memory_order_relaxed), all_pages.load(std::memory_order_relaxed),
          all_told.load(std::memory_order_relaxed), all_spent_ns.load(std::memory_order_relaxed)};
}

}  // namespace xylem::count
