// Interruptions of kernel threads: where they come, and where they do not.
#include "os/interruption.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstring>
#include <thread>

#include "base/sanitizer.hpp"
#include "os/thread.hpp"

namespace {

std::atomic<int> interruptions{0};
std::atomic<long> interrupted_thread{0};

void record() {
  interrupted_thread = syscall(SYS_gettid);
  ++interruptions;
}

// The library under test is part of this program, whose own code therefore counts as the runtime's.
// So this is code that no module brings: it spins until the byte that it is given is not 0.
auto spin_until() {
  constexpr unsigned char code[] = {0x80, 0x3f, 0x00,  // cmpb $0, (%rdi)
                                    0x74, 0xfb,        // je, to the comparison
                                    0xc3};             // ret
  void* page =
      mmap(nullptr, sizeof code, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::memcpy(page, code, sizeof code);
  mprotect(page, sizeof code, PROT_READ | PROT_EXEC);
  return reinterpret_cast<void (*)(std::atomic<bool>*)>(page);
}

// A kernel thread that computes until it is told to end, or sleeps in libc.
class Target {
 public:
  explicit Target(bool sleeps) : thread_([this, sleeps] { run(sleeps); }) {
    while (tid_ == 0) std::this_thread::yield();
  }
  ~Target() {
    end_ = true;
    thread_.join();
  }
  int tid() const { return tid_; }

 private:
  void run(bool sleeps) {
    tid_ = xylem::os::thread_id();
    const timespec pause{0, 20'000'000};
    while (sleeps && !end_) nanosleep(&pause, nullptr);
    if (!sleeps) spin_until()(&end_);
  }

  std::atomic<int> tid_{0};
  std::atomic<bool> end_{false};
  std::thread thread_;
};

void pause_briefly() { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

// One process for each: the handler is installed once.
void expect_handler_where_it_computes() {
  if (!xylem::os::handle_interruptions(record)) _exit(1);
  {
    const Target target(false);
    while (interruptions == 0) {
      if (!xylem::os::interrupt(target.tid())) _exit(2);
      pause_briefly();
    }
    if (interrupted_thread != target.tid()) _exit(3);
  }
  interruptions = 0;
  const Target sleeper(true);
  for (int i = 0; i < 50; ++i) {
    if (!xylem::os::interrupt(sleeper.tid())) _exit(4);
    pause_briefly();
  }
  if (interruptions != 0) _exit(5);
  if (xylem::os::interrupt(INT_MAX)) _exit(6);
  signal(SIGURG, [](int) {});
  _exit(xylem::os::interrupt(sleeper.tid()) ? 7 : 0);
}

void expect_refusal_by(void (*disposition)(int)) {
  signal(SIGURG, disposition);
  _exit(xylem::os::handle_interruptions(record) ? 1 : 0);
}

TEST(InterruptionDeathTest, CallsTheHandlerWhereTheProgramComputes) {
  if (xylem::base::sanitizer_delays_signals) GTEST_SKIP() << "handlers are called elsewhere";
  EXPECT_EXIT(expect_handler_where_it_computes(), testing::ExitedWithCode(0), "");
}

TEST(InterruptionDeathTest, LeavesTheSignalToAProgramThatHandlesIt) {
  EXPECT_EXIT(expect_refusal_by([](int) {}), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(expect_refusal_by(SIG_IGN), testing::ExitedWithCode(0), "");
}

}  // namespace
