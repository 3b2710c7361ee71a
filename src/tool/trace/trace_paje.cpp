// The Paje format of a trace: see trace_export.hpp.
//
// The machine's levels are containers within containers; a kernel thread is a container in its
// PU's. A kernel thread has two states: what its worker does (set), and what it runs (pushed and
// popped); steals, turns and extra workers are events. Times are seconds and never fall.
#include <fmt/core.h>

#include <array>
#include <map>

#include "tool/trace/trace_export.hpp"
#include "tool/trace/trace_slices.hpp"
#include "tool/trace/trace_turns.hpp"

namespace xylem::tool {

namespace {

using trace::event;
using trace::Role;

// An event of the format: its number in this file, its name, its fields as "name type" pairs.
struct Definition {
  int number;
  const char* name;
  const char* fields;
};
enum PajeEvent {
  kDefineContainer,
  kDefineState,
  kDefineEvent,
  kDefineValue,
  kCreate,
  kDestroy,
  kSetState,
  kPushState,
  kPopState,
  kNewEvent
};
constexpr std::array<Definition, 10> kDefinitions = {{
    {kDefineContainer, "PajeDefineContainerType", "Alias string;Type string;Name string"},
    {kDefineState, "PajeDefineStateType", "Alias string;Type string;Name string"},
    {kDefineEvent, "PajeDefineEventType", "Alias string;Type string;Name string;Color color"},
    {kDefineValue, "PajeDefineEntityValue", "Alias string;Type string;Name string;Color color"},
    {kCreate, "PajeCreateContainer",
     "Time date;Alias string;Type string;Container string;Name string"},
    {kDestroy, "PajeDestroyContainer", "Time date;Type string;Name string"},
    {kSetState, "PajeSetState", "Time date;Type string;Container string;Value string"},
    {kPushState, "PajePushState", "Time date;Type string;Container string;Value string"},
    {kPopState, "PajePopState", "Time date;Type string;Container string"},
    {kNewEvent, "PajeNewEvent", "Time date;Type string;Container string;Value string"},
}};

class PajeFile {
 public:
  PajeFile(const Trace& trace, std::FILE* out) : trace_(trace), out_(out) {}

  void write() {
    define_events();
    define_types();
    create_levels();
    Slices slices(trace_, {[this](int64_t time, int source, const std::string& name) {
                             push(time, source, name);
                           },
                           [this](int64_t time, int source) { pop(time, source); }});
    for (const TraceEvent& happened : trace_.events) {
      create_source(happened);
      slices.follow(happened);
      record(happened);
    }
    slices.finish(trace_.duration);
    destroy_all();
  }

 private:
  template <typename... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::print(out_, format, std::forward<Arguments>(arguments)...);
    fmt::print(out_, "\n");
  }
  static double seconds(int64_t ns) { return static_cast<double>(ns) / 1e9; }

  void define_events() {
    for (const Definition& definition : kDefinitions) {
      line("%EventDef {} {}", definition.name, definition.number);
      std::string_view rest = definition.fields;
      while (!rest.empty()) {
        const std::string_view field = rest.substr(0, rest.find(';'));
        rest.remove_prefix(std::min(rest.size(), field.size() + 1));
        line("%  {}", field);
      }
      line("%EndEventDef");
    }
  }

  // Containers' types by the depth in the tree: levels of one depth may be of several kinds.
  void define_types() {
    size_t depth = 0;
    for (size_t level = 0; level < trace_.levels.size(); ++level)
      depth = std::max(depth, depth_of(level));
    for (size_t at = 0; at <= depth; ++at)
      line("{} L{} {} \"level {}\"", int{kDefineContainer}, at,
           at == 0 ? std::string("0") : fmt::format("L{}", at - 1), at);
    for (size_t at = 0; at <= depth; ++at)
      line("{} T{} L{} \"kernel thread\"", int{kDefineContainer}, at, at);
    for (size_t at = 0; at <= depth; ++at) {
      line("{} W{} T{} \"worker\"", int{kDefineState}, at, at);
      line("{} R{} T{} \"thread\"", int{kDefineState}, at, at);
      line("{} E{} T{} \"event\" \"0.8 0.2 0.2\"", int{kDefineEvent}, at, at);
      line("{} run{} W{} \"running\" \"0.2 0.6 0.2\"", int{kDefineValue}, at, at);
      line("{} search{} W{} \"searching\" \"0.9 0.7 0.2\"", int{kDefineValue}, at, at);
      line("{} sleep{} W{} \"asleep\" \"0.7 0.7 0.7\"", int{kDefineValue}, at, at);
    }
  }

  size_t depth_of(size_t level) const {
    size_t depth = 0;
    for (; trace_.levels[level].parent >= 0; ++depth)
      level = static_cast<size_t>(trace_.levels[level].parent);
    return depth;
  }

  void create_levels() {
    for (size_t level = 0; level < trace_.levels.size(); ++level) {
      const int parent = trace_.levels[level].parent;
      line("{} 0 l{} L{} {} \"{}\"", int{kCreate}, level, depth_of(level),
           parent < 0 ? std::string("0") : fmt::format("l{}", parent), trace_.levels[level].name);
    }
  }

  // A kernel thread stands in the PU where it is first seen; turns stand in the machine.
  void create_source(const TraceEvent& happened) {
    const int64_t pu = happened.of(Role::pu);
    if (depths_.count(happened.source) > 0 || (pu < 0 && !is_turn(happened.kind()))) return;
    const auto level = pu < 0 ? 0 : static_cast<size_t>(trace_.level_of_pu(pu));
    const size_t depth = depth_of(level);
    depths_[happened.source] = depth;
    line("{} {:.9f} t{} T{} l{} \"{}\"", int{kCreate}, seconds(happened.time), happened.source,
         depth, level, source_name(trace_, happened.source, pu));
  }

  void push(int64_t time, int source, const std::string& name) {
    const auto depth = depths_.find(source);
    if (depth == depths_.end()) return;
    line("{} {:.9f} R{} t{} \"{}\"", int{kPushState}, seconds(time), depth->second, source, name);
  }
  void pop(int64_t time, int source) {
    const auto depth = depths_.find(source);
    if (depth == depths_.end()) return;
    line("{} {:.9f} R{} t{}", int{kPopState}, seconds(time), depth->second, source);
  }

  void record(const TraceEvent& happened) {
    const auto found = depths_.find(happened.source);
    if (found == depths_.end()) return;
    const double time = seconds(happened.time);
    const size_t depth = found->second;
    const auto set = [&](const char* state) {
      line("{} {:.9f} W{} t{} {}{}", int{kSetState}, time, depth, happened.source, state, depth);
    };
    switch (happened.kind()) {
      case event("extra_worker"):
      case event("worker_awake"):
        return set("run");
      case event("worker_searching"):
        return set("search");
      case event("extra_left"):
      case event("worker_asleep"):
        return set("sleep");
      case event("stolen"):
      case event("burst"):
      case event("attached"):
      case event("suspended"):
      case event("region_begin"):
      case event("region_end"):
      case event("fork"):
        line("{} {:.9f} E{} t{} \"{}\"", int{kNewEvent}, time, depth, happened.source,
             trace::events[happened.kind()].name);
        return;
      default:
        return;
    }
  }

  void destroy_all() {
    const double end = seconds(trace_.duration);
    for (const auto& [source, depth] : depths_)
      line("{} {:.9f} T{} t{}", int{kDestroy}, end, depth, source);
    for (size_t level = trace_.levels.size(); level-- > 0;)
      line("{} {:.9f} L{} l{}", int{kDestroy}, end, depth_of(level), level);
  }

  const Trace& trace_;
  std::FILE* out_;
  std::map<int, size_t> depths_;  // of the PU's level, by source
};

}  // namespace

void write_paje(const Trace& trace, std::FILE* out) { PajeFile(trace, out).write(); }

}  // namespace xylem::tool
