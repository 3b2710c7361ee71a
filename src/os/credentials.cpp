// Owns: a handler around libc's own for the signal that carries credentials. See credentials.hpp.
//
// libc passes over the thread that calls setuid(), which it takes from the block in force. Where
// that is the own block of another kernel thread, an external thread's fiber being away from home,
// it is the home that libc passes over. The fiber's kernel thread is signalled as all others are:
// it brings its new credentials to the home before setuid() goes on.
#include "os/credentials.hpp"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <atomic>
#include <cstdint>

#include "base/sanitizer.hpp"
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

// --- a home that libc passed over ----------------------------------------------------------------

constexpr long most_groups = 65536;  // Linux's own limit

struct Credentials {
  uint32_t users[3], groups[3];  // real, effective, saved
  long count;                    // of others
  uint32_t others[most_groups];
};

// Both are mapped zero and mostly stay so.
struct Errand {
  Credentials wanted;
  Credentials own;  // of the home, before
  long home;        // its thread id
  std::atomic<uint32_t> done;
};

// One errand at a time. The process whose errand it is, else nobody's: a fork() may have come in
// between. Claimed by who goes (acquire), set free by it (release).
constinit std::atomic<long> errand_of{0};
// Written by who goes (release), read by handlers (acquire).
constinit std::atomic<Errand*> errand{nullptr};

long address(void* of) { return reinterpret_cast<long>(of); }

void read_own(Credentials& c) {
  raw_syscall(SYS_getresuid, address(&c.users[0]), address(&c.users[1]), address(&c.users[2]));
  raw_syscall(SYS_getresgid, address(&c.groups[0]), address(&c.groups[1]), address(&c.groups[2]));
  c.count = raw_syscall(SYS_getgroups, most_groups, address(c.others));
}

// A call of libc's changes one of the three, and what the fiber's thread might do its home may.
void take_over(const Credentials& to, Credentials& own) {
  read_own(own);
  const auto bytes = static_cast<size_t>(to.count) * sizeof to.others[0];
  if (to.count != own.count || memcmp(to.others, own.others, bytes) != 0)
    raw_syscall(SYS_setgroups, to.count, reinterpret_cast<long>(to.others));
  if (memcmp(to.groups, own.groups, sizeof own.groups) != 0)
    raw_syscall(SYS_setresgid, to.groups[0], to.groups[1], to.groups[2]);
  if (memcmp(to.users, own.users, sizeof own.users) != 0)
    raw_syscall(SYS_setresuid, to.users[0], to.users[1], to.users[2]);
}

// True if the signal was one of ours. Whoever else sends such a one brings nothing with it.
bool obey(const siginfo_t& info) {
  Errand* sent = errand.load(std::memory_order_acquire);  // pairs with bring_home()
  if (info.si_code != SI_QUEUE || !sent || sent->home != raw_syscall(SYS_gettid)) return false;
  take_over(sent->wanted, sent->own);
  sent->done.store(1, std::memory_order_release);  // pairs with the acquire in bring_home()
  return true;
}

void claim_errand(long process) {
  for (;;) {
    long before = errand_of.load(std::memory_order_relaxed);  // relaxed: only compared
    if (before != process &&
        errand_of.compare_exchange_strong(before, process, std::memory_order_acquire))
      return;
    raw_syscall(SYS_sched_yield);
  }
}

// The home may be in its own handler, and waits for nobody there: what an external thread's kernel
// thread runs is its own region's, so it is never under another's own block.
void bring_home(long home) {
  const long process = raw_syscall(SYS_getpid);
  const long at = raw_syscall(SYS_mmap, 0, sizeof(Errand), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at < 0) return;
  auto* mine = reinterpret_cast<Errand*>(at);
  read_own(mine->wanted);
  mine->home = home;
  claim_errand(process);
  errand.store(mine, std::memory_order_release);  // pairs with obey()
  siginfo_t info{};
  info.si_code = SI_QUEUE;
  const bool sent =
      raw_syscall(SYS_rt_tgsigqueueinfo, process, home, credentials_signal, address(&info)) == 0;
  // acquire: pairs with the release in obey()
  while (sent && mine->done.load(std::memory_order_acquire) == 0) raw_syscall(SYS_sched_yield);
  errand.store(nullptr, std::memory_order_relaxed);  // relaxed: only the home would read it
  errand_of.store(0, std::memory_order_release);     // pairs with the acquire in claim_errand()
  raw_syscall(SYS_munmap, at, sizeof(Errand));
}

// Between the two moves of the thread pointer nothing of this function's is thread-local.
void under_native_block(int signal, siginfo_t* info, void* context) {
  const Handler handler = libc_handler.load(std::memory_order_acquire);
  if (obey(*info)) return;
  void* native = native_block_below();
  if (!native) return handler(signal, info, context);
  void* block = thread_pointer();
  set_thread_pointer(native);
  handler(signal, info, context);
  set_thread_pointer(block);
  if (const long home = thread_of_own_block(block)) bring_home(home);
}

}  // namespace

void follow_credentials() {
  // No thread has a made block beside a sanitizer, whose own threads can run no handler of ours.
  if (base::sanitizer_follows_switches || asked.exchange(true)) return;
  KernelAction action{};
  constexpr uintptr_t ignored = 1;  // SIG_IGN; SIG_DFL is 0
  if (change_action(nullptr, &action) != 0) return;
  if (reinterpret_cast<uintptr_t>(action.handler) <= ignored) return;
  libc_handler.store(action.handler, std::memory_order_release);
  action.handler = under_native_block;
  change_action(&action, nullptr);
}

}  // namespace xylem::os
