// Owns: reading XYLEM_MISSES. See counted_misses.hpp.
#include "omp/team/counted_misses.hpp"

#include <string_view>

#include "base/report.hpp"
#include "count/source/pmu_events.hpp"
#include "omp/env/settings.hpp"

namespace xylem::omp {

namespace {

// False: the text is no event.
bool event_of(std::string_view text, os::CountedEvent& event) {
  if (text == "on" || text == "auto") return true;
  os::SampledEvent parsed;
  if (!count::parse_event(text, parsed) || parsed.config[1] != 0) return false;
  event = {.type = parsed.type, .config = parsed.config[0]};
  return true;
}

}  // namespace

std::optional<os::CountedEvent> misses_to_count(const policy::Policy& policy) {
  const std::string_view wanted = read_runtime_settings().misses;
  if (wanted == "off" || (wanted == "auto" && !policy.has_hooks())) return {};
  os::CountedEvent event;
  if (!event_of(wanted, event)) {
    base::warn("XYLEM_MISSES=%s is none of on, off, auto and TYPE:CONFIG: no misses are counted",
               wanted.data());
    return {};
  }
  const char* why = os::counter_obstacle(event);
  if (why && wanted != "auto") base::warn("XYLEM_MISSES: no misses are counted: %s", why);
  return why ? std::nullopt : std::optional(event);
}

}  // namespace xylem::omp
