// Owns: samples. See sampler.hpp.
#include "sched/live/sampler.hpp"

#include "os/clock.hpp"
#include "os/thread.hpp"
#include "sched/group/groups.hpp"
#include "sched/worker/misses.hpp"

namespace xylem::sched {

namespace {

// Reading a thread's clock is a system call: on large machines it is done at fewer polls.
constexpr int pus_for_each_poll = 32;

// relaxed throughout: sums that only this thread writes
void add(std::atomic<int>& sum, int more) {
  sum.store(sum.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}
void add(std::atomic<int64_t>& sum, int64_t more) {
  sum.store(sum.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

void forget(Group& group, void*) {
  group.running.store(0, std::memory_order_relaxed);
  group.unit_running.store(0, std::memory_order_relaxed);
}

// Processor time of the worker's kernel thread since its clock was read at the poll before; 0 if it
// was not.
int64_t used_since(Worker& worker) {
  const int tid = worker.tid.load(std::memory_order_relaxed);
  if (tid == 0) return 0;
  const int64_t now = os::thread_cpu_ns(tid);
  const int64_t before = worker.cpu_sampled;
  worker.cpu_sampled = now;
  return before == 0 || now < before ? 0 : now - before;
}

void sample_misses(Worker& worker, Group* group) {
  if (!counts_misses()) return;
  if (group)
    add(group->misses, misses_since(worker));
  else
    skip_misses(worker);
}

// True if it works for a bubble.
bool sample_worker(Worker& worker, Clocks clocks) {
  Group* group = worker.group.load(std::memory_order_acquire);  // see Worker::group
  std::atomic<int64_t>* time = worker.time.load(std::memory_order_acquire);
  if (group) add(group->running, 1);
  if (group && group->unit()) add(group->unit()->unit_running, 1);
  if (clocks == Clocks::of_nobody) return group;
  sample_misses(worker, group);
  if (!group && !time && clocks != Clocks::of_all) {
    worker.cpu_sampled = 0;
    return false;
  }
  const int64_t used = used_since(worker);
  if (group) add(group->cpu_ns, used);
  if (group && group->unit()) add(group->unit()->unit_cpu_ns, used);
  if (time) add(*time, used);
  return group;
}

}  // namespace

bool sample(sched::Pool& pool, Clocks clocks) {
  const auto samples = static_cast<int>(pool.samples());
  if (samples % (1 + pool.pu_count() / pus_for_each_poll) != 0) clocks = Clocks::of_nobody;
  sched::each_group(forget, nullptr);
  bool for_bubbles = false;
  const auto sample_it = [&](Worker& worker) { for_bubbles |= sample_worker(worker, clocks); };
  for (int pu = 0; pu < pool.pu_count(); ++pu) pool.each_worker(pu, sample_it);
  pool.each_solo(sample_it);
  pool.record_sample();
  return for_bubbles;
}

}  // namespace xylem::sched
