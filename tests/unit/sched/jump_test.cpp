// Tests of the jump: a profiler that stops it between any two instructions sees the whole stack of
// the context that leaves or of the one that arrives, and the walk ends at a fiber's start.
#include "sched/context/jump.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unwind.h>

#include <cstddef>

namespace xylem::sched {
namespace {

constexpr size_t stack_bytes = 256 * 1024;
constexpr unsigned long trap_flag = 1ul << 8;
constexpr int jumps = 3;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool under_sanitizer = true;
#else
constexpr bool under_sanitizer = false;
#endif

// --- what the handler of the trap sees
// ------------------------------------------------------------

struct Walk {
  size_t stopped_at;  // the instruction; the handler's own frames come before it
  bool counts = false;
  bool on_main = false, on_fiber = false;  // a frame lies on that stack
  int frames = 0;
};

struct Seen {
  int stops = 0, of_main = 0, of_fiber = 0, wrong = 0;
  size_t first_wrong = 0;  // bytes behind the jump's first instruction
};

Seen seen;
const char* fiber_low = nullptr;

_Unwind_Reason_Code record_frame(_Unwind_Context* context, void* raw) {
  Walk& walk = *static_cast<Walk*>(raw);
  walk.counts = walk.counts || _Unwind_GetIP(context) == walk.stopped_at;
  if (!walk.counts) return _URC_NO_REASON;
  const auto* frame = reinterpret_cast<const char*>(_Unwind_GetCFA(context));
  const bool on_fiber = frame >= fiber_low && frame <= fiber_low + stack_bytes;
  (on_fiber ? walk.on_fiber : walk.on_main) = true;
  return ++walk.frames > 100 ? _URC_NORMAL_STOP : _URC_NO_REASON;
}

bool inside(size_t at, Arrival (*jump)(void*, void*)) {
  const auto start = reinterpret_cast<size_t>(jump);
  return at >= start && at < start + 0x80;
}

void on_trap(int, siginfo_t*, void* raw) {
  const auto* context = static_cast<ucontext_t*>(raw);
  const auto at = static_cast<size_t>(context->uc_mcontext.gregs[REG_RIP]);
  if (!inside(at, xylem_jump) && !inside(at, xylem_jump_elsewhere)) return;
  Walk walk{at};
  const _Unwind_Reason_Code end = _Unwind_Backtrace(record_frame, &walk);
  const bool whole = end == _URC_END_OF_STACK && walk.on_main != walk.on_fiber;
  ++seen.stops;
  seen.of_main += whole && walk.on_main;
  seen.of_fiber += whole && walk.on_fiber;
  if (!whole && seen.wrong++ == 0) seen.first_wrong = at - reinterpret_cast<size_t>(&xylem_jump);
}

void step(bool on) {
  if (on)
    asm volatile("pushfq; orq %0, (%%rsp); popfq" : : "i"(trap_flag) : "cc", "memory");
  else
    asm volatile("pushfq; andq %0, (%%rsp); popfq" : : "i"(~trap_flag) : "cc", "memory");
}

// --- two contexts --------------------------------------------------------------------------------

[[gnu::noinline]] void jump_from_fiber(Arrival arrival) {
  for (;;) arrival = xylem_jump(arrival.left, nullptr);
}

void fiber_main(Arrival arrival) {
  // Of a size that nobody knows: the frame is found by the frame pointer, which the jump saves.
  volatile char* room =
      static_cast<char*>(__builtin_alloca(64 + reinterpret_cast<size_t>(&arrival) % 3));
  room[0] = 0;
  jump_from_fiber(arrival);
}

[[gnu::noinline]] void jump_from_main(void* fiber, bool fresh) {
  const volatile auto first = fresh ? xylem_jump_elsewhere : xylem_jump;
  const auto again = xylem_jump;
  Arrival arrival = first(fiber, nullptr);
  for (int i = 1; i < jumps; ++i) arrival = again(arrival.left, nullptr);
}

TEST(Jump, IsSeenWholeByAnUnwinderAtEachInstruction) {
  if (under_sanitizer) GTEST_SKIP() << "no hook tells the sanitizer of these stacks";
  void* low =
      mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(low, MAP_FAILED);
  fiber_low = static_cast<char*>(low);
  for (const bool by_jump : {true, false}) {
    void* fiber = fresh_stack_pointer(static_cast<char*>(low) + stack_bytes, fiber_main);
    seen = {};
    struct sigaction action = {}, before = {};
    action.sa_sigaction = on_trap;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGTRAP, &action, &before);
    step(true);
    jump_from_main(fiber, by_jump);
    step(false);
    sigaction(SIGTRAP, &before, nullptr);
    EXPECT_GT(seen.of_main, 2 * jumps);
    EXPECT_GT(seen.of_fiber, 2 * jumps);
    EXPECT_EQ(seen.wrong, 0) << "of " << seen.stops << ", first " << seen.first_wrong
                             << " bytes behind the start";
  }
  munmap(low, stack_bytes);
}

}  // namespace
}  // namespace xylem::sched
