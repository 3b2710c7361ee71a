// A kernel thread's native stack is where libc says, and its signal mask is no matter of its
// maker's.
#include "os/thread.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include "os/running.hpp"
#include "os/tls.hpp"

namespace xylem::os {
namespace {

StackBounds by_libc() {
  pthread_attr_t attributes;
  EXPECT_EQ(pthread_getattr_np(pthread_self(), &attributes), 0);
  void* low = nullptr;
  size_t bytes = 0;
  pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  return {static_cast<char*>(low), static_cast<char*>(low) + bytes};
}

// libc leaves out the pages of the program's arguments and environment, which end the stack.
TEST(NativeStack, OfTheFirstThreadHasWhatLibcSaysAndItsArguments) {
  const StackBounds seen = native_stack(), libc = by_libc();
  EXPECT_EQ(static_cast<void*>(seen.low), static_cast<void*>(libc.low));
  EXPECT_GE(seen.high, libc.high);
  char* behind_all = reinterpret_cast<char*>(getauxval(AT_RANDOM));  // if there is no environment
  for (char** variable = environ; *variable; ++variable)
    behind_all = std::max(behind_all, *variable + std::strlen(*variable));
  EXPECT_LT(behind_all, seen.high);
  EXPECT_LT(seen.high - behind_all, 3 * 4096);  // the file's name, of 4096 bytes at most
}

TEST(NativeStack, OfAnotherThreadIsAsLibcSays) {
  std::thread([] {
    const StackBounds seen = native_stack(), libc = by_libc();
    EXPECT_EQ(static_cast<void*>(seen.low), static_cast<void*>(libc.low));
    EXPECT_EQ(static_cast<void*>(seen.high), static_cast<void*>(libc.high));
  }).join();
}

std::atomic<int> came{0};
std::atomic<unsigned long> mask_of_started{0};

TEST(StartThread, ASignalThatWaitsForTheMakerGoesOnWaiting) {
  std::thread([] {  // whose mask and signals are nobody else's
    struct sigaction action = {};
    action.sa_handler = [](int) { ++came; };
    sigaction(SIGUSR2, &action, nullptr);
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
    raise(SIGUSR2);
    constexpr SignalMask of_thread{1ul << (SIGUSR1 - 1)};
    const auto tell = [](void*) { mask_of_started = signal_mask().bits; };
    ASSERT_EQ(start_thread(tell, nullptr, of_thread), 0);
    while (mask_of_started == 0) usleep(100);
    EXPECT_EQ(mask_of_started, of_thread.bits);
    EXPECT_EQ(came, 0);
    EXPECT_EQ(signal_mask().bits, 1ul << (SIGUSR2 - 1));
    pthread_sigmask(SIG_UNBLOCK, &blocked, nullptr);
    EXPECT_EQ(came, 1);
  })
      .join();
}

// The kernel writes where a thread runs only for one that libc registered (Parting, home.hpp).
TEST(StartThread, OneThatIsMadeUnderAMadeBlockIsRegisteredForRseqAsItsMakerIs) {
  find_rseq();
  if (processor_at(describe_this_thread().processor) < 0) GTEST_SKIP() << "libc registers no rseq";
  if (!can_make_blocks()) GTEST_SKIP() << "no blocks can be made";
  static std::atomic<int> processor;
  constexpr int not_yet = -100;
  processor = not_yet;
  void* const own = thread_pointer();
  void* const made = make_block();
  put_block_in_force(made, own);
  const int error =
      start_thread([](void*) { processor = processor_at(describe_this_thread().processor); },
                   nullptr, signal_mask(), 0);
  const int says = processor_at(describe_this_thread().processor);
  put_block_in_force(own, own);
  destroy_block(made);
  ASSERT_EQ(error, 0);
  EXPECT_LT(says, 0) << "the made block's";
  while (processor == not_yet) usleep(100);
  EXPECT_GE(processor, 0);
}

}  // namespace
}  // namespace xylem::os
