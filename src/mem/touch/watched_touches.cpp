// Owns: the ring. See watched_touches.hpp.
#include "mem/touch/watched_touches.hpp"

namespace xylem::mem {

void WatchedTouches::put(uintptr_t page, int kernel_thread) {
  const NumberOf number_of = number_of_.load(std::memory_order_relaxed);
  put({page, number_of == nullptr ? 0 : number_of(kernel_thread)});
}

void WatchedTouches::put(const WatchedTouch& touch) {
  const uint64_t in = in_.load(std::memory_order_relaxed);  // written here alone
  if (in - out_.load(std::memory_order_acquire) == room) {  // pairs with take()
    lost_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  touches_[in % room] = touch;
  in_.store(in + 1, std::memory_order_release);  // pairs with take()
}

bool WatchedTouches::take(WatchedTouch& touch) {
  const uint64_t out = out_.load(std::memory_order_relaxed);     // written here alone
  if (out == in_.load(std::memory_order_acquire)) return false;  // pairs with put()
  touch = touches_[out % room];
  out_.store(out + 1, std::memory_order_release);  // pairs with put()
  return true;
}

}  // namespace xylem::mem
