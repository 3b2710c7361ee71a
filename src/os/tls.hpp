// Owns: the thread pointer and the thread control blocks that libc keeps behind it.
// Invariant: a block made here looks to libc like that of one more kernel thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xylem::os {

// The C++ library's per-thread exception state (Itanium C++ ABI section 2.2.2).
struct ExceptionState {
  void* caught = nullptr;
  unsigned uncaught = 0;
};

// What a kernel thread's own block holds at fixed addresses.
struct NativeThread {
  void* block = nullptr;                 // its thread pointer
  int* errno_address = nullptr;          // its errno
  ExceptionState* exceptions = nullptr;  // nullptr while no C++ library is loaded
  int tid = 0;
  const int* processor = nullptr;  // for processor_at(); null: not known
};

// Looks the C++ library's exception state up. Takes the loader's lock, which the program may hold
// while a library's constructors run: call it where the program calls, never on a worker's own
// account.
void find_cxx_library();

// Looks up where the kernel writes on which processor a thread runs (rseq, glibc 2.35). Likewise.
void find_rseq();

// libc registers a thread for rseq if the block in force says that its maker is registered, and
// made blocks say no. While one of these lives, the block in force says what the kernel thread's
// own does.
class ShowsRegistration {
 public:
  ShowsRegistration();
  ~ShowsRegistration();
  ShowsRegistration(const ShowsRegistration&) = delete;
  ShowsRegistration& operator=(const ShowsRegistration&) = delete;

 private:
  int* made_ = nullptr;  // where a made block says it; null: the own one is in force
};

// Describes the calling kernel thread; its own thread pointer must be in force.
NativeThread describe_this_thread();

// errno's address under the thread pointer in force now.
int* current_errno_address();

// True if blocks can be made: the loader's allocator is there, and the thread pointer can be moved,
// and no sanitizer runtime keeps its own state behind the thread pointer.
bool can_make_blocks();

// True when a sanitizer runtime is in the process.
bool sanitizer_loaded();

// Making, destroying and visiting blocks must not happen at the same time: the callers hold a lock.

// A new thread control block with initialised thread-local data; nullptr when out of memory.
// Some 2.4 us on a 2.3 GHz machine: pool them.
void* make_block();

// Registers a destructor with the thread-local data in force, as the C++ library does for an
// object: ended(argument) runs when these data end, with them in force. Never fails: without memory
// nothing is called.
void at_data_end(void (*ended)(void*), void* argument);

// Runs the destructors of the block's C++ thread-local objects, on the calling thread's stack. With
// no lock held: they are the program's.
void end_data(void* block);

// Frees a block. What libc itself keeps in it, at most some KiB for malloc, is lost, and
// destructors of pthread keys do not run: not for everyday use. Nobody may use the block any more.
void destroy_block(void* block);

// Calls visit(block, look, argument) for each block that was made and not destroyed; look: that
// static_tls.hpp took when it was made.
void each_made_block(void (*visit)(void* block, int scan, void* argument), void* argument);

// The thread pointer in force.
void* thread_pointer();

// Moves the thread pointer. 10 to 20 ns with FSGSBASE, else a system call.
void set_thread_pointer(void* block);

// The kernel thread's own block while a made one is in force, null else. Right at every
// instruction, so that a signal handler may ask: each made block says whose it is before it comes
// into force.
void* native_block_below();

// In a forked child: the block in force is the calling kernel thread's own from here on. libc holds
// the one below for an ended thread's, and gives it to the next thread that is made.
void own_block_in_force();

// The id of the kernel thread whose own block it is; 0: a made one.
int thread_of_own_block(const void* block);

// Moves the thread pointer of the kernel thread whose own block is `native`, to that one or to a
// made block.
void put_block_in_force(void* block, void* native);

}  // namespace xylem::os
