// Owns: a handler around libc's own for the signal that carries credentials. See credentials.hpp.
#include "os/credentials.hpp"

#include <signal.h>
#include <sys/syscall.h>

#include <atomic>
#include <cstdint>

#include "os/raw_syscall.hpp"
#include "os/tls.hpp"

namespace xylem::os {

namespace {

constexpr int credentials_signal = 33;  // glibc's SIGSETXID: the second of the real-time signals

using Handler = void (*)(int, siginfo_t*, void*);

// The kernel's form of struct sigaction on x86-64. libc's own function refuses this signal.
struct KernelAction {
  Handler handler;
  unsigned long flags;
  void (*restorer)();
  unsigned long mask;
};

// libc's. Written once before ours is installed (release), read by ours (acquire).
constinit std::atomic<Handler> libc_handler{nullptr};
constinit std::atomic<bool> asked{false};

long change_action(const KernelAction* next, KernelAction* before) {
  return raw_syscall(SYS_rt_sigaction, credentials_signal, reinterpret_cast<long>(next),
                     reinterpret_cast<long>(before), sizeof(unsigned long));
}

// Between the two moves of the thread pointer nothing of this function's is thread-local.
void under_native_block(int signal, siginfo_t* info, void* context) {
  const Handler handler = libc_handler.load(std::memory_order_acquire);
  void* native = native_block_below();
  if (!native) return handler(signal, info, context);
  void* block = thread_pointer();
  set_thread_pointer(native);
  handler(signal, info, context);
  set_thread_pointer(block);
}

}  // namespace

void follow_credentials() {
  if (asked.exchange(true)) return;
  KernelAction action{};
  constexpr uintptr_t ignored = 1;  // SIG_IGN; SIG_DFL is 0
  if (change_action(nullptr, &action) != 0) return;
  if (reinterpret_cast<uintptr_t>(action.handler) <= ignored) return;
  libc_handler.store(action.handler, std::memory_order_release);
  action.handler = under_native_block;
  change_action(&action, nullptr);
}

}  // namespace xylem::os
