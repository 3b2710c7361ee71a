// A trace file as the command reads it: checked, with all sources' records merged by time.
//
// Owns: Trace and read_trace. Invariant: whatever the bytes, reading ends, and every number in a
// Trace that is an index (a level's parent) is in range. Events keep what the file says: bubbles,
// members, PUs and levels in them may be nonsense in a damaged file, and users look before they
// index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trace/emit.hpp"
#include "trace/record.hpp"

namespace xylem::tool {

struct TraceLevel {
  std::string name;
  std::string kind;
  int parent = -1;  // less than its own index; -1 only for the first
  int first_pu = 0;
  int pus = 0;
};

// Whoever emitted: a worker, an extra worker, an external thread. A source's events are one kernel
// thread's.
struct TraceSource {
  uint32_t number = 0;
  trace::SourceKind kind = trace::SourceKind::worker;
  uint64_t dropped = 0;
};

struct TraceEvent {
  int64_t time = 0;  // nanoseconds since the trace's start, >= 0
  int source = 0;    // index in Trace::sources
  trace::Record record{};

  trace::Kind kind() const { return static_cast<trace::Kind>(record.kind()); }
  // -1 if the event has no such argument.
  int64_t of(trace::Role role) const { return trace::argument(record, role); }
};

struct Trace {
  std::string program;
  int process = 0;
  int pus = 0;
  bool ended_well = false;  // the process wrote the end of its trace
  std::string damage;       // what is wrong with the file's end; empty: nothing
  int64_t duration = 0;     // nanoseconds
  uint64_t dropped = 0;
  std::vector<TraceLevel> levels;  // as in Machine::levels(); the first is the machine
  std::vector<TraceSource> sources;
  std::vector<TraceEvent> events;  // by time; one source's in its order

  // The lowest level that holds both; 0 if there is none.
  int common_level(int64_t a, int64_t b) const;
  // Index of the level that is this PU alone; 0 if there is none.
  int level_of_pu(int64_t pu) const;
  bool has_level(int64_t level) const {
    return level >= 0 && level < static_cast<int64_t>(levels.size());
  }
};

// The trace, or nothing and in `why` the reason. A file whose end is damaged gives what comes
// before.
std::optional<Trace> read_trace(std::span<const std::byte> bytes, std::string& why);

}  // namespace xylem::tool
