// Whether another kernel thread sleeps or wants a processor.
#include "os/clock.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "os/thread.hpp"

namespace xylem::os {
namespace {

TEST(ThreadSleeps, TellsOneThatSpinsFromOneThatWaits) {
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
  EXPECT_FALSE(thread_sleeps(tid));
  spin = false;
  while (!thread_sleeps(tid)) usleep(1000);  // or for ever
  end = true;
  other.join();
}

TEST(ThreadSleeps, OneThatIsGoneDoes) {
  int tid = 0;
  std::thread([&tid] { tid = thread_id(); }).join();
  EXPECT_TRUE(thread_sleeps(tid));
}

}  // namespace
}  // namespace xylem::os
