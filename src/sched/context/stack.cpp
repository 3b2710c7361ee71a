// Owns: mapping, guarding and pooling stacks. See stack.hpp.
#include "sched/context/stack.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/report.hpp"
#include "base/valgrind.hpp"
#include "os/memory.hpp"
#include "sched/context/gate.hpp"

namespace xylem::sched {

namespace {
constexpr size_t guard_bytes = 64 * 1024;
constexpr size_t table_reach = 2 << 20;  // bytes that one page of page-table entries maps
constexpr size_t least_reserve = 256 * 1024, most_reserve = 8 << 20;
constexpr size_t left_to_program = 32 << 20;  // by stacks where memory is limited: to malloc
constexpr size_t loop_bytes = 256 << 10;      // what a kernel thread of the runtime has, too
constexpr int most_split_guards = 16'000;     // of the 65,530 mappings a process may have

size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }
}  // namespace

struct StackPool::Slab {
  Slab* next;
  int slots;
  Stack* stacks;
};

void StackPool::configure(size_t promised) {
  promised_ = round_up(std::max(promised, size_t{16} * 1024), os::page_size());
  limited_ = os::reserving_is_limited();
  slot_bytes_ = promised_ + guard_bytes;
  if (limited_) return;
  const size_t reserve = std::clamp(promised_, least_reserve, most_reserve);
  slot_bytes_ = round_up(promised_ + reserve + guard_bytes, table_reach);
}

void StackPool::configure_for_loops() {
  promised_ = loop_bytes;
  slot_bytes_ = promised_ + guard_bytes;
  limited_ = loop_only_ = true;
}

// A slot starts half a table's reach past a boundary, where that costs nothing: the guard of one
// and the first pages that its lower neighbour touches then share a page of page-table entries.
bool StackPool::map_slab(int slots) {
  const size_t left = loop_only_ ? 0 : left_to_program;
  const size_t around = limited_ ? left : 2 * table_reach;
  char* start = nullptr;
  for (; slots > 0; slots /= 2)
    if ((start = os::map_pages(slot_bytes_ * static_cast<size_t>(slots) + around))) break;
  if (!start) return false;
  if (limited_ && around > 0)
    os::unmap_pages(start + slot_bytes_ * static_cast<size_t>(slots), around);
  auto* stacks = new (std::nothrow) Stack[static_cast<size_t>(slots)];
  auto* slab = new (std::nothrow) Slab{slabs_, slots, stacks};
  if (!slab || !stacks) base::fatal("out of memory for stacks");
  const auto at = reinterpret_cast<size_t>(start);
  if (!limited_) start += (round_up(at, table_reach) - at) + table_reach / 2;
  for (int i = slots - 1; i >= 0; --i) {
    Stack& stack = stacks[i];
    stack.low = start + static_cast<size_t>(i) * slot_bytes_ + guard_bytes;
    stack.high = stack.low + slot_bytes_ - guard_bytes;
    stack.loop_only = loop_only_;
    stack.next = free_;
    free_ = &stack;
  }
  free_count_ += slots;
  all_ += slots;
  slabs_ = slab;
  if (executable_) make_executable(*slab);
  return true;
}

// A guard that is a mapping of its own stays out of it; others keep their marks.
void StackPool::make_executable(Slab& slab) {
  for (int i = 0; i < slab.slots; ++i) {
    const Stack& stack = slab.stacks[i];
    char* low = stack.split_guard ? stack.low : stack.low - guard_bytes;
    if (os::make_executable(low, static_cast<size_t>(stack.high - low)) == 0) continue;
    return base::warn_once(
        "the program runs code on its stacks (functions nested in others, whose address is taken), "
        "and the kernel refuses that on threads' stacks: such calls will crash");
  }
}

void StackPool::make_executable() {
  if (threads_ || loop_only_) return;
  base::Locked locked(lock_);
  if (std::exchange(executable_, true)) return;
  for (Slab* slab = slabs_; slab; slab = slab->next) make_executable(*slab);
}

int StackPool::set_aside(int wanted) {
  if (!limited_) return wanted;
  base::Locked locked(lock_);
  while (all_ < set_aside_ + wanted && map_slab(set_aside_ + wanted - all_)) {
  }
  const int got = std::min(wanted, all_ - set_aside_);
  set_aside_ += got;
  return got;
}

void StackPool::give_back(int set_aside) {
  if (!limited_) return;
  base::Locked locked(lock_);
  set_aside_ -= set_aside;
}

// What a stack gets when it is first used.
void StackPool::begin(Stack& stack) {
  stack.begun = true;
  base::valgrind_knows_stack(stack.low, stack.high);
  const bool may_split = split_guards_ < most_split_guards;
  switch (os::guard_pages(stack.low - guard_bytes, guard_bytes, may_split)) {
    case os::Guard::light:
      break;
    case os::Guard::split:
      ++split_guards_;
      stack.split_guard = true;
      break;
    case os::Guard::none:
      base::warn_once("more than %d stacks: this kernel (before 6.13) cannot guard the others",
                      most_split_guards);
  }
}

Stack* StackPool::acquire_thread() {
  {
    base::Locked locked(lock_);
    if (Stack* stack = free_) {
      free_ = stack->next;
      return stack;
    }
  }
  return make_thread_stack(promised_, mask_of_threads_);
}

Stack* StackPool::acquire() {
  if (threads_) return acquire_thread();
  base::Locked locked(lock_);
  if (!free_ && !map_slab(limited_ ? 1 : slots_per_slab))
    base::fatal("cannot map a stack of %zu KiB: lower OMP_STACKSIZE or the number of threads",
                slot_bytes_ >> 10);
  Stack* stack = free_;
  free_ = stack->next;
  --free_count_;
  if (!stack->begun) begin(*stack);
  stack->in_use = true;
  base::sanitizer_create(stack->sanitizer);
  return stack;
}

void StackPool::release(Stack* stack, const void* used) {
  if (stack->gate) {
    base::Locked locked(lock_);
    if (ends_threads_) return end_thread_at(*stack->gate);
    stack->next = free_;
    free_ = stack;
    return;
  }
  base::sanitizer_destroy(stack->sanitizer, static_cast<const char*>(used), stack->high);
  stack->in_use = false;
  base::Locked locked(lock_);
  if (free_count_ >= kept_warm)
    os::drop_pages(stack->low, static_cast<size_t>(stack->high - stack->low));
  stack->next = free_;
  free_ = stack;
  ++free_count_;
}

void StackPool::end_threads() {
  if (!threads_) return;
  base::Locked locked(lock_);
  ends_threads_ = true;
  while (Stack* stack = free_) {
    free_ = stack->next;
    end_thread_at(*stack->gate);
  }
}

void StackPool::each_in_use(void (*visit)(const Stack&)) {
  for (Slab* slab = slabs_; slab; slab = slab->next)
    for (int i = 0; i < slab->slots; ++i)
      if (slab->stacks[i].in_use) visit(slab->stacks[i]);
}

}  // namespace xylem::sched
