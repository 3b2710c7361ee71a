// Owns: the one table of what a trace tells. The recorder's kinds of records, how a record is
// packed, the exporters, the summary and docs/trace.md all follow from it.
//
// Invariant: a kind is a row's index. A record has 24 bytes for arguments: those of a row are laid
// from the front, none across a word of 8 bytes. All values are whole numbers from 0 up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace xylem::trace {

// What an argument means. Its bits follow from that: see roles.
enum class Role : uint8_t {
  none,
  bubble,
  parent,
  parent_member,
  threads,
  nesting,
  member,
  lo,
  hi,
  level,
  from_level,
  pu,
  reason,
  again,
  external,
  executor,
  device,
  codelet,
  letters,
  more_letters,
  from_node,
  to_node,
  bytes,
  used,
  capacity,
  pages,
  placed,
  dealt,
  local_before,
  local_after,
  gain,
  before,
  after,
};

struct RoleRow {
  const char* name;
  int bits;
  const char* help;
};

// By Role.
inline constexpr RoleRow roles[] = {
    {"", 0, ""},
    {"bubble", 64, "a team's number, from 1; 0: a thread of the program outside of all regions"},
    {"parent", 64, "the bubble whose member opened the region"},
    {"parent_member", 24, "which member that was"},
    {"threads", 24, "size of the team"},
    {"nesting", 16, "regions around it and itself"},
    {"member", 24, "omp_get_thread_num(); of bubble 0 the external thread's number"},
    {"lo", 24, "first member"},
    {"hi", 24, "one past the last member"},
    {"level", 24, "index of a level of the machine"},
    {"from_level", 24, "the level whose queue it was taken from"},
    {"pu", 24, "logical number of the processor"},
    {"reason", 8, "what it waits for"},
    {"again", 8, "1: the member had ended and was called back to run tasks"},
    {"external", 24, "number of the program's own thread, from 1"},
    {"executor", 16, "number of the processor or device that runs codelets"},
    {"device", 16, "number of the device, from 1"},
    {"codelet", 24, "number of the codelet, in the order in which they first ran"},
    {"letters", 64, "the first 8 letters of a name, the first one in the lowest byte"},
    {"more_letters", 64, "the next 8"},
    {"from_node", 16,
     "what is copied from; 0: main memory; less than 16: a device; 16 + n: the machine's memory "
     "node n"},
    {"to_node", 16, "what is copied to, likewise"},
    {"bytes", 64, "how many are copied"},
    {"used", 64, "bytes of a device's memory that data of codelets takes"},
    {"capacity", 64, "bytes of it that data may take"},
    {"pages", 32, "how many are to move"},
    {"placed", 24, "how many threads are placed anew"},
    {"dealt", 24, "how many threads have other iterations of loops"},
    {"local_before", 16,
     "accesses of an iteration to the node that they come from, in thousandths"},
    {"local_after", 16, "the same, as it is expected"},
    {"gain", 64, "nanoseconds that accesses of an iteration are expected to take less"},
    {"before", 64, "nanoseconds of an iteration before that was done"},
    {"after", 64, "the same since then"},
};

inline constexpr size_t most_arguments = 5;

struct Event {
  const char* name;
  const char* help;
  std::array<Role, most_arguments> arguments;
};

// By kind.
inline constexpr auto events = [] {
  using enum Role;
  return std::to_array<Event>({
      {"bubble_made", "a team was made", {bubble, parent, parent_member, threads, nesting}},
      {"bubble_ended", "all its members have ended", {bubble}},
      {"queued", "members lo to hi-1 were put on a level's queue", {bubble, lo, hi, level}},
      {"stolen",
       "a worker took them from another queue; the first runs, the rest waits in its own",
       {bubble, lo, hi, from_level, level}},
      {"attached", "a bubble was attached, with all it holds, to a level", {bubble, level}},
      {"suspended", "a bubble was suspended until its turn comes again", {bubble}},
      {"burst", "a bubble opened and left what it holds on a level", {bubble, level}},
      {"started", "a member began to run", {bubble, member, pu, again}},
      {"ended", "a member has nothing more to do", {bubble, member, pu}},
      {"slept", "a thread left its processor", {bubble, member, pu, reason}},
      {"woken", "a thread that slept may go on; it stands in a queue", {bubble, member, level}},
      {"resumed", "a thread that slept goes on", {bubble, member, pu}},
      {"barrier_in", "a member came to a barrier", {bubble, member, pu}},
      {"barrier_out", "a member left a barrier", {bubble, member, pu}},
      {"task_begin", "a member began a task that had waited", {bubble, member, pu}},
      {"task_end", "the body of that task has ended", {bubble, member, pu}},
      {"region_begin", "an outermost region began", {bubble, external, pu}},
      {"region_end", "an outermost region has ended", {bubble, external, pu}},
      {"worker_searching", "a worker found nothing to run and looks around", {pu}},
      {"worker_asleep", "a worker sleeps, or the processor has none", {pu}},
      {"worker_awake", "a worker has something to run", {pu}},
      {"extra_worker", "one more worker came to a processor that was held up", {pu}},
      {"extra_left", "an extra worker has nothing to run and rests", {pu}},
      {"fork", "the process made a child, which is not traced", {pu}},
      {"codelet_named", "what the program calls a codelet", {codelet, letters, more_letters}},
      {"codelet_begin", "a codelet's function began on a processor", {pu, executor, codelet}},
      {"codelet_end", "that function has returned", {pu, executor}},
      {"kernel_begin", "a codelet's kernel was handed to a device", {pu, device, codelet}},
      {"kernel_end", "the device's oldest kernel has ended", {pu, device}},
      {"copy_begin", "a thread began to copy data of codelets", {pu, from_node, to_node, bytes}},
      {"copy_end", "that copy is done", {pu, from_node, to_node}},
      {"device_named", "what a device is called", {device, letters, more_letters}},
      {"device_attached", "the level whose processors are near it", {device, level}},
      {"device_memory",
       "codelets' data took a block of a device's memory, or gave one back",
       {pu, device, used, capacity}},
      {"engines_chose",
       "the engines chose where pages or threads go",
       {pages, placed, local_before, local_after, gain}},
      {"engines_dealt",
       "the engines chose where pages go and which iterations of loops go to which threads",
       {pages, dealt, local_before, local_after, gain}},
      {"engines_undid",
       "what the engines did last with threads or loops is undone, as iterations became slower",
       {before, after}},
  });
}();
inline constexpr size_t event_count = events.size();

// What a thread that slept waits for. By Reason.
enum class Reason : uint8_t { other, barrier, join, taskwait, lock, ordered, yield, turn };
inline constexpr const char* reasons[] = {"other", "barrier", "join",  "taskwait",
                                          "lock",  "ordered", "yield", "turn"};

using Kind = uint8_t;

void no_event_has_this_name();  // not defined: a constant expression cannot call it

// The kind of the event with this name; a wrong name does not compile.
consteval Kind event(std::string_view name) {
  for (size_t kind = 0; kind < event_count; ++kind)
    if (name == events[kind].name) return static_cast<Kind>(kind);
  no_event_has_this_name();
  return 0;
}

// Where an argument lies: in which word, and there from which bit; bits 0: the event has none such.
struct Place {
  uint8_t word = 0;
  uint8_t shift = 0;
  uint8_t bits = 0;
};

// Places of all roles in the event's records, by Role.
constexpr std::array<Place, std::size(roles)> places_of(const Event& event) {
  std::array<Place, std::size(roles)> places{};
  int word = 0, used = 0;
  for (const Role role : event.arguments) {
    const int bits = roles[static_cast<size_t>(role)].bits;
    if (bits == 0) break;
    if (used + bits > 64) {
      ++word;
      used = 0;
    }
    places[static_cast<size_t>(role)] = {static_cast<uint8_t>(word), static_cast<uint8_t>(used),
                                         static_cast<uint8_t>(bits)};
    used += bits;
  }
  return places;
}

// A number that changes when the table does: a trace is read by the table that wrote it.
constexpr uint32_t table_mark() {
  uint32_t hash = 2166136261u;
  const auto mix = [&hash](uint32_t value) { hash = (hash ^ value) * 16777619u; };
  for (const Event& row : events) {
    for (const char c : std::string_view(row.name)) mix(static_cast<unsigned char>(c));
    for (const Role role : row.arguments) mix(static_cast<uint32_t>(role));
  }
  for (const RoleRow& row : roles) mix(static_cast<uint32_t>(row.bits));
  for (const char* reason : reasons)
    for (const char c : std::string_view(reason)) mix(static_cast<unsigned char>(c));
  return hash;
}

}  // namespace xylem::trace
