// Owns: who touched watched pages, on the way from one thread, such as the server
// (touch_server.hpp), to one reader.
//
// Invariant: touches come out once each, in the order in which they went in. Where the reader is so
// late that there is no room, touches are lost, and counted.
//
// One writer, as the server, which takes no lock and allocates nothing; one reader at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace xylem::mem {

struct WatchedTouch {
  uintptr_t page = 0;  // its address
  int number = 0;      // of the toucher, as `number_of` said when it touched
};

class WatchedTouches {
 public:
  // Called by the server with the kernel's id of who touches: takes no lock, calls neither malloc
  // nor the loader, and reads no memory that may be watched. Set before pages are watched.
  using NumberOf = int (*)(int kernel_thread);
  void set_numbers(NumberOf number_of) { number_of_.store(number_of, std::memory_order_relaxed); }

  // Of a toucher by the kernel's id.
  void put(uintptr_t page, int kernel_thread);
  void put(const WatchedTouch& touch);
  // False if there is none.
  bool take(WatchedTouch& touch);
  uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t room = 8192;

  std::atomic<NumberOf> number_of_{nullptr};  // relaxed: a pointer to code
  std::array<WatchedTouch, room> touches_{};
  std::atomic<uint64_t> in_{0};    // by the writer; publishes touches_ (release)
  std::atomic<uint64_t> out_{0};   // by the reader; gives room back (release)
  std::atomic<uint64_t> lost_{0};  // by the writer; relaxed: a number
};

}  // namespace xylem::mem
