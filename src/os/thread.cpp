// Owns: kernel threads, through libc so that its own books stay right. See thread.hpp.
#include "os/thread.hpp"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <new>
#include <string_view>
#include <utility>

#include "os/credentials.hpp"
#include "os/files.hpp"
#include "os/memory.hpp"
#include "os/process.hpp"
#include "os/raw_syscall.hpp"
#include "os/tls.hpp"

namespace xylem::os {

namespace {

constexpr size_t native_stack_bytes = 256 * 1024;  // workers leave it at once for a pooled stack

struct Start {
  void (*entry)(void*);
  void* argument;
  Start* next;
};

// Those that their threads have read, for later starts. No thread deletes its own: at its first
// call of malloc or free it takes 64 MiB of address space (an arena), which counts where that is
// limited. No other thread does: to ThreadSanitizer in a program, which does not see these atomics,
// that would be a race. Release by who is done with one, acquire by who takes it.
constinit std::atomic<Start*> read_starts{nullptr};

void keep_start(Start* record) {
  record->next = read_starts.load(std::memory_order_relaxed);  // relaxed: only compared
  while (!read_starts.compare_exchange_weak(record->next, record, std::memory_order_release,
                                            std::memory_order_relaxed)) {
  }
}

// A record that nobody uses; null: out of memory. All are taken, as the first alone could come and
// go meanwhile.
Start* take_start() {
  Start* first = read_starts.exchange(nullptr, std::memory_order_acquire);
  if (!first) return new (std::nothrow) Start;
  for (Start* other = first->next; other;) keep_start(std::exchange(other, other->next));
  return first;
}

void* trampoline(void* raw) {
  auto* record = static_cast<Start*>(raw);
  const Start start = *record;
  keep_start(record);
  start.entry(start.argument);
  return nullptr;
}

// In libc's form, which has room for more signals than the kernel knows.
sigset_t libc_set(SignalMask mask) {
  sigset_t set;
  sigemptyset(&set);
  memcpy(&set, &mask.bits, sizeof mask.bits);
  return set;
}

pthread_key_t exit_key;
pthread_once_t exit_key_once = PTHREAD_ONCE_INIT;
// Written by every thread that asks for the hook, always the same. relaxed: whoever ends has
// written it.
std::atomic<void (*)(void*)> exit_hook{nullptr};

void call_exit_hook(void* value) { exit_hook.load(std::memory_order_relaxed)(value); }
void make_exit_key() { pthread_key_create(&exit_key, call_exit_hook); }

}  // namespace

SignalMask signal_mask() {
  SignalMask mask;
  raw_syscall(SYS_rt_sigprocmask, SIG_BLOCK, 0, reinterpret_cast<long>(&mask.bits),
              sizeof mask.bits);
  return mask;
}

// The mask is the thread's from its first instruction, and is never its maker's: a signal that
// waits for the maker would come to it.
int start_thread(void (*entry)(void*), void* argument, SignalMask mask, size_t stack_bytes) {
  Start* start = take_start();
  if (!start) return -12;
  *start = {entry, argument, nullptr};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  size_t bytes = stack_bytes > native_stack_bytes ? stack_bytes : native_stack_bytes;
  pthread_attr_setstacksize(&attributes, bytes);
  const sigset_t blocked = libc_set(mask);
  int error = pthread_attr_setsigmask_np(&attributes, &blocked);
  pthread_t thread;
  const ShowsRegistration shows;
  if (error == 0) error = pthread_create(&thread, &attributes, trampoline, start);
  if (error == EINVAL) {  // the program's static thread-local data alone is larger than that
    pthread_attr_setstacksize(&attributes, bytes += 8 << 20);
    error = pthread_create(&thread, &attributes, trampoline, start);
  }
  pthread_attr_destroy(&attributes);
  if (error == 0)
    follow_credentials();
  else
    keep_start(start);
  return -error;
}

int start_needed_thread(void (*entry)(void*), void* argument, SignalMask mask, size_t stack_bytes) {
  int error = start_thread(entry, argument, mask, stack_bytes);
  for (long wait_ns = 1'000'000; error == -EAGAIN && wait_ns <= 64'000'000; wait_ns *= 2) {
    const timespec wait{0, wait_ns};
    raw_syscall(SYS_nanosleep, reinterpret_cast<long>(&wait), 0);
    error = start_thread(entry, argument, mask, stack_bytes);
  }
  return error;
}

int bind_to_cpu(int os_index) { return bind_to_cpus(&os_index, 1); }

int bind_to_cpus(const int* os_indices, int count, int tid) {
  const AffinityMask mask = mask_of({os_indices, static_cast<size_t>(count)});
  return static_cast<int>(
      raw_syscall(SYS_sched_setaffinity, tid, mask.bytes, reinterpret_cast<long>(mask.words)));
}

AffinityMask affinity(int tid) {
  AffinityMask mask;
  const long got = raw_syscall(SYS_sched_getaffinity, tid, sizeof mask.words,
                               reinterpret_cast<long>(mask.words));
  mask.bytes = got > 0 ? got : 0;
  return mask;
}

AffinityMask mask_of(std::span<const int> os_indices) {
  AffinityMask mask;
  mask.bytes = sizeof mask.words;
  constexpr int word_bits = 8 * sizeof(unsigned long);
  for (const int os_index : os_indices)
    if (os_index >= 0 && os_index < mask.bytes * 8)
      mask.words[os_index / word_bits] |= 1ul << (os_index % word_bits);
  return mask;
}

void set_affinity(const AffinityMask& mask, int tid) {
  if (mask.bytes > 0)
    raw_syscall(SYS_sched_setaffinity, tid, mask.bytes, reinterpret_cast<long>(mask.words));
}

void bring_to_cpu(int os_index, int tid) {
  const AffinityMask before = affinity(tid);
  if (!before.has(os_index) || bind_to_cpus(&os_index, 1, tid) != 0) return;
  const AffinityMask now = affinity(tid);
  if (now.count() == 1 && now.has(os_index)) set_affinity(before, tid);
}

int thread_id() { return static_cast<int>(raw_syscall(SYS_gettid)); }

bool is_first_thread() { return thread_id() == static_cast<int>(raw_syscall(SYS_getpid)); }

namespace {

// What /proc says of the process. Its first thread counts until the process has gone.
struct ProcessState {
  bool first_ended = false;
  int threads = 0;  // 0: not known
};

ProcessState process_state() {
  std::array<char, 1024> text;
  const int got = read_file("/proc/self/stat", text);
  if (got <= 0) return {};
  std::string_view rest(text.data(), static_cast<size_t>(got));
  rest.remove_prefix(rest.rfind(')') + 1);  // after "pid (name)"; a name may hold anything
  rest = trim(rest);
  ProcessState state;
  state.first_ended = next_part(rest, ' ') == "Z";
  constexpr int fields_between = 16;  // from the fourth, to the twentieth: the number of threads
  for (int field = 0; field < fields_between; ++field) next_part(rest, ' ');
  long long threads = 0;
  if (parse_integer(next_part(rest, ' '), threads)) state.threads = static_cast<int>(threads);
  return state;
}

// Helpers of a process, which none of its children has: its number << 32 | how many.
constinit std::atomic<uint64_t> helpers{0};

uint64_t own_helpers(uint64_t seen) {
  const auto process = static_cast<uint64_t>(process_id()) << 32;
  return seen >> 32 == process >> 32 ? seen : process;
}

void add_helpers(int more) {
  uint64_t seen = helpers.load();
  while (!helpers.compare_exchange_weak(seen, own_helpers(seen) + static_cast<uint64_t>(more))) {
  }
}

}  // namespace

bool first_thread_ended() { return process_state().first_ended; }

HelperThread::HelperThread() { add_helpers(1); }
HelperThread::~HelperThread() { add_helpers(-1); }

// One that has ended may be among the threads for a moment longer: the next look is right.
bool only_helpers_left() {
  const auto count = static_cast<uint32_t>(own_helpers(helpers.load()));
  const ProcessState state = process_state();
  return state.first_ended && state.threads == static_cast<int>(count) + 1;
}

namespace {

// The first thread's stack ends behind the program's file name, which the kernel writes there first
// of all; libc reads /proc/self/maps to find that out, in 50 us. False if it cannot be told so.
bool first_threads_stack(StackBounds& bounds) {
  if (!is_first_thread()) return false;
  const auto* name = reinterpret_cast<char*>(getauxval(AT_EXECFN));
  const size_t bytes = stack_limit() & -page_size();
  if (!name || bytes == 0) return false;
  const auto behind = reinterpret_cast<uintptr_t>(name + strlen(name) + 1);
  const uintptr_t high = (behind + page_size() - 1) & -page_size();
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (here >= high || here < high - bytes) return false;
  bounds = {reinterpret_cast<char*>(high - bytes), reinterpret_cast<char*>(high)};
  return true;
}

}  // namespace

StackBounds native_stack() {
  if (StackBounds bounds; first_threads_stack(bounds)) return bounds;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {nullptr, nullptr};
  void* low = nullptr;
  size_t bytes = 0;
  pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  return {static_cast<char*>(low), static_cast<char*>(low) + bytes};
}

size_t stack_limit() {
  rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return 0;
  return limit.rlim_cur;
}

void at_fork(void (*prepare)(), void (*parent)(), void (*child)()) {
  pthread_atfork(prepare, parent, child);
}

void at_thread_exit(void (*gone)(void*), void* value) {
  exit_hook.store(gone, std::memory_order_relaxed);
  pthread_once(&exit_key_once, make_exit_key);
  pthread_setspecific(exit_key, value);
}

}  // namespace xylem::os
