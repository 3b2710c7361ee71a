// Next touch on this machine, whatever its nodes: contents, touches in system calls, mappings that
// change under marks, forks of every kind. Which node a page comes to is tested in the lab
// (tests/numa/next_touch.c).
#include "mem/touch/next_touch.hpp"

#include <gtest/gtest.h>
#include <malloc.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "mem/map/nodes.hpp"
#include "os/clock.hpp"
#include "os/thread.hpp"
#include "os/tls.hpp"

namespace xylem::mem {
namespace {

constexpr size_t page = 4096;

const topo::Machine& this_machine() {
  static const topo::Machine* machine = topo::load_machine("", true).value();
  return *machine;
}

class NextTouch : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    start(this_machine());
    mark_on_one_node_too();
    static const bool stood = [] {
      os::at_fork(
          before_fork_of_marks, [] { after_fork_of_marks(false); },
          [] { after_fork_of_marks(true); });
      return true;
    }();
    (void)stood;
  }
  void SetUp() override {
    if (const char* why = next_touch_obstacle()) GTEST_SKIP() << why;
  }
  void TearDown() override {
    EXPECT_EQ(marked_pages(reinterpret_cast<void*>(page), ~size_t{0} / 2), 0u) << "marks were left";
    EXPECT_EQ(touch_statistics().marked, 0);
  }
};

// Private pages, each filled with numbers that tell where they are.
class Pages {
 public:
  explicit Pages(size_t count, bool filled = true) : count_(count) {
    start_ = static_cast<char*>(
        mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (filled) fill();
  }
  ~Pages() { munmap(start_, bytes()); }
  Pages(const Pages&) = delete;

  char* at(size_t i = 0) const { return start_ + i * page; }
  size_t bytes() const { return count_ * page; }
  size_t count() const { return count_; }
  static uint64_t number(size_t i) { return i * 0x9e3779b97f4a7c15ull + 1; }
  void fill() const {
    for (size_t i = 0; i < bytes() / 8; ++i) word(i) = number(i);
  }
  uint64_t& word(size_t i) const { return reinterpret_cast<uint64_t*>(start_)[i]; }
  // Words of pages [first, last) that are not as they were filled.
  size_t wrong(size_t first, size_t last) const {
    size_t bad = 0;
    for (size_t i = first * page / 8; i < last * page / 8; ++i) bad += word(i) != number(i);
    return bad;
  }
  size_t wrong() const { return wrong(0, count_); }
  size_t marked() const { return marked_pages(start_, bytes()); }
  int mark() const { return mark_next_touch(start_, bytes()); }

 private:
  size_t count_;
  char* start_;
};

size_t mappings() {
  std::ifstream maps("/proc/self/maps");
  std::string line;
  size_t count = 0;
  while (std::getline(maps, line)) ++count;
  return count;
}

TEST_F(NextTouch, ContentsStayAndMarksEndPageByPage) {
  Pages pages(300);
  ASSERT_EQ(pages.mark(), 0);
  EXPECT_EQ(pages.marked(), 300u);
  EXPECT_EQ(touch_statistics().marked, 300);
  EXPECT_EQ(pages.wrong(7, 8), 0u);
  EXPECT_EQ(pages.marked(), 299u);
  EXPECT_EQ(marked_pages(pages.at(7), page), 0u);
  EXPECT_EQ(marked_pages(pages.at(7) + 1, page), 1u);  // it has a byte in page 8
  EXPECT_EQ(pages.wrong(), 0u);
  EXPECT_EQ(pages.marked(), 0u);
}

// Who has touched a page finds that counted, however soon it asks.
TEST_F(NextTouch, ATouchIsCountedAtOnce) {
  Pages pages(64);
  for (int round = 0; round < 20; ++round) {
    ASSERT_EQ(pages.mark(), 0);
    for (size_t i = 0; i < pages.count(); ++i) {
      EXPECT_EQ(pages.wrong(i, i + 1), 0u);
      ASSERT_EQ(touch_statistics().marked, static_cast<int64_t>(pages.count() - i - 1));
    }
  }
}

TEST_F(NextTouch, OnlyWholePagesInsideAreMarked) {
  Pages pages(8);
  ASSERT_EQ(mark_next_touch(pages.at() + 1, 3 * page), 0);
  EXPECT_EQ(pages.marked(), 2u);
  EXPECT_EQ(marked_pages(pages.at(), page), 0u);
  EXPECT_EQ(mark_next_touch(pages.at(5) + 8, page), 0);  // none
  EXPECT_EQ(pages.marked(), 2u);
  EXPECT_EQ(pages.wrong(), 0u);
}

TEST_F(NextTouch, PagesThatWereNeverTouchedReadAsZeros) {
  Pages pages(200, false);
  pages.at(100)[5] = 'x';
  ASSERT_EQ(pages.mark(), 0);
  EXPECT_EQ(pages.at(99)[5], 0);
  EXPECT_EQ(pages.at(100)[5], 'x');
  pages.at(3)[0] = 'y';
  EXPECT_EQ(pages.at(3)[0], 'y');
  EXPECT_EQ(pages.marked(), 197u);
  ASSERT_EQ(forget_next_touch(pages.at(), pages.bytes()), 0);
  EXPECT_EQ(pages.marked(), 0u);
  EXPECT_EQ(pages.at(4)[0], 0);
}

TEST_F(NextTouch, ForgetLeavesContentsAndMarksOutside) {
  Pages pages(130);
  ASSERT_EQ(pages.mark(), 0);
  ASSERT_EQ(forget_next_touch(pages.at(10), 100 * page), 0);
  EXPECT_EQ(pages.marked(), 30u);
  EXPECT_EQ(pages.wrong(), 0u);
  EXPECT_EQ(forget_next_touch(pages.at(), pages.bytes()), 0);
}

TEST_F(NextTouch, MarkingAgainKeepsMarksAndTakesWhatWasTouched) {
  Pages pages(600);
  ASSERT_EQ(pages.mark(), 0);
  ASSERT_EQ(pages.mark(), 0);
  EXPECT_EQ(pages.wrong(100, 200), 0u);
  ASSERT_EQ(pages.mark(), 0);
  EXPECT_EQ(pages.marked(), 600u);
  for (size_t i = 0; i < 600; i += 2) EXPECT_EQ(pages.wrong(i, i + 1), 0u);  // torn
  EXPECT_EQ(pages.marked(), 300u);
  ASSERT_EQ(pages.mark(), 0);
  EXPECT_EQ(pages.marked(), 600u);
  EXPECT_EQ(pages.wrong(), 0u);
}

TEST_F(NextTouch, MarkingAgainAndAgainMakesNoMoreMappings) {
  Pages pages(256);
  size_t after_first = 0;
  for (int round = 0; round < 50; ++round) {
    ASSERT_EQ(pages.mark(), 0);
    for (size_t i = static_cast<size_t>(round) % 3; i < 256; i += 3)
      ASSERT_EQ(pages.wrong(i, i + 1), 0u);
    if (round == 3) after_first = mappings();
  }
  EXPECT_EQ(pages.wrong(), 0u);
  EXPECT_LE(mappings(), after_first + 8);
}

TEST_F(NextTouch, SeveralMappingsAtOnce) {
  Pages pages(90);
  ASSERT_EQ(mprotect(pages.at(30), 30 * page, PROT_READ), 0);
  ASSERT_EQ(madvise(pages.at(70), 5 * page, MADV_DONTFORK), 0);
  ASSERT_EQ(pages.mark(), 0);
  EXPECT_EQ(pages.marked(), 90u);
  EXPECT_EQ(pages.wrong(), 0u);
  EXPECT_EQ(pages.marked(), 0u);
}

TEST_F(NextTouch, WhatCannotBeMarkedIsRefusedAndNothingIsMarked) {
  Pages pages(30);
  ASSERT_EQ(munmap(pages.at(20), page), 0);
  EXPECT_EQ(pages.mark(), -EINVAL);  // a hole
  void* shared = mmap(pages.at(20), page, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  ASSERT_EQ(shared, pages.at(20));
  EXPECT_EQ(pages.mark(), -EINVAL);
  EXPECT_EQ(mark_next_touch(nullptr, page), -EINVAL);
  EXPECT_EQ(mark_next_touch(pages.at(), ~size_t{0}), -EINVAL);
  EXPECT_EQ(pages.marked(), 0u);
  EXPECT_EQ(pages.wrong(0, 20), 0u);
}

// --- system calls --------------------------------------------------------------------------------

TEST_F(NextTouch, SystemCallsOnMarkedMemorySucceed) {
  Pages pages(64);
  Pages other(64, false);
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const auto pass = [&](auto send, auto receive) {
    ASSERT_EQ(pages.mark(), 0);
    ASSERT_EQ(other.mark(), 0);
    for (size_t done = 0; done < pages.bytes(); done += 4 * page) {
      ASSERT_EQ(send(pages.at() + done, 4 * page), static_cast<ssize_t>(4 * page));
      ASSERT_EQ(receive(other.at() + done, 4 * page), static_cast<ssize_t>(4 * page));
    }
    EXPECT_EQ(other.wrong(), 0u);
    EXPECT_EQ(pages.marked() + other.marked(), 0u);
    memset(other.at(), 0, other.bytes());
  };
  const auto by_write = [&](char* at, size_t n) { return write(ends[0], at, n); };
  const auto by_read = [&](char* at, size_t n) { return recv(ends[1], at, n, MSG_WAITALL); };
  pass(by_write, by_read);
  pass(
      [&](char* at, size_t n) {
        iovec parts[] = {{at, n / 2}, {at + n / 2, n / 2}};
        msghdr message{};
        message.msg_iov = parts;
        message.msg_iovlen = 2;
        return sendmsg(ends[0], &message, 0);
      },
      [&](char* at, size_t n) {
        iovec parts[] = {{at, 100}, {at + 100, n - 100}};
        return readv(ends[1], parts, 2);
      });
  close(ends[0]);
  close(ends[1]);
  ASSERT_EQ(pipe(ends), 0);
  pass([&](char* at, size_t n) { return write(ends[1], at, n); },
       [&](char* at, size_t n) { return read(ends[0], at, n); });
  close(ends[0]);
  close(ends[1]);
}

TEST_F(NextTouch, AnotherProcessReadsMarkedMemory) {
  Pages pages(16);
  Pages other(16, false);
  ASSERT_EQ(pages.mark(), 0);
  iovec from{pages.at(), pages.bytes()}, to{other.at(), other.bytes()};
  EXPECT_EQ(process_vm_readv(getpid(), &to, 1, &from, 1, 0), static_cast<ssize_t>(16 * page));
  EXPECT_EQ(other.wrong(), 0u);
  EXPECT_EQ(pages.wrong(), 0u);
}

sigjmp_buf after_fault;
std::atomic<int> faults{0};
void on_fault(int) {
  ++faults;
  siglongjmp(after_fault, 1);
}

TEST_F(NextTouch, TheProgramsHandlerGetsRealFaultsAndNoOthers) {
  struct sigaction mine {
  }, before{};
  mine.sa_handler = on_fault;
  sigaction(SIGSEGV, &mine, &before);
  faults = 0;
  Pages pages(20);
  ASSERT_EQ(pages.mark(), 0);
  EXPECT_EQ(pages.wrong(0, 10), 0u);
  EXPECT_EQ(faults, 0);
  ASSERT_EQ(mprotect(pages.at(15), page, PROT_NONE), 0);
  if (sigsetjmp(after_fault, 1) == 0) static_cast<volatile char*>(pages.at(15))[0] = 1;
  EXPECT_EQ(faults, 1);
  volatile char* volatile nowhere = nullptr;
  if (sigsetjmp(after_fault, 1) == 0) *nowhere = 1;
  EXPECT_EQ(faults, 2);
  ASSERT_EQ(mprotect(pages.at(15), page, PROT_READ), 0);
  EXPECT_EQ(pages.wrong(), 0u);
  sigaction(SIGSEGV, &before, nullptr);
}

// --- several threads -----------------------------------------------------------------------------

TEST_F(NextTouch, TwoThreadsTouchTheSamePages) {
  Pages pages(2000);
  for (int round = 0; round < 5; ++round) {
    ASSERT_EQ(pages.mark(), 0);
    std::atomic<int> ready{0};
    std::atomic<size_t> bad{0};
    const auto touch = [&] {
      ++ready;
      while (ready < 2) {
      }
      bad += pages.wrong();
    };
    std::thread first(touch), second(touch);
    first.join();
    second.join();
    EXPECT_EQ(bad, 0u);
    EXPECT_EQ(pages.marked(), 0u);
  }
}

TEST_F(NextTouch, NoWriteIsLostWhileOthersMark) {
  Pages pages(64, false);
  constexpr int writers = 3;
  std::atomic<bool> stop{false};
  std::atomic<size_t> lost{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < writers; ++t)
    threads.emplace_back([&, t] {
      // Each counts in a word of its own of every page, and must find what it wrote before.
      for (uint64_t turn = 1; !stop; ++turn)
        for (size_t p = 0; p < pages.count(); ++p) {
          volatile uint64_t& mine = pages.word(p * page / 8 + static_cast<size_t>(t));
          if (mine != turn - 1) ++lost;
          mine = turn;
        }
    });
  for (int round = 0; round < 400; ++round) {
    ASSERT_EQ(pages.mark(), 0);
    if (round % 4 == 1) {
      ASSERT_EQ(forget_next_touch(pages.at(), pages.bytes()), 0);
    }
    if (round % 8 == 3) sched_yield();
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(lost, 0u);
  forget_next_touch(pages.at(), pages.bytes());
}

// --- mappings that change ------------------------------------------------------------------------

TEST_F(NextTouch, UnmappedMarksEnd) {
  auto* start = static_cast<char*>(
      mmap(nullptr, 100 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  memset(start, 7, 100 * page);
  ASSERT_EQ(mark_next_touch(start, 100 * page), 0);
  ASSERT_EQ(munmap(start + 20 * page, 30 * page), 0);
  EXPECT_EQ(marked_pages(start, 100 * page), 70u);
  // What comes in its place is not what was there.
  auto* again = static_cast<char*>(mmap(start + 20 * page, 30 * page, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
  EXPECT_EQ(again[0], 0);
  again[0] = 9;
  ASSERT_EQ(mark_next_touch(start, 100 * page), 0);
  EXPECT_EQ(again[0], 9);
  EXPECT_EQ(again[page], 0);
  EXPECT_EQ(start[0], 7);
  ASSERT_EQ(munmap(start, 100 * page), 0);
  EXPECT_EQ(marked_pages(start, 100 * page), 0u);
}

// A mapping of which a part is marked is two in the kernel's books: glibc then copies.
TEST_F(NextTouch, ReallocAndFree) {
  if (os::sanitizer_loaded()) GTEST_SKIP() << "its malloc keeps freed blocks mapped, and marked";
  const size_t bytes = 8 << 20;
  mallopt(M_MMAP_THRESHOLD, 1 << 20);  // larger blocks are mappings of their own
  auto* block = static_cast<unsigned char*>(malloc(bytes));
  for (size_t i = 0; i < bytes; i += 512) block[i] = static_cast<unsigned char>(i / 512 * 7);
  ASSERT_EQ(mark_next_touch(block, bytes), 0);
  auto* moved = static_cast<unsigned char*>(realloc(block, 3 * bytes));
  size_t bad = 0;
  for (size_t i = 0; i < bytes; i += 512)
    bad += moved[i] != static_cast<unsigned char>(i / 512 * 7);
  EXPECT_EQ(bad, 0u);
  memset(moved + bytes, 1, 2 * bytes);
  ASSERT_EQ(mark_next_touch(moved, 3 * bytes), 0);
  free(moved);
}

TEST_F(NextTouch, MarksFollowMappingsThatMoveAndGrow) {
  const size_t count = 700;
  Pages pages(count);
  Pages place(3 * count, false);
  ASSERT_EQ(pages.mark(), 0);
  ASSERT_EQ(mremap(pages.at(), pages.bytes(), 3 * pages.bytes(), MREMAP_MAYMOVE | MREMAP_FIXED,
                   place.at()),
            place.at());
  EXPECT_EQ(place.marked(), count);
  EXPECT_EQ(place.wrong(0, count), 0u);
  for (size_t i = count; i < 3 * count; ++i) ASSERT_EQ(place.at(i)[9], 0);
  EXPECT_EQ(place.marked(), 0u);
}

TEST_F(NextTouch, RemappedOverAnotherMarkedRange) {
  Pages pages(40);
  Pages target(40);
  ASSERT_EQ(pages.mark(), 0);
  ASSERT_EQ(target.mark(), 0);
  ASSERT_EQ(mremap(pages.at(10), 20 * page, 20 * page, MREMAP_MAYMOVE | MREMAP_FIXED, target.at(5)),
            target.at(5));
  EXPECT_EQ(pages.marked(), 20u);
  EXPECT_EQ(target.marked(), 40u);
  for (size_t i = 0; i < 20 * page / 8; ++i)
    ASSERT_EQ(target.word(5 * page / 8 + i), Pages::number(10 * page / 8 + i));
  EXPECT_EQ(target.wrong(0, 5) + target.wrong(25, 40), 0u);
  EXPECT_EQ(pages.wrong(0, 10) + pages.wrong(30, 40), 0u);
}

TEST_F(NextTouch, ContentsThatTheProgramGivesUpAreGone) {
  Pages pages(100);
  ASSERT_EQ(pages.mark(), 0);
  ASSERT_EQ(madvise(pages.at(10), 80 * page, MADV_DONTNEED), 0);
  EXPECT_EQ(pages.marked(), 20u);
  EXPECT_EQ(pages.word(50 * page / 8), 0u);
  EXPECT_EQ(pages.wrong(0, 10) + pages.wrong(90, 100), 0u);
}

TEST_F(NextTouch, ProtectionOfMarkedPages) {
  Pages pages(30);
  ASSERT_EQ(mprotect(pages.at(), pages.bytes(), PROT_NONE), 0);
  ASSERT_EQ(pages.mark(), 0);
  ASSERT_EQ(mprotect(pages.at(), pages.bytes(), PROT_READ), 0);
  EXPECT_EQ(pages.wrong(), 0u);
  ASSERT_EQ(pages.mark(), 0);
  ASSERT_EQ(mprotect(pages.at(), pages.bytes(), PROT_READ | PROT_WRITE), 0);
  pages.word(0) = 5;
  EXPECT_EQ(pages.wrong(1, 30), 0u);
}

TEST_F(NextTouch, HugePages) {
  const size_t huge = 2 << 20;
  Pages pages(4 * huge / page, false);
  madvise(pages.at(), pages.bytes(), MADV_HUGEPAGE);
  pages.fill();
  ASSERT_EQ(mark_next_touch(pages.at(3), pages.bytes() - 5 * page), 0);
  for (size_t i = pages.count(); i-- > 0;) ASSERT_EQ(pages.wrong(i, i + 1), 0u);
}

// Threads unmap and move marked ranges all the time, at addresses that others just left.
TEST_F(NextTouch, MappingsThatChangeHandsKeepTheirContents) {
  std::atomic<size_t> bad{0};
  const auto work = [&](unsigned seed) {
    for (int round = 0; round < 150; ++round) {
      const size_t count = 4 + (seed = seed * 1103515245 + 12345) / 65536 % 30;
      auto* at = static_cast<uint64_t*>(
          mmap(nullptr, count * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
      for (size_t p = 0; p < count; ++p) at[p * page / 8] = seed + p;
      if (mark_next_touch(at, count * page) != 0) ++bad;
      if (round % 3 == 0) {
        at = static_cast<uint64_t*>(mremap(at, count * page, (count + 40) * page, MREMAP_MAYMOVE));
        munmap(at + count * page / 8, 40 * page);
      }
      for (size_t p = round % 2; p < count; p += 2) bad += at[p * page / 8] != seed + p;
      munmap(at, count * page);
    }
  };
  std::thread first(work, 1), second(work, 2), third(work, 3);
  first.join();
  second.join();
  third.join();
  EXPECT_EQ(bad, 0u);
}

// --- forks ---------------------------------------------------------------------------------------

int status_of(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

TEST_F(NextTouch, AForkedChildSeesWhatItsParentSaw) {
  Pages pages(500);
  ASSERT_EQ(pages.mark(), 0);
  EXPECT_EQ(pages.wrong(100, 150), 0u);
  const pid_t child = fork();
  if (child == 0) {
    if (pages.wrong() != 0) _exit(1);
    if (pages.mark() != 0 || pages.marked() != 500) _exit(2);  // it can mark for itself
    _exit(pages.wrong() == 0 ? 0 : 3);
  }
  EXPECT_EQ(status_of(child), 0);
  EXPECT_EQ(pages.wrong(), 0u);
  ASSERT_EQ(pages.mark(), 0);
  EXPECT_EQ(pages.wrong(), 0u);
}

// Without libc's knowing; the kernel tells of it where the process has CAP_SYS_PTRACE.
TEST_F(NextTouch, AChildThatTheKernelAloneKnowsOf) {
  if (geteuid() != 0) GTEST_SKIP() << "only a process with CAP_SYS_PTRACE is told of such children";
  Pages pages(500);
  pages.word(0) = 1;
  ASSERT_EQ(pages.mark(), 0);
  EXPECT_EQ(pages.wrong(100, 150), 0u);
  const auto child = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
  if (child == 0) syscall(SYS_exit_group, pages.wrong() == 0 ? 0 : 1);
  EXPECT_EQ(status_of(child), 0);
  EXPECT_EQ(pages.marked(), 450u);  // the parent's marks stay
  EXPECT_EQ(pages.wrong(), 0u);
}

TEST_F(NextTouch, SpawnedProgramsReadTheirArgumentsFromMarkedMemory) {
  Pages pages(4, false);
  char* argv[] = {pages.at(0), pages.at(1), pages.at(2), nullptr};
  strcpy(argv[0], "/bin/sh");
  strcpy(argv[1], "-c");
  strcpy(argv[2], "exit 42");
  ASSERT_EQ(pages.mark(), 0);
  pid_t child = 0;
  ASSERT_EQ(posix_spawn(&child, argv[0], nullptr, nullptr, argv, environ), 0);
  EXPECT_EQ(status_of(child), 42);
  ASSERT_EQ(forget_next_touch(pages.at(), pages.bytes()), 0);
}

TEST_F(NextTouch, ForksWhileOthersMarkAndTouch) {
  std::atomic<bool> stop{false};
  std::atomic<size_t> bad{0};
  std::thread worker([&] {
    Pages mine(64);
    while (!stop) {
      if (mine.mark() != 0) ++bad;
      bad += mine.wrong();
    }
    forget_next_touch(mine.at(), mine.bytes());
  });
  Pages pages(64);
  for (int round = 0; round < 30; ++round) {
    ASSERT_EQ(pages.mark(), 0);
    const pid_t child = fork();
    if (child == 0) _exit(pages.wrong() == 0 ? 0 : 1);
    EXPECT_EQ(status_of(child), 0);
  }
  EXPECT_EQ(pages.wrong(), 0u);
  stop = true;
  worker.join();
  EXPECT_EQ(bad, 0u);
}

// --- watched touches -----------------------------------------------------------------------------

uintptr_t address(const char* at) { return reinterpret_cast<uintptr_t>(at); }

std::vector<WatchedTouch> told() {
  touch_statistics();  // what was touched before has been told when the server answers
  std::vector<WatchedTouch> touches;
  for (WatchedTouch touch; watched_touches().take(touch);) touches.push_back(touch);
  return touches;
}

TEST_F(NextTouch, AWatchedPageTellsItsNextTouchOnceAndStays) {
  watched_touches().set_numbers([](int kernel_thread) { return kernel_thread; });
  Pages pages(64);
  ASSERT_EQ(watch_touches(address(pages.at(10)), page), 0);
  ASSERT_EQ(watch_touches(address(pages.at(20)), 2 * page), 0);
  EXPECT_EQ(pages.marked(), 0u);  // of marks for next touch
  EXPECT_TRUE(told().empty());
  int toucher = 0;
  std::thread([&] {
    toucher = os::thread_id();
    EXPECT_EQ(pages.wrong(20, 21), 0u);
  }).join();
  EXPECT_EQ(pages.wrong(), 0u);
  EXPECT_EQ(pages.wrong(), 0u);
  const std::vector<WatchedTouch> touches = told();
  ASSERT_EQ(touches.size(), 3u);
  EXPECT_EQ(touches[0].page, address(pages.at(20)));
  EXPECT_EQ(touches[0].number, toucher);
  EXPECT_EQ(touches[1].page, address(pages.at(10)));
  EXPECT_EQ(touches[1].number, os::thread_id());
  EXPECT_EQ(touches[2].page, address(pages.at(21)));
  EXPECT_EQ(watched_touches().lost(), 0u);
  watched_touches().set_numbers(nullptr);
}

// Each page that is watched is a mapping of its own. The least of three ratios counts: other
// programs beside make one larger, by what they do to caches and to the clock.
TEST_F(NextTouch, ToWatchAPageTakesNoLongerWhereManyAreWatched) {
  constexpr size_t some = 31;
  constexpr size_t many = 1000;
  Pages pages(2 * many + 48);
  const auto watch_some = [&pages](size_t first) {
    std::array<int64_t, some> took{};
    for (size_t i = 0; i < some; ++i) {
      const int64_t before = os::thread_cpu_ns(os::thread_id());
      EXPECT_EQ(watch_touches(address(pages.at(2 * (first + i))), page), 0);
      took[i] = os::thread_cpu_ns(os::thread_id()) - before;
    }
    std::nth_element(took.begin(), took.begin() + some / 2, took.end());
    return static_cast<double>(took[some / 2]);
  };
  const auto many_by_alone = [&] {
    const double alone = watch_some(0);
    for (size_t i = some; i < many - some; ++i)
      EXPECT_EQ(watch_touches(address(pages.at(2 * i)), page), 0);
    const double beside_many = watch_some(many - some);
    unwatch_touches(address(pages.at()), pages.bytes());
    return beside_many / alone;
  };
  EXPECT_LT(std::min({many_by_alone(), many_by_alone(), many_by_alone()}), 4);
  EXPECT_EQ(pages.wrong(), 0u);
}

TEST_F(NextTouch, WatchesEndUntold) {
  Pages pages(16);
  ASSERT_EQ(watch_touches(address(pages.at(2)), 4 * page), 0);
  unwatch_touches(address(pages.at(2)), 2 * page);
  EXPECT_EQ(pages.wrong(2, 4), 0u);
  EXPECT_TRUE(told().empty());
  ASSERT_EQ(forget_next_touch(pages.at(), pages.bytes()), 0);
  EXPECT_EQ(pages.wrong(), 0u);
  EXPECT_TRUE(told().empty());
}

TEST_F(NextTouch, AMarkEndsAWatchAndNoWatchEndsAMark) {
  Pages pages(16);
  ASSERT_EQ(watch_touches(address(pages.at(2)), page), 0);
  ASSERT_EQ(pages.mark(), 0);
  EXPECT_EQ(pages.marked(), 16u);
  EXPECT_EQ(watch_touches(address(pages.at(5)), page), -EINVAL);
  unwatch_touches(address(pages.at()), pages.bytes());
  EXPECT_EQ(pages.marked(), 16u);
  EXPECT_EQ(pages.wrong(), 0u);
  EXPECT_TRUE(told().empty());
}

TEST_F(NextTouch, SystemCallsTouchWatchedPages) {
  Pages pages(8);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(watch_touches(address(pages.at()), 2 * page), 0);
  EXPECT_EQ(write(ends[1], pages.at(0), page), static_cast<ssize_t>(page));
  EXPECT_EQ(read(ends[0], pages.at(1), page), static_cast<ssize_t>(page));
  EXPECT_EQ(memcmp(pages.at(0), pages.at(1), page), 0);
  EXPECT_EQ(told().size(), 2u);
  close(ends[0]);
  close(ends[1]);
}

TEST_F(NextTouch, WhatCannotBeWatchedIsRefused) {
  void* shared = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  EXPECT_EQ(watch_touches(reinterpret_cast<uintptr_t>(shared), page), -EINVAL);
  *static_cast<volatile char*>(shared) = 1;
  EXPECT_EQ(watch_touches(reinterpret_cast<uintptr_t>(shared), page), -EINVAL);
  munmap(shared, page);
  EXPECT_EQ(watch_touches(reinterpret_cast<uintptr_t>(shared), page), -EINVAL);
  static volatile int of_a_file[2048] = {1};  // private, and changed
  of_a_file[1024] = 2;
  const auto changed = reinterpret_cast<uintptr_t>(&of_a_file[1024]);
  EXPECT_EQ(watch_touches(changed / page * page, page), -EINVAL);
  EXPECT_EQ(watch_touches(address(Pages(4).at()) + 1, page), 0);  // no whole page
}

TEST_F(NextTouch, TouchesThatNobodyTakesAreCountedAsLost) {
  const uint64_t before = watched_touches().lost();
  Pages pages(9000);
  ASSERT_EQ(watch_touches(address(pages.at()), pages.bytes()), 0);
  EXPECT_EQ(pages.wrong(), 0u);
  const std::vector<WatchedTouch> touches = told();
  EXPECT_EQ(touches.size() + watched_touches().lost() - before, 9000u);
  EXPECT_LT(touches.size(), 9000u);
  ASSERT_EQ(watch_touches(address(pages.at()), page), 0);
  EXPECT_EQ(pages.wrong(0, 1), 0u);
  EXPECT_EQ(told().size(), 1u);
}

}  // namespace
}  // namespace xylem::mem
