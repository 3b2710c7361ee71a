// Owns: who is told of what happens, and the one way into the trace. With nobody told a site costs
// a load of one word and a branch that is never taken. What a layer tells the trace is in its
// tracing.hpp, what OMPT's tool is told in omp/tool.
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

// Who may be told. A set of bits, so that a place with something for both looks once.
enum Watcher : uint8_t { the_trace = 1, a_tool = 2 };

// Written when tracing, or a tool, starts and ends. relaxed: rings are handed over by their own
// indices, and an event more or less at the end does not matter.
extern constinit std::atomic<uint8_t> watchers;

inline void watch(Watcher watcher) { watchers.fetch_or(watcher, std::memory_order_relaxed); }
inline void stop_watching(Watcher watcher) {
  watchers.fetch_and(static_cast<uint8_t>(~watcher), std::memory_order_relaxed);
}
inline bool watches(Watcher watcher) {
  return (watchers.load(std::memory_order_relaxed) & watcher) != 0;
}

inline bool on() { return watches(the_trace); }
// True if anybody is told.
inline bool watched() { return watchers.load(std::memory_order_relaxed) != 0; }

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
