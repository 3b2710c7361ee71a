// Owns: the slow paths of the gate. See heap_gate.hpp.
#include "mem/heap/heap_gate.hpp"

#include "os/clock.hpp"
#include "os/thread.hpp"

namespace xylem::mem {

void HeapGate::close() {
  closer_.store(os::thread_id(), std::memory_order_relaxed);  // relaxed: published by closed_
  closed_.store(true);                                        // pairs with the load in enter()
  for (int stripe = 0; stripe < stripes; ++stripe)
    while (inside(stripe).load() != 0) os::yield_to_kernel();  // pairs with enter() and leave()
}

// In the child of fork() too, which has a thread of another id.
void HeapGate::open() {
  closed_.store(false, std::memory_order_release);  // pairs with the load in re_enter()
}

void HeapGate::re_enter(int stripe) {
  while (closed_.load()) {
    if (closer_.load(std::memory_order_relaxed) == os::thread_id()) return;  // it waits for nobody
    leave(stripe);
    while (closed_.load(std::memory_order_acquire)) os::yield_to_kernel();
    inside(stripe).fetch_add(1);  // as in enter()
  }
}

}  // namespace xylem::mem
