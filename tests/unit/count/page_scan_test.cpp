// Looks at pages whose states are drawn, as files of the kernel's would be.
#include "count/source/page_scan.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../os/fake_root.hpp"

namespace xylem::count {
namespace {

constexpr uint64_t present = uint64_t{1} << 63, written = uint64_t{1} << 55;
constexpr uint64_t first_page = uint64_t{0x7f12345};  // of addresses as programs have them

// The kernel's three files, in a folder. A frame's bit of `idle` is taken as it is written, so a
// frame that cannot be marked is one whose bit the test clears.
class DrawnKernel {
 public:
  explicit DrawnKernel(bool has_idle_bits = true) {
    root_.write("/proc/self/pagemap", "").write("/proc/self/clear_refs", "");
    if (has_idle_bits)
      root_.write("/sys/kernel/mm/page_idle/bitmap", std::string(64 * sizeof(uint64_t), '\0'));
  }
  void set_state(uint64_t page, uint64_t state) { put("/proc/self/pagemap", page, state); }
  void set_idle_word(uint64_t index, uint64_t word) {
    put("/sys/kernel/mm/page_idle/bitmap", index, word);
  }
  os::PageTracking open() const { return os::open_page_tracking(root_.path().c_str()); }

 private:
  void put(const std::string& file, uint64_t index, uint64_t word) {
    const int to = ::open((root_.path() + file).c_str(), O_WRONLY);
    ASSERT_GE(to, 0);
    EXPECT_EQ(pwrite(to, &word, sizeof word, static_cast<off_t>(index * sizeof word)),
              static_cast<ssize_t>(sizeof word));
    close(to);
  }
  os::FakeRoot root_;
};

using Told = std::map<uint64_t, std::pair<uint64_t, uint64_t>>;  // reads and writes by page

Told end(PageScan& scan) {
  Told told;
  scan.end(
      [](void* to, uint64_t page, int thread, uint64_t reads, uint64_t writes) {
        EXPECT_EQ(thread, 0);
        EXPECT_TRUE(static_cast<Told*>(to)->insert({page, {reads, writes}}).second);
      },
      &told);
  return told;
}

TEST(PageScan, PagesThatAreAccessedOrWrittenMeanwhileAreTold) {
  DrawnKernel kernel;
  for (uint64_t i = 0; i < 6; ++i) kernel.set_state(first_page + i, present | (100 + i));
  os::PageTracking tracking = kernel.open();
  ASSERT_EQ(tracking.no_accesses, 0);
  ASSERT_EQ(tracking.no_writes, 0);
  PageScan scan(tracking);
  ASSERT_TRUE(scan.begin({{first_page, 6}}));
  EXPECT_EQ(scan.pages(), 6u);
  EXPECT_TRUE(end(scan).empty());

  ASSERT_TRUE(scan.begin({{first_page, 6}}));
  kernel.set_state(first_page + 2, present | written | 102);  // its bit stays: the caches have it
  kernel.set_state(first_page + 3, present | written | 103);
  kernel.set_state(first_page + 5, present | 7);  // it moved, and is not known to be accessed
  kernel.set_idle_word(1, uint64_t{0b010110} << (100 - 64));  // 101, 102 and 104 stay idle
  const Told told = end(scan);
  EXPECT_EQ(told, (Told{{first_page, {1, 0}}, {first_page + 2, {0, 1}}, {first_page + 3, {1, 1}}}));
  os::close_page_tracking(tracking);
}

TEST(PageScan, PagesThatAreNotThereAreToldOnceTheyAreWritten) {
  DrawnKernel kernel;
  kernel.set_state(first_page + 1, 0);
  os::PageTracking tracking = kernel.open();
  PageScan scan(tracking);
  ASSERT_TRUE(scan.begin({{first_page, 2}}));
  kernel.set_state(first_page, present | written | 9);
  EXPECT_EQ(end(scan), (Told{{first_page, {0, 1}}}));
  os::close_page_tracking(tracking);
}

TEST(PageScan, WithoutIdleBitsWritesAreSeen) {
  DrawnKernel kernel(false);
  kernel.set_state(first_page, present | 9);
  kernel.set_state(first_page + 1, present | 10);
  os::PageTracking tracking = kernel.open();
  EXPECT_EQ(tracking.no_accesses, -ENOENT);
  PageScan scan(tracking);
  ASSERT_TRUE(scan.begin({{first_page, 2}}));
  kernel.set_state(first_page + 1, present | written | 10);
  EXPECT_EQ(end(scan), (Told{{first_page + 1, {0, 1}}}));
  os::close_page_tracking(tracking);
}

TEST(PageScan, WhatIsCutOffIsNoLook) {
  DrawnKernel kernel;  // no state of any page
  os::PageTracking tracking = kernel.open();
  PageScan scan(tracking);
  EXPECT_FALSE(scan.begin({{first_page, 2}}));
  EXPECT_FALSE(scan.is_open());
  os::close_page_tracking(tracking);
}

TEST(PageScan, WithoutFilesThereIsNoTracking) {
  os::FakeRoot nothing;
  EXPECT_FALSE(os::open_page_tracking(nothing.path().c_str()).is_any());
}

std::vector<std::pair<uint64_t, uint64_t>> parts(uint64_t skipped, uint64_t most) {
  const PageRange ranges[] = {{10, 4}, {20, 0}, {30, 3}};
  std::vector<std::pair<uint64_t, uint64_t>> found;
  for (const PageRange& part : part_of(ranges, skipped, most))
    found.emplace_back(part.first, part.count);
  return found;
}

TEST(PageScan, PartsFollowEachOtherRoundAllRanges) {
  using Parts = std::vector<std::pair<uint64_t, uint64_t>>;
  EXPECT_EQ(parts(0, 100), (Parts{{10, 4}, {30, 3}}));
  EXPECT_EQ(parts(0, 3), (Parts{{10, 3}}));
  EXPECT_EQ(parts(3, 3), (Parts{{13, 1}, {30, 2}}));
  EXPECT_EQ(parts(6, 3), (Parts{{32, 1}, {10, 2}}));
  EXPECT_EQ(parts(9, 7), (Parts{{12, 2}, {30, 3}, {10, 2}}));
  EXPECT_TRUE(part_of({}, 5, 7).empty());
}

// Of this machine: what the kernel says it tracks, it tracks.
TEST(PageTracking, WhatIsHadTellsOfAPageOfOurs) {
  os::PageTracking tracking = os::open_page_tracking();
  if (tracking.no_writes != 0) GTEST_SKIP() << "the kernel does not track writes";
  static char pages[3 * 4096];
  volatile char* page = pages + 4096;
  const uint64_t number = reinterpret_cast<uintptr_t>(pages + 4096) / 4096;
  os::PageState state;
  *page = 1;
  ASSERT_EQ(os::forget_writes(tracking), 0);
  ASSERT_EQ(os::page_states(tracking, number, {&state, 1}), 0);
  EXPECT_FALSE(state.is_written);
  *page = 2;
  ASSERT_EQ(os::page_states(tracking, number, {&state, 1}), 0);
  EXPECT_TRUE(state.is_written);
  os::close_page_tracking(tracking);
}

}  // namespace
}  // namespace xylem::count
