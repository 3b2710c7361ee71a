// The film of a trace and the data it draws: see trace_export.hpp and docs/trace.md.
#include <array>
#include <map>
#include <string>
#include <string_view>

#include "tool/trace/trace_codelets.hpp"
#include "tool/trace/trace_export.hpp"

// The page (film/film.html), put into the command by film_template.S.
extern "C" const char xylem_film_template[];
extern "C" const char xylem_film_template_end[];

namespace xylem::tool {

namespace {

using nlohmann::ordered_json;
using trace::event;
using trace::Role;

constexpr std::string_view kPlaceOfData = "/*XYLEM_FILM_DATA*/null";

// How an event stands in the film; null: it does not.
const char* film_kind(trace::Kind kind) {
  switch (kind) {
    case event("worker_searching"):
      return "searching";
    case event("worker_asleep"):
      return "asleep";
    case event("worker_awake"):
      return "awake";
    case event("bubble_made"):
    case event("bubble_ended"):
    case event("task_begin"):
    case event("task_end"):
    case event("extra_left"):
    case event("fork"):
    case event("codelet_named"):
    case event("device_named"):
    case event("device_attached"):
      return nullptr;
    default:
      return trace::events[kind].name;
  }
}

// The first of the roles that the event has; -1: none of them.
int64_t first_of(const TraceEvent& happened, std::initializer_list<Role> wanted) {
  for (const Role role : wanted)
    if (const int64_t value = happened.of(role); value >= 0) return value;
  return -1;
}

// Its arguments go to the film as they are.
bool has_own_arguments(trace::Kind kind) {
  switch (kind) {
    case event("codelet_begin"):
    case event("codelet_end"):
    case event("kernel_begin"):
    case event("kernel_end"):
    case event("copy_begin"):
    case event("copy_end"):
    case event("device_memory"):
    case event("engines_chose"):
    case event("engines_dealt"):
    case event("engines_undid"):
      return true;
    default:
      return false;
  }
}

// The event's arguments beside its PU.
ordered_json arguments_of(const TraceEvent& happened) {
  ordered_json list = ordered_json::array();
  for (const Role role : trace::events[happened.kind()].arguments)
    if (role != Role::none && role != Role::pu) list.push_back(happened.of(role));
  return list;
}

ordered_json extra_of(const TraceEvent& happened) {
  if (has_own_arguments(happened.kind())) return arguments_of(happened);
  const int64_t reason = happened.of(Role::reason);
  if (reason < 0) return std::max<int64_t>(happened.of(Role::again), 0);
  return reason < static_cast<int64_t>(std::size(trace::reasons)) ? trace::reasons[reason]
                                                                  : trace::reasons[0];
}

ordered_json event_of(const TraceEvent& happened, const char* kind) {
  return ordered_json::array({happened.time, kind, happened.of(Role::bubble),
                              first_of(happened, {Role::member, Role::lo, Role::external}),
                              happened.of(Role::hi), first_of(happened, {Role::level, Role::pu}),
                              happened.of(Role::from_level), extra_of(happened)});
}

ordered_json levels_of(const Trace& trace) {
  ordered_json levels = ordered_json::array();
  for (const TraceLevel& level : trace.levels)
    levels.push_back({{"name", level.name},
                      {"kind", level.kind},
                      {"parent", level.parent},
                      {"first_pu", level.first_pu},
                      {"pus", level.pus}});
  return levels;
}

ordered_json bubbles_of(const Trace& trace) {
  ordered_json bubbles = ordered_json::array();
  std::map<int64_t, size_t> index;
  for (const TraceEvent& happened : trace.events) {
    const int64_t id = happened.of(Role::bubble);
    if (happened.kind() == event("bubble_made")) {
      index[id] = bubbles.size();
      bubbles.push_back({{"id", id},
                         {"parent", happened.of(Role::parent)},
                         {"member", happened.of(Role::parent_member)},
                         {"threads", happened.of(Role::threads)},
                         {"nesting", happened.of(Role::nesting)},
                         {"made", happened.time},
                         {"ended", trace.duration}});
    } else if (happened.kind() == event("bubble_ended")) {
      if (const auto found = index.find(id); found != index.end())
        bubbles[found->second]["ended"] = happened.time;
    }
  }
  return bubbles;
}

// By their numbers.
ordered_json codelets_of(const Trace& trace) {
  ordered_json names = ordered_json::object();
  const CodeletNames known(trace);
  for (const auto& [number, name] : known.all()) names[std::to_string(number)] = name;
  return names;
}

ordered_json devices_json(const Trace& trace) {
  ordered_json list = ordered_json::array();
  for (const auto& [number, device] : devices_of(trace))
    list.push_back({{"number", number}, {"name", device.name}, {"level", device.level}});
  return list;
}

std::string dumped(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

std::string film_data(const Trace& trace) {
  ordered_json head;
  head["version"] = 1;
  head["program"] = trace.program;
  head["duration_ns"] = trace.duration;
  head["dropped"] = trace.dropped;
  head["levels"] = levels_of(trace);
  head["bubbles"] = bubbles_of(trace);
  head["codelets"] = codelets_of(trace);
  head["devices"] = devices_json(trace);
  std::string out = dumped(head);
  out.pop_back();  // the brace
  out += ",\n\"events\":[";
  const char* between = "\n";
  for (const TraceEvent& happened : trace.events) {
    const char* kind = film_kind(happened.kind());
    if (kind == nullptr) continue;
    out += between + dumped(event_of(happened, kind));
    between = ",\n";
  }
  return out + "\n]}\n";
}

void write_film_data(const Trace& trace, std::FILE* out) {
  const std::string data = film_data(trace);
  std::fwrite(data.data(), 1, data.size(), out);
}

void write_film(const Trace& trace, std::FILE* out) {
  const std::string_view page(xylem_film_template,
                              static_cast<size_t>(xylem_film_template_end - xylem_film_template));
  const size_t place = page.find(kPlaceOfData);
  std::string data = film_data(trace);
  // A script's text ends at the first "</", wherever it stands; in JSON "<\/" says the same.
  for (size_t at = 0; (at = data.find("</", at)) != std::string::npos; at += 3)
    data.insert(at + 1, "\\");
  const std::string_view before = page.substr(0, place);
  std::fwrite(before.data(), 1, before.size(), out);
  if (place == std::string_view::npos) return;
  std::fwrite(data.data(), 1, data.size(), out);
  const std::string_view after = page.substr(place + kPlaceOfData.size());
  std::fwrite(after.data(), 1, after.size(), out);
}

}  // namespace xylem::tool
