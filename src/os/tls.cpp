// Owns: thread pointers and control blocks on x86-64 glibc. See tls.hpp.
// The loader's private allocator is looked up at run time, never linked: where it is missing
// can_make_blocks() is false and callers fall back.
#include "os/tls.hpp"

#include <asm/prctl.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

#include <atomic>

#include "os/instrument_library.hpp"
#include "os/raw_syscall.hpp"
#include "os/running.hpp"
#include "os/static_tls.hpp"
#include "os/thread.hpp"
#include "os/thread_end.hpp"

namespace xylem::os {

namespace {

// What a made block says of itself, in each block at the same distance from its thread pointer.
struct MadeBlock {
  void* native;     // the own block of the kernel thread that runs under this one
  MadeBlock* next;  // of all made blocks; by the callers' order
  MadeBlock* prev;  // likewise
  int scan;         // static_tls.hpp: which modules' data it was made with
};

}  // namespace

}  // namespace xylem::os

extern "C" {
// libc's, which no header declares.
int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* module);
extern void* __dso_handle  // NOLINT(readability-identifier-naming): the ABI's name
    __attribute__((visibility("hidden")));

// All zero in a block that was not made here. Reached by its offset only (made_block()).
__attribute__((
    visibility("hidden"),
    tls_model("initial-exec"))) thread_local constinit xylem::os::MadeBlock xylem_made_block = {};
}

namespace xylem::os {

namespace {

// Offsets in the head of glibc's block that the compiler itself relies on (x86-64 psABI and GCC).
constexpr size_t self_offset = 16, multiple_threads_offset = 24, stack_guard_offset = 40,
                 pointer_guard_offset = 48, feature_offset = 72;
constexpr size_t rseq_cpu_id = sizeof(uint32_t);
constexpr int rseq_unregistered = -2;  // RSEQ_CPU_ID_REGISTRATION_FAILED: ask the kernel instead
constexpr unsigned long hwcap2_fsgsbase = 2;
using ExceptionGlobals = ExceptionState* (*)();
constinit std::atomic<ExceptionGlobals> exception_globals{nullptr};

using Allocate = void* (*)(void*);
using Deallocate = void (*)(void*, bool);
using InitCtype = void (*)();
using CallDestructors = void (*)();

struct Libc {
  Allocate allocate = nullptr;                 // _dl_allocate_tls
  Deallocate deallocate = nullptr;             // _dl_deallocate_tls
  InitCtype init_ctype = nullptr;              // __ctype_init
  CallDestructors call_destructors = nullptr;  // __call_tls_dtors
  size_t tid_offset = 0;                       // from _thread_db_pthread_tid, {bits, count, offset}
  size_t robust_offset = 0;                    // of the head of the list of robust mutexes; 0: none
  size_t end_place_offset = 0;                 // of find_end_place()
  bool fsgsbase = false;
  bool looked = false;
};
constinit Libc libc;
constinit std::atomic<const ptrdiff_t*> rseq_offset{nullptr};

// What the kernel keeps of a thread's robust mutexes (<linux/futex.h>).
struct RobustHead {
  void* first;
  long futex_offset;
  void* pending;
};

// The kernel was told the address of the thread's head, which is in the thread's own block. 0: it
// was not.
size_t find_robust_head() {
  RobustHead* head = nullptr;
  size_t bytes = 0;
  const long refused = raw_syscall(SYS_get_robust_list, 0, reinterpret_cast<long>(&head),
                                   reinterpret_cast<long>(&bytes));
  const auto block = reinterpret_cast<size_t>(pthread_self());
  const auto at = reinterpret_cast<size_t>(head);
  constexpr size_t most_of_a_block = 4096;
  if (refused != 0 || bytes != sizeof *head || at <= block || at - block > most_of_a_block)
    return 0;
  return at - block;
}

const Libc& known_libc() {
  if (libc.looked) return libc;
  libc.allocate = reinterpret_cast<Allocate>(dlsym(RTLD_DEFAULT, "_dl_allocate_tls"));
  libc.deallocate = reinterpret_cast<Deallocate>(dlsym(RTLD_DEFAULT, "_dl_deallocate_tls"));
  libc.call_destructors =
      reinterpret_cast<CallDestructors>(dlsym(RTLD_DEFAULT, "__call_tls_dtors"));
  libc.init_ctype = reinterpret_cast<InitCtype>(dlsym(RTLD_DEFAULT, "__ctype_init"));
  const auto* tid = static_cast<const uint32_t*>(dlsym(RTLD_DEFAULT, "_thread_db_pthread_tid"));
  libc.tid_offset = tid ? tid[2] : 0;
  libc.robust_offset = native_block_below() ? 0 : find_robust_head();
  libc.end_place_offset = native_block_below() ? 0 : find_end_place();
  find_rseq();
  libc.fsgsbase = (getauxval(AT_HWCAP2) & hwcap2_fsgsbase) != 0;
  libc.looked = true;
  return libc;
}

constexpr int kernel_numbers = 1 << 22;  // the kernel gives out thread ids below
constinit int thread_numbers = 0;        // given out by this process
constinit int numbering_process = 0;

// What libc's locks that know their owner compare. It is above all that the kernel gives out, 2^22,
// and stays the block's, so that fibers that share a kernel thread differ. Locks may be shared by
// processes: each has numbers of its own, as far as the 30 bits of a lock word go.
int next_thread_number() {
  const int process = static_cast<int>(raw_syscall(SYS_getpid));
  if (process != numbering_process) thread_numbers = 0;
  numbering_process = process;
  constexpr unsigned kernels = kernel_numbers, all = 1u << 30, of_a_process = 1u << 12;
  const unsigned first = static_cast<unsigned>(process) * of_a_process;
  return static_cast<int>(kernels +
                          (first + static_cast<unsigned>(thread_numbers++)) % (all - kernels));
}

void put(void* block, size_t offset, const void* value, size_t bytes) {
  memcpy(static_cast<char*>(block) + offset, value, bytes);
}

void copy_from_this_thread(void* block, size_t offset, size_t bytes) {
  put(block, offset, reinterpret_cast<char*>(pthread_self()) + offset, bytes);
}

// An empty list is one whose head points to itself; libc keeps a link back right before it.
void put_robust_head(void* block, size_t offset) {
  if (offset == 0) return;
  RobustHead head;
  memcpy(&head, reinterpret_cast<char*>(pthread_self()) + offset, sizeof head);
  head.first = static_cast<char*>(block) + offset;
  head.pending = nullptr;
  put(block, offset, &head, sizeof head);
  put(block, offset - sizeof(void*), &head.first, sizeof(void*));
}

ptrdiff_t made_block_offset() {
  ptrdiff_t offset;
  asm("movq xylem_made_block@gottpoff(%%rip), %0" : "=r"(offset));
  return offset;
}

MadeBlock& made_block(void* block) {
  return *reinterpret_cast<MadeBlock*>(static_cast<char*>(block) + made_block_offset());
}

void* block_of(MadeBlock& made) { return reinterpret_cast<char*>(&made) - made_block_offset(); }

constinit MadeBlock* made_blocks = nullptr;

void enlist(MadeBlock& made) {
  made.next = made_blocks;
  made.prev = nullptr;
  if (made_blocks) made_blocks->prev = &made;
  made_blocks = &made;
}

void strike_off(MadeBlock& made) {
  (made.prev ? made.prev->next : made_blocks) = made.next;
  if (made.next) made.next->prev = made.prev;
}

// Calls function() with `block` in force.
void call_under(void* block, void (*function)()) {
  void* before = thread_pointer();
  void* native = native_block_below();
  put_block_in_force(block, native ? native : before);
  function();
  set_thread_pointer(before);
}

}  // namespace

[[gnu::noinline]] int* current_errno_address() {
  asm volatile("");  // __errno_location is declared const: keep each call a call
  return &errno;
}

void find_cxx_library() {
  exception_globals.store(
      reinterpret_cast<ExceptionGlobals>(dlsym(RTLD_DEFAULT, "__cxa_get_globals")),
      std::memory_order_release);
}

// relaxed: what it points to is libc's, and never changes
void find_rseq() {
  rseq_offset.store(static_cast<const ptrdiff_t*>(dlsym(RTLD_DEFAULT, "__rseq_offset")),
                    std::memory_order_relaxed);
}

namespace {
// Of the thread whose block it is; where libc has not registered it, it says so (processor_at()).
int* processor_in(void* block) {
  const ptrdiff_t* offset = rseq_offset.load(std::memory_order_relaxed);  // see find_rseq()
  if (!offset) return nullptr;
  return reinterpret_cast<int*>(static_cast<char*>(block) + *offset + rseq_cpu_id);
}
}  // namespace

ShowsRegistration::ShowsRegistration() {
  void* const own = native_block_below();
  if (!own || !processor_in(own)) return;
  made_ = processor_in(thread_pointer());
  *made_ = processor_at(processor_in(own));
}

ShowsRegistration::~ShowsRegistration() {
  if (made_) *made_ = rseq_unregistered;
}

NativeThread describe_this_thread() {
  NativeThread native;
  native.block = reinterpret_cast<void*>(pthread_self());  // on glibc x86-64: the thread pointer
  native.errno_address = current_errno_address();
  // acquire: pairs with the release in find_cxx_library()
  if (ExceptionGlobals globals = exception_globals.load(std::memory_order_acquire))
    native.exceptions = globals();
  native.tid = thread_id();
  native.processor = processor_in(native.block);
  return native;
}

// libxylem-instrument.so has ThreadSanitizer's names, and nothing for each thread.
bool sanitizer_loaded() {
  const bool counts_only = dlsym(RTLD_DEFAULT, take_accesses_name) != nullptr;
  for (const char* name :
       {"__asan_init", "__tsan_init", "__lsan_init", "__msan_init", "__hwasan_init"})
    if (dlsym(RTLD_DEFAULT, name) && !(counts_only && strcmp(name, "__tsan_init") == 0))
      return true;
  return false;
}

bool can_make_blocks() {
  const Libc& known = known_libc();
  return known.allocate && known.tid_offset != 0 && !sanitizer_loaded();
}

void* make_block() {
  const Libc& known = known_libc();
  const int scan = scan_static_data();
  void* block = known.allocate(nullptr);
  if (!block) return nullptr;
  put(block, 0, &block, sizeof block);
  put(block, self_offset, &block, sizeof block);
  const int many = 1;
  put(block, multiple_threads_offset, &many, sizeof many);
  copy_from_this_thread(block, stack_guard_offset, sizeof(void*));
  copy_from_this_thread(block, pointer_guard_offset, sizeof(void*));
  copy_from_this_thread(block, feature_offset, sizeof(unsigned));
  // fork() unlinks the calling thread from libc's list of threads, whose link is before the id.
  char* link = static_cast<char*>(block) + known.tid_offset - 2 * sizeof(void*);
  void* const alone[2] = {link, link};
  memcpy(link, alone, sizeof alone);
  if (const ptrdiff_t* offset = rseq_offset.load(std::memory_order_relaxed))  // see find_rseq()
    put(block, static_cast<size_t>(*offset) + rseq_cpu_id, &rseq_unregistered,
        sizeof rseq_unregistered);
  put_robust_head(block, known.robust_offset);
  put_end_place(block, known.end_place_offset);
  const int tid = next_thread_number();
  put(block, known.tid_offset, &tid, sizeof tid);
  if (known.init_ctype) call_under(block, known.init_ctype);
  made_block(block).scan = scan;
  enlist(made_block(block));
  return block;
}

void at_data_end(void (*ended)(void*), void* argument) {
  __cxa_thread_atexit_impl(ended, argument, &__dso_handle);
}

void end_data(void* block) {
  if (known_libc().call_destructors) call_under(block, known_libc().call_destructors);
}

void destroy_block(void* block) {
  const Libc& known = known_libc();
  strike_off(made_block(block));
  if (known.deallocate) known.deallocate(block, true);
}

void each_made_block(void (*visit)(void* block, int scan, void* argument), void* argument) {
  for (MadeBlock* made = made_blocks; made; made = made->next)
    visit(block_of(*made), made->scan, argument);
}

void* thread_pointer() {
  void* pointer;
  asm volatile("movq %%fs:0, %0" : "=r"(pointer));
  return pointer;
}

void* native_block_below() { return made_block(thread_pointer()).native; }

void own_block_in_force() { made_block(thread_pointer()).native = nullptr; }

int thread_of_own_block(const void* block) {
  int tid;
  memcpy(&tid, static_cast<const char*>(block) + libc.tid_offset, sizeof tid);
  return tid < kernel_numbers ? tid : 0;
}

void put_block_in_force(void* block, void* native) {
  // An external thread's own block may have been in force on another kernel thread before.
  made_block(block).native = block != native ? native : nullptr;
  asm volatile("" ::: "memory");  // a signal handler on this thread may look in between
  set_thread_pointer(block);
}

void set_thread_pointer(void* block) {
  if (libc.fsgsbase) {
    asm volatile("wrfsbase %0" ::"r"(block) : "memory");
  } else {
    raw_syscall(SYS_arch_prctl, ARCH_SET_FS, reinterpret_cast<long>(block));
  }
}

}  // namespace xylem::os
