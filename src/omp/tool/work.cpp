// Owns: worksharing constructs as a tool is told of them. See work.hpp.
#include "omp/tool/work.hpp"

#include "omp/loops/sections.hpp"
#include "omp/loops/single.hpp"
#include "omp/tool/regions.hpp"
#include "omp/tool/synchronization.hpp"

namespace xylem::omp::tool {

namespace {

WorkKind kind_of(const LoopRequest& request) {
  switch (request.schedule.kind) {
    case LoopKind::static_block:
    case LoopKind::static_chunk:
    case LoopKind::affinity:
    case LoopKind::owned_block:
    case LoopKind::owned_cyclic:
      return WorkKind::loop_static;
    case LoopKind::dynamic:
    case LoopKind::dealt:
    case LoopKind::dealt_in_turn:
    case LoopKind::recorded:  // of no request
    case LoopKind::repeated:
      return WorkKind::loop_dynamic;
    case LoopKind::guided:
      return WorkKind::loop_guided;
    case LoopKind::none:
      break;
  }
  return WorkKind::loop_other;
}

void tell_work(const TaskRecord& task, Endpoint endpoint, const void* code) {
  raise<Event::work>(task.work.kind, endpoint, region_of(task), const_cast<Data*>(&task.data),
                     task.work.count, code);
}

void end_work(TaskRecord& task, const void* code) {
  if (!task.work.open) return;
  task.work.open = false;
  tell_work(task, Endpoint::end, code);
}

// Of two values of the loop variable: how many iterations from the one to before the other.
uint64_t iterations_between(uint64_t first, uint64_t behind, uint64_t step) {
  const bool up = static_cast<int64_t>(step) > 0;
  const uint64_t stride = up ? step : 0 - step;
  if (stride == 0) return 0;  // no loop has this step
  return steps(up ? behind - first : first - behind, stride);
}

DispatchChunk chunk_of(const ChunkBounds& bounds, const IterationSpace& space) {
  return {bounds.start, iterations_between(bounds.start, bounds.end, space.step)};
}

DispatchChunk chunk_of(const InclusiveBounds& bounds, const IterationSpace& space) {
  const bool one = bounds.first == bounds.last;
  return {bounds.first, one ? 1 : 1 + iterations_between(bounds.first, bounds.last, space.step)};
}

void tell_chunk(TaskRecord& task, Call call, DispatchChunk chunk) {
  Data instance{};
  if (task.work.kind == WorkKind::sections) {
    instance.ptr = const_cast<void*>(call.code);
    return raise<Event::dispatch>(region_of(task), &task.data, DispatchKind::section, instance);
  }
  instance.ptr = &chunk;
  raise<Event::dispatch>(region_of(task), &task.data, DispatchKind::loop_chunk, instance);
}

template <class Bounds>
bool next_told(Call call, Member& member, Bounds& bounds) {
  if (!omp::loop_next(member, bounds)) return false;
  const IterationSpace& space = member.work.current().loop.space;
  if (callback<Event::dispatch>()) tell_chunk(record_of(member), call, chunk_of(bounds, space));
  return true;
}

int flag_of(CancelKind kind) {
  switch (kind) {
    case CancelKind::loop:
      return cancel_flags::loop;
    case CancelKind::sections:
      return cancel_flags::sections;
    case CancelKind::taskgroup:
      return cancel_flags::taskgroup;
    case CancelKind::parallel:
      break;
  }
  return cancel_flags::parallel;
}

void tell_cancel(Call call, CancelKind kind, int how) {
  TaskRecord& task = record_of(current_member());
  raise<Event::cancel>(&task.data, flag_of(kind) | how, call.code);
}

}  // namespace

WorkRecord work_of(Call call, const LoopRequest& request) {
  return {kind_of(request), request.space.count, call.code, true};
}

WorkRecord work_of_sections(Call call, const LoopRequest& request) {
  return {WorkKind::sections, request.space.count, call.code, true};
}

void begin_work(TaskRecord& task, const WorkRecord& work) {
  end_open_work(task);
  task.work = work;
  tell_work(task, Endpoint::begin, work.code);
}

void end_open_work(TaskRecord& task) { end_work(task, task.work.code); }

void loop_start(Call call, Member& member, const LoopRequest& request) {
  begin_work(record_of(member), work_of(call, request));
  omp::loop_start(member, request);
}

bool loop_next(Call call, Member& member, ChunkBounds& bounds) {
  return next_told(call, member, bounds);
}

bool loop_next(Call call, Member& member, InclusiveBounds& bounds) {
  return next_told(call, member, bounds);
}

void sections_start(Call call, Member& member, unsigned count, const Extras& extras) {
  LoopRequest request = sections_request(count);
  request.extras = extras;
  begin_work(record_of(member), work_of_sections(call, request));
  omp::loop_start(member, request);
}

unsigned sections_next(Call call, Member& member) {
  ChunkBounds section;
  return loop_next(call, member, section) ? static_cast<unsigned>(section.start) : 0;
}

void construct_start(Call call, Member& member, const Extras& extras) {
  begin_work(record_of(member), {WorkKind::scope, 0, call.code, true});
  omp::construct_start(member, extras);
}

void begin_divided(Call call, WorkKind kind, uint64_t count) {
  begin_work(record_of(current_member()), {kind, count, call.code, true});
}

void tell_divided_chunk(const IterationSpace& space, const Chunk& chunk) {
  TaskRecord& task = record_of(current_member());
  Data instance{};
  if (task.work.kind == WorkKind::sections) {
    instance.ptr = const_cast<void*>(task.work.code);
    for (uint64_t i = 0; i < chunk.count; ++i)
      raise<Event::dispatch>(region_of(task), &task.data, DispatchKind::section, instance);
    return;
  }
  DispatchChunk told{space.first + chunk.first * space.step, chunk.count};
  instance.ptr = &told;
  raise<Event::dispatch>(region_of(task), &task.data,
                         task.work.kind == WorkKind::distribute ? DispatchKind::distribute_chunk
                                                                : DispatchKind::loop_chunk,
                         instance);
}

void end_divided(Call call) { end_work(record_of(current_member()), call.code); }

void construct_end(Call call) {
  end_work(record_of(current_member()), call.code);
  barrier(call, SyncKind::barrier_implicit_workshare);
}

bool construct_end_cancel(Call call) {
  end_work(record_of(current_member()), call.code);
  return barrier_cancel(call, SyncKind::barrier_implicit_workshare);
}

void construct_end_nowait(Call call) {
  Member& member = current_member();
  end_work(record_of(member), call.code);
  end_nowait(member.work);
}

bool single_enter(Call call, Member& member) {
  const bool executes = omp::single_enter(member);
  TaskRecord& task = record_of(member);
  begin_work(task,
             {executes ? WorkKind::single_executor : WorkKind::single_other, 1, call.code, true});
  if (!executes) end_open_work(task);
  return executes;
}

void* single_copy_enter(Call call, Member& member) {
  return single_enter(call, member) ? nullptr : single_copy_take(call, member);
}

void* single_copy_take(Call call, Member& member) {
  const Inside inside(record_of(member), call);
  inner_barrier(member, call.code);
  member.in_copyprivate = true;
  return member.team->copyprivate;
}

void single_copy_leave(Call call, Member& member, void* data) {
  TaskRecord& task = record_of(member);
  end_open_work(task);
  const Inside inside(task, call);
  member.team->copyprivate = data;
  inner_barrier(member, call.code);
  member.in_copyprivate = true;
}

void begin_masked(Call call) {
  TaskRecord& task = record_of(current_member());
  raise<Event::masked>(Endpoint::begin, region_of(task), &task.data, call.code);
}

void end_masked(Call call) {
  TaskRecord& task = record_of(current_member());
  raise<Event::masked>(Endpoint::end, region_of(task), &task.data, call.code);
}

bool cancel(Call call, CancelKind kind) {
  if (globals().cancellation) tell_cancel(call, kind, cancel_flags::activated);
  return omp::cancel(current_member(), kind);
}

bool cancellation_point(Call call, CancelKind kind) {
  const bool cancelled = omp::cancellation_point(current_member(), kind);
  if (cancelled) tell_cancel(call, kind, cancel_flags::detected);
  return cancelled;
}

void flush(Call call) {
  current_member();
  raise<Event::flush>(&this_thread().data, call.code);
}

void report_error(Call call, Severity severity, const char* message, size_t length) {
  current_member();
  raise<Event::error>(severity, message, length, call.code);
}

}  // namespace xylem::omp::tool
