// Owns: tasks that one fiber waits for, counted: the deferred children of a task, or those of a
// taskgroup.
//
// One word holds all that decides, so that each step is one atomic operation:
//   outstanding  tasks that are not complete
//   queued       of these, tasks that stand in a queue, or are about to
//   changed         the waiter is to look again at what it waits for, whatever the counts say
//   asleep       the waiter sleeps; who takes this bit away wakes it
//   closed       the last to end is to know it
// Who changes the word for the sake of a task holds it until then: as long as it is outstanding, or
// the waiter asleep, what is counted here lives on. So of two that see `asleep` one takes it away,
// and for neither the word is gone; the last to end is alone with the waiter.
#pragma once

#include <atomic>
#include <cstdint>

namespace xylem::sched {
struct Thread;
}  // namespace xylem::sched

namespace xylem::omp {

class TaskCounter {
 public:
  enum class State : uint8_t { blocked, queued };

  // acquire: pairs with end_one(); who sees none sees what all of them wrote.
  bool any() const { return outstanding_in(word_.load(std::memory_order_acquire)) > 0; }
  // Hints for others than the waiter. relaxed: they order nothing.
  uint32_t outstanding() const { return outstanding_in(word_.load(std::memory_order_relaxed)); }
  uint32_t queued() const { return queued_in(word_.load(std::memory_order_relaxed)); }

  // One more task, by somebody for whom this lives on: its waiter, or a task counted here.
  void begin_one(State state);
  // A task that was blocked will stand in a queue from now on.
  void queue_one();
  // A task stands in no queue any more.
  void take_one() { word_.fetch_sub(one_queued, std::memory_order_relaxed); }  // a count
  // A task is complete: its last touch, unless it was the last one after close(): then true.
  bool end_one();
  // No task comes any more. True if none is outstanding: then nobody else looks here any more.
  bool close();

  // By the holder of a task counted here: the waiter is to look again.
  void tell();
  // By the waiter, before it looks: what is told from now on sets it again. True if it was set.
  bool clear_changed() {
    // relaxed: its next poll sees
    if ((word_.load(std::memory_order_relaxed) & changed) == 0) return false;
    word_.fetch_and(~changed, std::memory_order_acquire);  // pairs with tell()
    return true;
  }

  // By the waiter: none is outstanding, one is queued, or something changed.
  bool has_reason() const { return is_reason(word_.load(std::memory_order_acquire)); }
  // By the waiter: suspends it until there is such a reason.
  void sleep();

 private:
  static constexpr uint64_t one = 1;                         // outstanding: 31 bits
  static constexpr uint64_t one_queued = uint64_t{1} << 31;  // 30 bits
  static constexpr uint64_t changed = uint64_t{1} << 61;
  static constexpr uint64_t asleep = uint64_t{1} << 62;
  static constexpr uint64_t closed = uint64_t{1} << 63;

  static uint32_t outstanding_in(uint64_t word) { return word & (one_queued - 1); }
  static uint32_t queued_in(uint64_t word) { return (word & (changed - 1)) >> 31; }
  static bool is_reason(uint64_t word) {
    return outstanding_in(word) == 0 || queued_in(word) > 0 || (word & changed) != 0;
  }
  static void fall_asleep(void* awaited);
  void wake_if_asleep(uint64_t before);

  std::atomic<uint64_t> word_{0};
  sched::Thread* waiter_ = nullptr;  // written by it before `asleep`, read by who takes that away
};

}  // namespace xylem::omp
