// Whether another kernel thread sleeps or wants a processor.
#include "os/clock.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "os/thread.hpp"

namespace xylem::os {
namespace {

TEST(ThreadActivity, TellOneThatSpinsFromOneThatWaits) {
  std::atomic<int> tid{0};
  std::atomic<bool> spin{true}, end{false};
  std::thread other([&] {
    tid = thread_id();
    while (spin) {
    }
    while (!end) usleep(1'000'000);
  });
  while (tid == 0) {
  }
  EXPECT_EQ(activity_of(tid), Activity::wants_processor);
  spin = false;
  while (activity_of(tid) != Activity::sleeps) usleep(1000);  // or for ever
  end = true;
  other.join();
}

TEST(ThreadActivity, OneThatIsGoneSleeps) {
  int tid = 0;
  std::thread([&tid] { tid = thread_id(); }).join();
  EXPECT_EQ(activity_of(tid), Activity::sleeps);
}

}  // namespace
}  // namespace xylem::os
