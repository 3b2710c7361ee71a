// Owns: what this layer asks about the calling thread. Memory knows nothing of fibers: the
// scheduler says once how the two questions are answered.
#pragma once

namespace xylem::mem {

struct Caller {
  // The number of the PU that the calling thread runs on, on a synthetic machine; 0 if unknown.
  int (*pu)() = nullptr;
  // Puts a thread control block in force that lasts as long as the calling kernel thread, for
  // libraries that keep per-thread data which nobody would end in a fiber's block. The result is
  // handed back to return_to_block(); null: nothing was changed. The caller does not switch fibers
  // between the two.
  void* (*enter_lasting_block)() = nullptr;
  void (*return_to_block)(void* before) = nullptr;
};

// Once, before the first region. Without it the thread is on PU 0 and has one block.
void set_caller(const Caller& caller);
const Caller& caller();

}  // namespace xylem::mem
