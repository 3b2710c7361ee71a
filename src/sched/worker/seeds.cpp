// Owns: running members of bubbles that were seeds until now, and the thread blocks they run under.
// See fiber.hpp.
#include <utility>

#include "base/check.hpp"
#include "sched/worker/member_end.hpp"
#include "sched/worker/pool.hpp"
#include "sched/worker/tracing.hpp"
#include "sched/worker/worker.hpp"

namespace xylem::sched {

namespace {

constexpr int most_free_blocks = static_cast<int>(sizeof(Worker::free_blocks) / sizeof(void*));

// Which member an index means, most often without a division.
int member_of(const Bubble& bubble, int index) {
  return index < bubble.members ? index : index % bubble.members;
}

void* take_block(Worker& worker) {
  if (worker.free_block_count > 0) return worker.free_blocks[--worker.free_block_count];
  return worker.pool->take_block();
}

void* block_for(Worker& worker, Bubble& bubble, int index) {
  if (!bubble.keeps_blocks) return take_block(worker);
  void*& kept = bubble.kept[member_of(bubble, index)].block;
  if (!kept) kept = take_block(worker);
  return kept;
}

// Blocks that the worker has at hand are nobody else's: the last stays in force, under the loop or
// whoever ran the seed, and the next seed has it already. Moving the thread pointer costs half of a
// seed that does nothing.
void leave_block(Worker& worker, void* block, bool is_kept) {
  if (!is_kept && worker.free_block_count < most_free_blocks) {
    worker.free_blocks[worker.free_block_count++] = block;
    return;
  }
  to_loop_block(worker);
  if (!is_kept) worker.pool->put_block(block);
}

// What it left in the region before, if its initial keeps that, or its maker's.
FloatControl float_control_for(const Bubble& bubble, int index) {
  if (!bubble.kept) return bubble.floats;
  const FloatControl& kept = bubble.kept[member_of(bubble, index)].floats;
  return kept.known() ? kept : bubble.floats;
}

void keep_floats(const Bubble& bubble, int index) {
  if (!bubble.kept) return;
  FloatControl& kept = bubble.kept[member_of(bubble, index)].floats;
  if (const FloatControl now = float_control(); now != kept) kept = now;
}

}  // namespace

void give_blocks_back(Worker& worker) {
  if (worker.loop_block != worker.native.block) worker.pool->put_block(worker.loop_block);
  worker.loop_block = worker.native.block;
  while (worker.free_block_count > 0)
    worker.pool->put_block(worker.free_blocks[--worker.free_block_count]);
}

[[gnu::noinline]] Worker* run_member(Worker* worker, Bubble& bubble, int index, Stack* stack) {
  program_begins_above();
  Fiber self;
  self.context.stack = stack;
  Fiber* const below = stack->fiber;
  stack->fiber = &self;
  self.initial = bubble.initial;
  self.group = bubble.group;
  self.priority = bubble.priority;
  self.held = bubble.held;
  self.time = bubble.times_by_member ? bubble.times + member_of(bubble, index) : bubble.times;
  const bool keeps_block = bubble.keeps_blocks;
  if (worker->pool->own_blocks()) self.block = block_for(*worker, bubble, index);
  const FloatControl floats = float_control_for(bubble, index);
  self.x87_exceptions = floats.x87_exceptions;
  activate(self, *worker);
  if (floats.known()) switch_float_control(floats);
  trace::emit<traced::started>(*worker, bubble, index);
  bubble.kind->body(bubble, index, self);
  worker = self.worker;
  keep_floats(bubble, index);
  trace::emit<traced::ended>(*worker, bubble, index);
  set_current_fiber(nullptr);  // of the block in force, before that is left
  if (self.block) leave_block(*worker, self.block, keeps_block);
  stack->fiber = below;
  worker->current = nullptr;
  worker->record_fiber(nullptr, nullptr);
  worker->record_turn();
  return worker;
}

Worker* run_seed(Worker* worker, Bubble& bubble, int index, Stack* stack) {
  worker = run_member(worker, bubble, index, stack);
  bubble.kind->finished(bubble, index);
  return worker;
}

void run_seeds_here(Bubble& bubble, SeedRange& seeds) {
  Fiber& fiber = *current_fiber();
  for (;;) {
    scheduling_point(fiber);
    int index = RunQueue::claim_seed(seeds);
    if (index < 0) return;
    Worker* worker = fiber.worker;
    trace::emit<traced::slept>(*worker, fiber, trace::Reason::join);
    void* const user = std::exchange(fiber.user, nullptr);
    save_thread_state(fiber, *worker);
    const FloatControl floats = switched_float_control();
    do worker = run_seed(worker, bubble, index, fiber.context.stack);
    while (!fiber.group && (index = RunQueue::claim_seed(seeds)) >= 0);
    activate(fiber, *worker);
    switch_float_control(floats);
    fiber.user = user;
    trace::emit<traced::resumed>(*worker, fiber);
    if (index < 0) return;
  }
}

size_t stack_left(const Fiber& fiber) {
  const char* here = static_cast<char*>(__builtin_frame_address(0));
  const Stack& stack = *fiber.context.stack;
  return here > stack.low && here < stack.high ? static_cast<size_t>(here - stack.low) : 0;
}

}  // namespace xylem::sched
