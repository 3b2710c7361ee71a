// Owns: interruptions of kernel threads. See interruption.hpp.
//
// A timer on the thread's processor time sends the signal, once: it comes to a thread that runs, at
// the kernel's next tick there, and no earlier than the thread leaves the kernel (Linux 5.9). A
// signal that is sent at once would end a system call in which the thread has begun to sleep
// meanwhile.
#include "os/interruption.hpp"

#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "os/module_imports.hpp"
#include "os/openmp_names.hpp"
#include "os/raw_syscall.hpp"

namespace xylem::os {

namespace {

constexpr int interrupts = SIGURG;

// Where a module is mapped: from its first segment to the end of its last.
struct Range {
  uintptr_t begin = UINTPTR_MAX, end = 0;
  bool holds(uintptr_t address) const { return begin <= address && address < end; }
};

// Written before the handler is installed. Modules beyond the last count as the program's.
constexpr int most_ranges = 8;
constinit Range ranges[most_ranges];
constinit int range_count = 0;
using Handler = void (*)();
constinit Handler on_interruption = nullptr;

Range range_of(const dl_phdr_info& module) {
  Range range;
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const uintptr_t begin = module.dlpi_addr + segment.p_vaddr;
    range.begin = std::min(range.begin, begin);
    range.end = std::max(range.end, begin + segment.p_memsz);
  }
  return range;
}

// Among them the library whose malloc the process has, as jemalloc or a sanitizer; the program,
// whose path is empty, may have one of its own, and computes for the rest.
bool is_below_the_program(std::string_view path, const Range& range) {
  const std::string_view file = file_of(path);
  return range.holds(reinterpret_cast<uintptr_t>(&on_interruption)) ||
         (!path.empty() && range.holds(reinterpret_cast<uintptr_t>(&malloc))) ||
         file.starts_with("libxylem") || file.starts_with("libc.so") ||
         file.starts_with("libc-2.") || file.starts_with("ld-linux");
}

int record_range(dl_phdr_info* module, size_t, void*) {
  const Range range = range_of(*module);
  if (!is_below_the_program(path_of(*module), range)) return 0;
  ranges[range_count++] = range;
  return range_count == most_ranges ? 1 : 0;
}

bool is_the_programs(uintptr_t address) {
  return std::none_of(ranges, ranges + range_count,
                      [address](const Range& range) { return range.holds(address); });
}

void take_signal(int, siginfo_t* info, void* raw) {
  if (info->si_code != SI_TIMER) return;
  raw_syscall(SYS_timer_delete, info->si_timerid);
  const auto& context = *static_cast<const ucontext_t*>(raw);
  const auto next = static_cast<uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
  if (is_the_programs(next)) on_interruption();
}

// The kernel's name of a thread's processor time: the kernel's own header is not for programs.
clockid_t cpu_clock_of(int tid) {
  constexpr int of_one_thread = 4, by_scheduler = 2;
  return static_cast<clockid_t>(~static_cast<unsigned>(tid) << 3 | of_one_thread | by_scheduler);
}

bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == take_signal;
}

}  // namespace

bool handle_interruptions(void (*handler)()) {
  struct sigaction before {};
  if (::sigaction(interrupts, nullptr, &before) != 0 || (before.sa_flags & SA_SIGINFO) != 0 ||
      before.sa_handler != SIG_DFL)
    return false;
  on_interruption = handler;
  dl_iterate_phdr(record_range, nullptr);
  struct sigaction action {};
  action.sa_sigaction = take_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  return ::sigaction(interrupts, &action, nullptr) == 0;
}

bool interrupt(int tid) {
  struct sigaction now {};
  if (::sigaction(interrupts, nullptr, &now) != 0 || !is_ours(now)) return false;
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = interrupts;
  event._sigev_un._tid = tid;
  int timer = 0;
  if (raw_syscall(SYS_timer_create, cpu_clock_of(tid), reinterpret_cast<long>(&event),
                  reinterpret_cast<long>(&timer)) != 0)
    return false;
  const itimerspec soon{{0, 0}, {0, 1}};
  if (raw_syscall(SYS_timer_settime, timer, 0, reinterpret_cast<long>(&soon), 0) == 0) return true;
  raw_syscall(SYS_timer_delete, timer);
  return false;
}

}  // namespace xylem::os
