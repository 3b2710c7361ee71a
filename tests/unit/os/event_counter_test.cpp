// Counters of kernel threads, with the event that every kernel counts: page faults.
#include "os/event_counter.hpp"

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/mman.h>

#include <cerrno>
#include <string>
#include <thread>

#include "os/thread.hpp"

namespace xylem::os {
namespace {

constexpr CountedEvent page_faults{.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS};
constexpr int touched = 100;

void touch_pages() {
  constexpr size_t page = 4096;
  auto* block = static_cast<char*>(
      mmap(nullptr, touched * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(block, MAP_FAILED);
  madvise(block, touched * page, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < touched; ++i) block[i * page] = 1;
  munmap(block, touched * page);
}

class EventCounter : public testing::Test {
 protected:
  void SetUp() override {
    handle_ = open_event_counter(page_faults, thread_id());
    if (handle_ == -EPERM || handle_ == -EACCES || handle_ == -ENOSYS)
      GTEST_SKIP() << "the kernel counts nothing for this process";
    ASSERT_GE(handle_, 0);
  }
  void TearDown() override { close_event_counter(handle_); }
  int handle_ = -1;
};

TEST_F(EventCounter, CountsWhatItsThreadDoes) {
  const int64_t before = read_event_counter(handle_);
  ASSERT_GE(before, 0);
  touch_pages();
  const int64_t after = read_event_counter(handle_);
  EXPECT_GE(after - before, touched);
  EXPECT_LT(after - before, 2 * touched);
  std::thread(touch_pages).join();
  EXPECT_LT(read_event_counter(handle_) - after, touched) << "another thread's";
}

TEST_F(EventCounter, WhatTheMachineDoesNotHaveIsRefused) {
  EXPECT_LT(open_event_counter({.type = 4242, .config = 1}, thread_id()), 0);
  EXPECT_EQ(open_event_counter(page_faults, 0x3fff'ffff), -ESRCH);
}

TEST_F(EventCounter, HandlesOfTheParentMeanNothingInAChild) {
  close_event_counters_in_child();
  EXPECT_EQ(read_event_counter(handle_), -1);
  const int fresh = open_event_counter(page_faults, thread_id());
  ASSERT_GE(fresh, 0);
  close_event_counter(handle_);
  EXPECT_GE(read_event_counter(fresh), 0) << "closed by the handle of before";
  close_event_counter(fresh);
  EXPECT_EQ(read_event_counter(fresh), -1);
}

TEST(EventObstacle, SaysWhatToDo) {
  EXPECT_NE(std::string(event_obstacle(-EACCES, "")).find("perf_event_paranoid"),
            std::string::npos);
  EXPECT_STREQ(event_obstacle(-ENOENT, "it is not there"), "it is not there");
}

}  // namespace
}  // namespace xylem::os
