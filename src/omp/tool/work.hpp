// Owns: what a tool is told of worksharing constructs, chunks, masked and cancellation.
//
// The compiled code says nothing at the end of some constructs (single); their end is told when the
// thread comes to the runtime next.
#pragma once

#include "omp/loops/loop.hpp"
#include "omp/team/cancel.hpp"
#include "omp/tool/records.hpp"

namespace xylem::omp::tool {

// What a tool calls the loop, or the sections that are given out as one.
WorkRecord work_of(Call call, const LoopRequest& request);
WorkRecord work_of_sections(Call call, const LoopRequest& request);

// The task begins a construct, and ends the one that it is in, if any.
void begin_work(TaskRecord& task, const WorkRecord& work);
void end_open_work(TaskRecord& task);

void loop_start(Call call, Member& member, const LoopRequest& request);
bool loop_next(Call call, Member& member, ChunkBounds& bounds);
bool loop_next(Call call, Member& member, InclusiveBounds& bounds);
void sections_start(Call call, Member& member, unsigned count, const Extras& extras);
unsigned sections_next(Call call, Member& member);
void construct_start(Call call, Member& member, const Extras& extras);
// A construct that members divide by themselves, and one of their chunks: all that a member will
// run are told before it runs the first, in order, since none comes by between them. Its end.
void begin_divided(Call call, WorkKind kind, uint64_t count);
void tell_divided_chunk(const IterationSpace& space, const Chunk& chunk);
void end_divided(Call call);
// The construct ends with a barrier, or without one.
void construct_end(Call call);
bool construct_end_cancel(Call call);
void construct_end_nowait(Call call);

bool single_enter(Call call, Member& member);
void* single_copy_enter(Call call, Member& member);
void* single_copy_take(Call call, Member& member);
void single_copy_leave(Call call, Member& member, void* data);

// The member runs a masked region.
void begin_masked(Call call);
void end_masked(Call call);

bool cancel(Call call, CancelKind kind);
bool cancellation_point(Call call, CancelKind kind);

void flush(Call call);
void report_error(Call call, Severity severity, const char* message, size_t length);

}  // namespace xylem::omp::tool
