// Owns: the kernel thread that gives marked pages to those who touch them (docs/memory.md).
//
// A thread that touches a marked page sleeps in the kernel, with whatever locks it holds, until
// this thread has given the page. So it must get on without anybody: it takes no lock, calls
// neither malloc nor the loader, touches no memory of the program's, and alone knows what is marked
// (touch_table.hpp). Markers hand it a request and sleep; what they have to do themselves is to
// take the pages away, as the kernel holds who does so until the server has read the event.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "mem/touch/touch_table.hpp"
#include "mem/touch/watched_touches.hpp"
#include "os/user_faults.hpp"

namespace xylem::mem {

enum class Ask : uint8_t {
  arm,      // mark what is not marked of a part of one mapping
  watch,    // the same, for touches to be told (watched_touches.hpp)
  forget,   // end the marks of a range; pages stay on their nodes
  unwatch,  // the same, of pages that are watched
  count     // the answer is how many pages are marked
};

class TouchServer {
 public:
  // Starts the thread, once in a process. 0 or a negative errno. By the holder of the markers'
  // lock, as all but statistics.
  int start();
  bool started() const;
  long ask(Ask what, uintptr_t start, uintptr_t end);
  // os::pages_are_private(). By the holder of the markers' lock, once it has started.
  bool holds_private_pages(uintptr_t start, uintptr_t end) const;
  // The server's own stack lies there: touching that cannot be waited for.
  bool lives_in(uintptr_t start, uintptr_t end) const { return start <= stack_ && stack_ < end; }
  // The thread's, by the kernel; 0: it never started.
  int kernel_thread() const { return kernel_thread_.load(std::memory_order_relaxed); }
  // A child of fork() has no server, and its marks ended before.
  void forget_in_child();

  // Written by the server alone, read by anybody; relaxed: numbers, each right for some moment. Who
  // has asked something since a touch sees that touch counted.
  std::atomic<int64_t> moved{0};
  WatchedTouches watched;  // the server puts them in
  std::atomic<int64_t> busy_ns{0};

 private:
  struct Touch {
    uintptr_t page = 0;
    int thread = -1;
  };
  struct Request {
    Ask what = Ask::count;
    uintptr_t start = 0;
    uintptr_t end = 0;
    long answer = 0;
    // The marker is to take the pages of [from, from + bytes) away to `to`, and to say how it went.
    bool take = false;
    uintptr_t from = 0;
    size_t bytes = 0;
    uintptr_t to = 0;
    int taken = 0;
  };
  enum class Outcome : uint8_t { done, later };

  // --- markers ---
  int open();
  void close_all();
  void hand_over();

  // --- the server ---
  static void thread(void* self);
  void serve();
  bool wait();
  void read_news();
  void hear(const os::FaultEvent& event);
  void hear_moved(uintptr_t start, uintptr_t end, uintptr_t to);
  void hear_forked(int child);

  void serve_touches();
  Outcome serve_touch(const Touch& touch);
  Outcome give_zeros(const Touch& touch);
  void stop_watching_around(uintptr_t page);
  Outcome give_kept(Extent& extent, size_t i, int node);
  void settle_home(uintptr_t page, int node, int before);
  void end_mark(Extent& extent, size_t i);
  void refuse_page(uintptr_t page);

  Outcome answer();
  Outcome arm();
  Outcome arm_next();
  void undo_arming();
  Outcome forget(uintptr_t start, uintptr_t end, bool only_watched = false);
  Outcome put_back(Extent& extent);
  Outcome put_run_back(Extent& extent, size_t first, size_t count);
  size_t copy_run(int faults, const Extent& extent, size_t first, size_t count, long& error);

  void tidy();
  Outcome tidy_extent(Extent& extent);
  void prefer(int node);
  int node_of_toucher(int thread) const;

  bool started_ = false;  // by the markers' lock, as the descriptors
  int pid_ = 0;
  int faults_ = -1;
  int bell_ = -1;
  int page_states_ = -1;
  bool sees_forks_ = false;
  std::atomic<int> refused_{0};  // by the server before its first turn: policies cannot be set
  std::atomic<int> kernel_thread_{0};  // likewise; relaxed: a number
  uintptr_t stack_ = 0;                // likewise

  // 1: the request is the server's, 0: the marker's. Each side writes it when it is done (release)
  // and waits for the other's (acquire).
  std::atomic<uint32_t> turn_{0};
  Request request_;

  // By the server alone.
  TouchTable table_;
  Touch* touches_ = nullptr;  // read, and not served yet: one a thread at most
  size_t touch_count_ = 0;
  char* zeros_ = nullptr;
  uintptr_t arming_ = 0;  // where the extent that is arming begins; 0: none
  bool untidy_ = false;   // extents are doubtful, or empty and not ended
  int preferred_ = -1;
  int rounds_ = 0;                           // since it had nothing left to do
  std::array<int16_t, 8192> node_of_cpu_{};  // the kernel's numbers; -1: not known
};

TouchServer& touch_server();

}  // namespace xylem::mem
