// Owns: the one way into the trace. With tracing off a site costs a load of one flag and a branch
// that is never taken. What a layer tells is in its tracing.hpp.
#pragma once

#include <atomic>

#include "trace/record.hpp"

namespace xylem::trace {

struct Ring;

enum class SourceKind : uint8_t { worker, extra, external };

// Whoever emits: a worker, an extra worker or an external thread. One kernel thread at a time uses
// it.
struct Source {
  Ring* ring = nullptr;  // made at the first event
  SourceKind kind = SourceKind::worker;

  // Cold: only while tracing. `ticks` is when it happened, as now() tells it.
  void put(const Record& record, uint64_t ticks);
  void put(const Record& record);
};

// Written when tracing starts and ends. relaxed: rings are handed over by their own indices, and an
// event more or less at the end does not matter.
extern constinit std::atomic<bool> active;

inline bool on() { return active.load(std::memory_order_relaxed); }

// Calls write(arguments...), which puts the records of this site, if the process is traced. `write`
// is a function that is not inlined, so that sites need neither registers nor stack for it.
template <auto write, typename... Arguments>
inline void emit(Arguments&&... arguments) {
  if (on()) [[unlikely]]
    write(arguments...);
}

// Ticks since the trace's start. Only while tracing.
uint64_t now();

// The number of the next bubble. Only while tracing.
uint64_t next_bubble();

}  // namespace xylem::trace
