// Chrome's and Perfetto's JSON of a trace (the "Trace Event Format"): see trace_export.hpp.
//
// Written line by line: a trace may have millions of events. Times are microseconds.
#include <fmt/core.h>

#include <map>

#include "tool/trace/trace_export.hpp"
#include "tool/trace/trace_slices.hpp"
#include "tool/trace/trace_turns.hpp"

namespace xylem::tool {

using trace::event;
using trace::Role;

std::string source_name(const Trace& trace, int source, int64_t pu) {
  if (pu < 0) return "turns";
  const TraceSource& who = trace.sources[static_cast<size_t>(source)];
  switch (who.kind) {
    case trace::SourceKind::worker:
      return fmt::format("PU {}", pu);
    case trace::SourceKind::extra:
      return fmt::format("PU {}, extra {}", pu, who.number);
    case trace::SourceKind::external:
      break;
  }
  return fmt::format("PU {}, the program's own thread {}", pu, who.number);
}

namespace {

class ChromeFile {
 public:
  ChromeFile(const Trace& trace, std::FILE* out) : trace_(trace), names_(trace), out_(out) {}

  void write() {
    fmt::print(out_, "{{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
    line("{{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 1, \"args\": {{\"name\": {}}}}}",
         quoted(trace_.program));
    Slices slices(trace_, {[this](int64_t time, int source, const std::string& name) {
                             open(time, source, name);
                           },
                           [this](int64_t time, int source) { close(time, source); }});
    for (const TraceEvent& happened : trace_.events) {
      name_source(happened);
      slices.follow(happened);
      record(happened);
    }
    slices.finish(trace_.duration);
    fmt::print(out_, "\n]}}\n");
  }

 private:
  template <typename... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::print(out_, "{}", first_ ? "" : ",\n");
    first_ = false;
    fmt::print(out_, format, std::forward<Arguments>(arguments)...);
  }

  static std::string quoted(const std::string& text) {
    const auto replace = nlohmann::json::error_handler_t::replace;
    return nlohmann::json(text).dump(-1, ' ', false, replace);
  }
  static double us(int64_t ns) { return static_cast<double>(ns) / 1e3; }

  // A track gets its name, and its place by its PU, at its first event that has a PU; that of turns
  // comes before all others.
  void name_source(const TraceEvent& happened) {
    const int64_t pu = happened.of(Role::pu);
    if (pu < 0 && !is_turn(happened.kind())) return;
    if (!named_.try_emplace(happened.source, pu).second) return;
    line(R"({{"ph": "M", "name": "thread_name", "pid": 1, "tid": {}, "args": {{"name": {}}}}})",
         happened.source, quoted(source_name(trace_, happened.source, pu)));
    line(R"({{"ph": "M", "name": "thread_sort_index", "pid": 1, "tid": {}, )"
         R"("args": {{"sort_index": {}}}}})",
         happened.source, pu * 4 + static_cast<int64_t>(kind_of(happened.source)));
  }

  trace::SourceKind kind_of(int source) const {
    return trace_.sources[static_cast<size_t>(source)].kind;
  }

  std::string level_name(int64_t level) const {
    return trace_.has_level(level) ? trace_.levels[static_cast<size_t>(level)].name : "?";
  }

  void open(int64_t time, int source, const std::string& name) {
    line(R"({{"ph": "B", "name": {}, "pid": 1, "tid": {}, "ts": {:.3f}}})", quoted(name), source,
         us(time));
  }
  void close(int64_t time, int source) {
    line(R"({{"ph": "E", "pid": 1, "tid": {}, "ts": {:.3f}}})", source, us(time));
  }

  void instant(const TraceEvent& happened, const std::string& name) {
    line(R"({{"ph": "i", "s": "t", "name": {}, "pid": 1, "tid": {}, "ts": {:.3f}}})", quoted(name),
         happened.source, us(happened.time));
  }

  // A device has a track of its own, behind all others.
  void show_kernel(int64_t device, const DeviceKernels::Kernel& kernel) {
    constexpr int64_t first_track = 1 << 20;
    const int64_t track = first_track + device;
    if (named_.try_emplace(static_cast<int>(track), -1).second)
      line(R"({{"ph": "M", "name": "thread_name", "pid": 1, "tid": {}, )"
           R"("args": {{"name": "device {}"}}}})",
           track, device);
    if (kernel.codelet < 0) return;
    line(R"({{"ph": "X", "name": {}, "pid": 1, "tid": {}, "ts": {:.3f}, "dur": {:.3f}}})",
         quoted(names_.of(kernel.codelet)), track, us(kernel.begin), us(kernel.end - kernel.begin));
  }

  void record(const TraceEvent& happened) {
    switch (happened.kind()) {
      case event("kernel_begin"):
        kernels_.begin(happened);
        break;
      case event("kernel_end"):
        show_kernel(happened.of(Role::device), kernels_.end(happened));
        break;
      case event("device_memory"):
        line(R"({{"ph": "C", "name": "memory of device {}", "pid": 1, "ts": {:.3f}, )"
             R"("args": {{"bytes": {}}}}})",
             happened.of(Role::device), us(happened.time), happened.of(Role::used));
        break;
      case event("stolen"): {
        const int common =
            trace_.common_level(happened.of(Role::from_level), happened.of(Role::level));
        instant(happened, fmt::format("steal within {}: {}.{}-{}",
                                      trace_.levels[static_cast<size_t>(common)].name,
                                      happened.of(Role::bubble), happened.of(Role::lo),
                                      happened.of(Role::hi) - 1));
        break;
      }
      case event("attached"):
        instant(happened, fmt::format("bubble {} attached to {}", happened.of(Role::bubble),
                                      level_name(happened.of(Role::level))));
        break;
      case event("suspended"):
        instant(happened, fmt::format("bubble {} suspended", happened.of(Role::bubble)));
        break;
      case event("engines_chose"):
        instant(happened, fmt::format("engines: {} pages move, {} threads are placed",
                                      happened.of(Role::pages), happened.of(Role::placed)));
        break;
      case event("engines_dealt"):
        instant(happened, fmt::format("engines: {} pages move, {} threads have other iterations",
                                      happened.of(Role::pages), happened.of(Role::dealt)));
        break;
      case event("engines_undid"):
      case event("extra_worker"):
      case event("fork"):
      case event("region_begin"):
      case event("region_end"):
        instant(happened, trace::events[happened.kind()].name);
        break;
      default:
        break;
    }
  }

  const Trace& trace_;
  CodeletNames names_;
  DeviceKernels kernels_;
  std::FILE* out_;
  bool first_ = true;
  std::map<int, int64_t> named_;  // PU by source
};

}  // namespace

void write_chrome(const Trace& trace, std::FILE* out) { ChromeFile(trace, out).write(); }

}  // namespace xylem::tool
