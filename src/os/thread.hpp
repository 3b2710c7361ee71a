// Owns: making kernel threads and binding them to processors.
#pragma once

#include <cstddef>
#include <span>

namespace xylem::os {

struct StackBounds {
  char* low;   // lowest usable address
  char* high;  // one past the highest
};

// The signals that a kernel thread does not take, in the kernel's form.
struct SignalMask {
  unsigned long bits = 0;
};
// But those that libc sends itself (32 and 33): setuid() waits for every thread to take one.
inline constexpr SignalMask all_signals{~(3ul << 31)};
// Of the calling kernel thread.
SignalMask signal_mask();

// Starts a detached kernel thread that runs entry(argument) under that mask. Its native stack has
// `stack_bytes`, or what suits a worker if that is 0.
// Returns 0 or -errno; on failure nothing was started.
int start_thread(void (*entry)(void*), void* argument, SignalMask mask, size_t stack_bytes = 0);

// The same for a kernel thread that nothing goes on without: while the kernel refuses it for want
// of resources (EAGAIN, which may pass) it is asked for again, for a tenth of a second in all.
int start_needed_thread(void (*entry)(void*), void* argument, SignalMask mask,
                        size_t stack_bytes = 0);

// Binds the calling kernel thread to the processor with this OS index. Returns 0 or -errno.
int bind_to_cpu(int os_index);

// Binds a kernel thread of this process, or the calling one (0), to `count` processors. Returns 0
// or -errno.
int bind_to_cpus(const int* os_indices, int count, int tid = 0);

// A set of processors, by the kernel's numbers.
struct AffinityMask {
  unsigned long words[128] = {};
  long bytes = 0;  // 0: not known

  bool has(int os_index) const {
    constexpr int word_bits = 8 * sizeof(unsigned long);
    return os_index >= 0 && os_index < bytes * 8 &&
           (words[os_index / word_bits] >> (os_index % word_bits) & 1) != 0;
  }
  int count() const {
    int sum = 0;
    for (long word = 0; word < bytes / static_cast<long>(sizeof words[0]); ++word)
      sum += __builtin_popcountl(words[word]);
    return sum;
  }
};
// The set of those processors; of a number above the set's room nothing is kept.
AffinityMask mask_of(std::span<const int> os_indices);
// The processors that the calling kernel thread may run on now, and binding it to those of a mask:
// where that is refused, or the mask is not known, the thread stays as it is.
AffinityMask affinity(int tid = 0);
void set_affinity(const AffinityMask& mask, int tid = 0);
// Brings a kernel thread of this process, or the calling one (0), to a processor that it may run
// on, by binding it there for a moment. Who binds it otherwise meanwhile has the last word.
void bring_to_cpu(int os_index, int tid = 0);

// The kernel's id of the calling thread. Always a system call: libc caches it per thread block.
int thread_id();

// Whether the calling thread is the one that runs main(), and whether that one has ended.
bool is_first_thread();
bool first_thread_ended();

// A kernel thread of the runtime's that would keep the process alive for ever: it has one of these,
// and ends where only such helpers are left.
class HelperThread {
 public:
  HelperThread();
  ~HelperThread();
  HelperThread(const HelperThread&) = delete;
  HelperThread& operator=(const HelperThread&) = delete;
};
// The first thread has ended, and so have all others but helpers. Reads /proc; false if it cannot.
bool only_helpers_left();

// The native stack of the calling kernel thread, as libc knows it; the first thread's with the
// program's arguments, up to its end. May read /proc.
StackBounds native_stack();

// RLIMIT_STACK in bytes; 0 when unlimited.
size_t stack_limit();

// Calls these around fork(), as pthread_atfork does.
void at_fork(void (*prepare)(), void (*parent)(), void (*child)());

// Calls gone(value) when the calling kernel thread ends. One hook a process.
void at_thread_exit(void (*gone)(void*), void* value);

}  // namespace xylem::os
