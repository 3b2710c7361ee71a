// Owns: starting and ending the trace of this process. See recorder.cpp for how it works.
#pragma once

#include "topo/machine.hpp"
#include "trace/emit.hpp"

namespace xylem::trace {

// Begins to trace into the file (%p in its name becomes the process's number). A file that cannot
// be made gives a warning and no trace. Called once, before there are workers.
void start(const char* path, const topo::Machine& machine);

// The source's kernel thread ends, or its owner does: the ring is free for another.
void close(Source& source);

// Lets the writer's kernel thread end, so that it does not keep the process alive. What comes later
// is written when the process ends, as far as there is room.
void end_writer();

// A forked child is not traced.
void forget_in_child();

}  // namespace xylem::trace
