// Contexts: switches among stacks from several kernel threads, fresh ones, and leaving for ever.
// Under a sanitizer these check what it is told of each switch.
#include "sched/context/context.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "os/thread.hpp"
#include "sched/worker/worker.hpp"

namespace xylem::sched {
namespace {

constexpr size_t stack_bytes = 64 << 10;

// The calling kernel thread's own context, with a worker to be given to those it switches to.
struct Home {
  Home() {
    const os::StackBounds bounds = os::native_stack();
    native.low = bounds.low;
    native.high = bounds.high;
    base::sanitizer_adopt_this_thread(native.sanitizer);
    context.stack = &native;
  }
  Worker worker;
  Stack native;
  Context context;
};

// What the contexts of a test find. One test at a time.
struct Scene {
  StackPool stacks;
  Home* home = nullptr;
  Context other;
  std::vector<int> steps;
};
Scene* scene = nullptr;

struct Contexts : testing::Test {
  Contexts() {
    mine.stacks.configure(stack_bytes);
    scene = &mine;
    mine.home = &home;
  }
  Context fresh(Entry entry) { return fresh_context(mine.stacks.acquire(), entry); }

  Scene mine;
  Home home;
};

void note(Worker&, void* step) { scene->steps.push_back(*static_cast<int*>(step)); }

// Leaves the stack for ever, and the arriving side gives it back.
void release(Worker&, void* raw) {
  const Context left = *static_cast<Context*>(raw);
  EXPECT_GT(static_cast<char*>(left.sp), left.stack->low);
  EXPECT_LT(static_cast<char*>(left.sp), left.stack->high);
  scene->stacks.release(left.stack, left.sp);
}

[[noreturn]] void go_home(Worker* worker, Stack* stack) {
  Context here{nullptr, stack};
  leave_stack(worker, here, scene->home->context, release, &here);
}

// --- one kernel thread ---------------------------------------------------------------------------

void record_and_go_home(Worker* worker, Stack* stack) {
  scene->steps.push_back(2);
  go_home(worker, stack);
}

TEST_F(Contexts, WhatIsToHappenAfterASwitchHappensBeforeTheEntry) {
  int after = 1;
  Worker* worker =
      switch_context(&home.worker, home.context, fresh(record_and_go_home), note, &after);
  EXPECT_EQ(worker, &home.worker);
  EXPECT_EQ(mine.steps, (std::vector{1, 2}));
}

void fill_stack_and_go_home(Worker* worker, Stack* stack) {
  volatile char frames[stack_bytes / 2];
  for (volatile char& byte : frames) byte = 1;
  go_home(worker, stack);
}

// The next one finds the stack as new, although frames on it never ended.
TEST_F(Contexts, AStackThatWasLeftIsUsedAgain) {
  const Stack* first = nullptr;
  for (int i = 0; i < 1000; ++i) {
    const Context next = fresh(fill_stack_and_go_home);
    if (!first) first = next.stack;
    EXPECT_EQ(next.stack, first);
    switch_context(&home.worker, home.context, next, nothing_after, nullptr);
  }
}

constexpr int turns = 10'000;

void count_turns(Worker* worker, Stack* stack) {
  int counted = 0;
  Context here{nullptr, stack};
  while (counted < turns) {
    scene->other = here;
    ++counted;
    worker = switch_context(
        worker, here, scene->home->context,
        [](Worker&, void* raw) { scene->other = *static_cast<Context*>(raw); }, &here);
  }
  scene->steps.push_back(counted);
  go_home(worker, stack);
}

TEST_F(Contexts, TwoTakeTurns) {
  scene->other = fresh(count_turns);
  for (int i = 0; i <= turns; ++i)
    switch_context(&home.worker, home.context, scene->other, nothing_after, nullptr);
  EXPECT_EQ(mine.steps, std::vector{turns});
}

void round_up_and_go_home(Worker* worker, Stack* stack) {
  std::fesetround(FE_UPWARD);
  go_home(worker, stack);
}

TEST_F(Contexts, RoundingIsTheContextsOwn) {
  std::fesetround(FE_DOWNWARD);
  switch_context(&home.worker, home.context, fresh(round_up_and_go_home), nothing_after, nullptr);
  EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
  std::fesetround(FE_TONEAREST);
}

// --- several kernel threads ----------------------------------------------------------------------

constexpr int kernel_threads = 4, contexts = 32, steps_each = 500;

// Contexts at rest, which any of the kernel threads resumes.
struct Rest {
  std::mutex lock;
  std::deque<Context> waiting;
  int ended = 0;

  bool take(Context& context, bool& all_ended) {
    const std::lock_guard locked(lock);
    all_ended = ended == contexts;
    if (waiting.empty()) return false;
    context = waiting.front();
    waiting.pop_front();
    return true;
  }
};
Rest* rest = nullptr;
thread_local Home* home_here = nullptr;

// Out of line, so that nobody keeps the address of a thread-local variable across a switch.
[[gnu::noinline]] Home& this_threads_home() {
  asm volatile("");
  return *home_here;
}

void put_to_rest(Worker&, void* raw) {
  const std::lock_guard locked(rest->lock);
  rest->waiting.push_back(*static_cast<Context*>(raw));
}

void end_one(Worker&, void* raw) {
  const Context left = *static_cast<Context*>(raw);
  scene->stacks.release(left.stack, left.sp);
  const std::lock_guard locked(rest->lock);
  ++rest->ended;
}

// What is on the stack is the context's own, on whichever kernel thread it goes on.
void wander(Worker* worker, Stack* stack) {
  Context here{nullptr, stack};
  int own[64];
  for (int& value : own) value = static_cast<int>(stack->low - static_cast<char*>(nullptr));
  for (int step = 0; step < steps_each; ++step) {
    worker = switch_context(worker, here, this_threads_home().context, put_to_rest, &here);
    EXPECT_EQ(worker, &this_threads_home().worker) << "the worker is that of who resumed it";
    for (const int value : own)
      ASSERT_EQ(value, static_cast<int>(stack->low - static_cast<char*>(nullptr)));
  }
  leave_stack(worker, here, this_threads_home().context, end_one, &here);
}

void resume_all() {
  Home home;
  home_here = &home;
  for (bool all_ended = false; !all_ended;) {
    Context next;
    if (rest->take(next, all_ended))
      switch_context(&home.worker, home.context, next, nothing_after, nullptr);
    else
      std::this_thread::yield();
  }
}

TEST_F(Contexts, SeveralKernelThreadsResumeThem) {
  Rest all;
  rest = &all;
  for (int i = 0; i < contexts; ++i) all.waiting.push_back(fresh(wander));
  std::vector<std::thread> threads;
  for (int i = 0; i < kernel_threads; ++i) threads.emplace_back(resume_all);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(all.ended, contexts);
}

}  // namespace
}  // namespace xylem::sched
