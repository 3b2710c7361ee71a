// Owns: the records of this layer. See tracing.hpp.
#include "sched/worker/tracing.hpp"

#include "sched/queue/group.hpp"

namespace xylem::sched {

using trace::event;
using trace::make_record;

namespace {

constinit NameUser name_user = nullptr;  // written under the runtime's initialisation lock

// Members of seed ranges are below Bubble::members, or once more that much for those called back.
int member_of(const Bubble& bubble, int index) { return index % bubble.members; }

}  // namespace

void name_threads_by(NameUser name) { name_user = name; }

ThreadName name_of(const Thread& thread) {
  const auto& fiber = static_cast<const Fiber&>(thread);
  ThreadName name;
  if (name_user && fiber.user) name = name_user(fiber);
  if (name.bubble == 0 && fiber.external) name.member = fiber.external->number;
  return name;
}

namespace traced {

void bubble_made(const Thread& maker, Bubble& team, int level) {
  Worker& worker = *static_cast<const Fiber&>(maker).worker;
  const ThreadName parent = name_of(maker);
  team.trace_id = trace::next_bubble();
  worker.trace.put(make_record<event("bubble_made")>(team.trace_id, parent.bubble, parent.member,
                                                     team.members, level));
  worker.trace.put(make_record<event("started")>(team.trace_id, 0, worker.pu, 0));
}

void bubble_over(const Thread& maker, const Bubble& team) {
  const auto& fiber = static_cast<const Fiber&>(maker);
  Worker& worker = *fiber.worker;
  worker.trace.put(make_record<event("ended")>(team.trace_id, 0, worker.pu));
  if (team.opened_region)
    worker.trace.put(
        make_record<event("region_end")>(team.trace_id, fiber.external->number, worker.pu));
  worker.trace.put(make_record<event("bubble_ended")>(team.trace_id));
}

void region_begun(Worker& worker, const Bubble& team, int number) {
  worker.trace.put(make_record<event("region_begin")>(team.trace_id, number, worker.pu));
}

void forked() {
  if (const Fiber* self = current_fiber()) of_worker(*self->worker, event("fork"));
}

void started(Worker& worker, const Bubble& bubble, int index) {
  worker.trace.put(make_record<event("started")>(bubble.trace_id, member_of(bubble, index),
                                                 worker.pu, index >= bubble.members));
}

void ended(Worker& worker, const Bubble& bubble, int index) {
  worker.trace.put(
      make_record<event("ended")>(bubble.trace_id, member_of(bubble, index), worker.pu));
}

void slept(Worker& worker, const Fiber& fiber, trace::Reason reason) {
  const ThreadName thread = name_of(fiber);
  worker.trace.put(make_record<event("slept")>(thread.bubble, thread.member, worker.pu, reason));
}

void resumed(Worker& worker, Fiber& fiber) {
  const ThreadName thread = name_of(fiber);
  if (fiber.woken_at != 0) {
    worker.trace.put(make_record<event("woken")>(thread.bubble, thread.member, fiber.woken_level),
                     fiber.woken_at);
    fiber.woken_at = 0;
  }
  worker.trace.put(make_record<event("resumed")>(thread.bubble, thread.member, worker.pu));
}

void woken(Fiber& fiber, const RunQueue& queue) {
  fiber.woken_at = trace::now();
  fiber.woken_level = queue.level.load(std::memory_order_relaxed);
}

void woken_at_home(Fiber& fiber) {
  const Worker& home = *fiber.worker;
  if (home.pool) woken(fiber, home.queue());
}

void moved(trace::Source& source, const SeedRange& seeds, const RunQueue& queue) {
  const int lo = member_of(*seeds.bubble, seeds.lo);
  const int hi = lo + seeds.hi - seeds.lo;
  source.put(make_record<event("queued")>(seeds.bubble->trace_id, lo, hi,
                                          queue.level.load(std::memory_order_relaxed)));
}

void queued(Worker& worker, const SeedRange& seeds, const RunQueue& queue) {
  moved(worker.trace, seeds, queue);
}

void stolen(Worker& thief, const Work& work, const SeedRange* rest, int from) {
  const ThreadName first =
      work.fiber ? name_of(*work.fiber)
                 : ThreadName{work.bubble->trace_id, member_of(*work.bubble, work.index)};
  const int hi = first.member + 1 + (rest ? rest->hi - rest->lo : 0);
  thief.trace.put(make_record<event("stolen")>(
      first.bubble, first.member, hi, from, thief.queue().level.load(std::memory_order_relaxed)));
}

void burst(Worker& worker, const Bubble& bubble, int level) {
  worker.trace.put(make_record<event("burst")>(bubble.trace_id, level));
}

void attached(trace::Source& source, uint64_t bubble, int level) {
  if (level >= 0) source.put(make_record<event("attached")>(bubble, level));
  if (level == suspended) source.put(make_record<event("suspended")>(bubble));
}

namespace {

template <trace::Kind kind>
bool put_if(Worker& worker, trace::Kind wanted) {
  if (kind == wanted) worker.trace.put(make_record<kind>(worker.pu));
  return kind == wanted;
}

}  // namespace

void of_worker(Worker& worker, trace::Kind kind) {
  put_if<event("worker_searching")>(worker, kind) || put_if<event("worker_asleep")>(worker, kind) ||
      put_if<event("worker_awake")>(worker, kind) || put_if<event("extra_worker")>(worker, kind) ||
      put_if<event("extra_left")>(worker, kind) || put_if<event("fork")>(worker, kind);
}

void arrived(Worker& worker) {
  of_worker(worker, worker.extra ? event("extra_worker") : event("worker_awake"));
}

}  // namespace traced
}  // namespace xylem::sched
