// Owns: the gate that lets fork() wait until nobody is inside a heap, because the pools' locks are
// not ours to take.
//
// Stripes keep threads that come at once apart. Invariant: while the gate is closed and each
// stripe's `inside` is 0, nobody is in a heap. Proof: who enters counts himself, then looks whether
// the gate is closed; who closes it closes it, then looks at the counts; all four are sequentially
// consistent, so that at least one of the two sees the other. Who sees the gate closed goes out
// again and waits.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace xylem::mem {

class HeapGate {
 public:
  static constexpr int stripes = 32;

  // Any number that differs between threads which run at once; the same in both calls.
  void enter(int stripe) {
    inside(stripe).fetch_add(1);           // pairs with the load in close()
    if (closed_.load()) re_enter(stripe);  // pairs with the store in close()
  }
  void leave(int stripe) {
    // pairs with the load in close(): the closer sees what was done inside
    inside(stripe).fetch_sub(1, std::memory_order_release);
  }

  // By one thread at a time. The closer itself may enter in between.
  void close();
  void open();

 private:
  struct alignas(64) Stripe {
    // Threads inside, written by them, read by close().
    std::atomic<int32_t> inside{0};
  };

  std::atomic<int32_t>& inside(int stripe) {
    return stripes_[static_cast<std::size_t>(stripe)].inside;
  }
  void re_enter(int stripe);

  std::array<Stripe, stripes> stripes_{};
  std::atomic<bool> closed_{false};  // by the closer; read by all who enter
  // The closer's thread id, written before closed_ (which publishes it).
  std::atomic<int> closer_{0};
};

// The calling thread's stripe, told by its stack: kernel threads and fibers have stacks of their
// own. It need not be the same twice.
inline int this_stripe() {
  const auto stack = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) >> 14;
  return static_cast<int>(stack * 0x9e3779b97f4a7c15u >> 59);
}
static_assert(HeapGate::stripes == 1 << (64 - 59));

}  // namespace xylem::mem
