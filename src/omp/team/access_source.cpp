// Owns: starting sources. See access_source.hpp.
#include "omp/team/access_source.hpp"

#include "base/report.hpp"
#include "count/source/fault.hpp"
#include "count/source/idle.hpp"
#include "count/source/pmu.hpp"
#include "count/source/program_arrays.hpp"
#include "os/shared_object.hpp"

namespace xylem::omp {

namespace {

using count::EnginesAllowed;
using count::SourceWanted;

count::Source instrument_source() {
  const auto take = reinterpret_cast<os::TakeAccesses>(os::find_symbol(os::take_accesses_name));
  if (take == nullptr) return {};
  return {.name = "instrument", .take = take};
}

count::Source start_instrument(const RuntimeSettings& mine) {
  const count::Source found = instrument_source();
  if (found.name == nullptr && mine.source == SourceWanted::instrument)
    base::warn(
        "XYLEM_SOURCE: nothing counts this program's accesses; link what is to be counted with "
        "libxylem-instrument.so. Nothing moves");
  return found;
}

count::Source start_pmu(const RuntimeSettings& mine) {
  const count::PmuSettings settings{.samples_a_second = mine.pmu_rate, .event = mine.pmu_event};
  const char* obstacle = count::start_pmu_source(settings);
  if (obstacle == nullptr) return count::pmu_source();
  if (mine.source == SourceWanted::pmu)
    base::warn("XYLEM_SOURCE: the source pmu cannot be had: %s. Nothing moves", obstacle);
  return {};
}

void say_blocks_are_unknown() {
  base::warn(
      "XYLEM_ENGINES: only the program's static data is watched; start the program by xylem run, "
      "so that its allocated blocks are, too");
}

count::Source start_fault(const RuntimeSettings& mine) {
  const count::FaultSettings settings{.pages_a_second = mine.fault_rate,
                                      .most_cost = mine.fault_cost / 100.0};
  const char* obstacle = nullptr;
  if (!count::start_fault_source(settings, obstacle)) {
    base::warn("XYLEM_ENGINES: the source fault cannot be had: %s. Nothing moves", obstacle);
    return {};
  }
  if (!count::blocks_are_known()) say_blocks_are_unknown();
  return count::fault_source();
}

// It does not see who accesses what, so it never stands in for the others, and pages alone may
// move.
count::Source start_idle(const RuntimeSettings& mine) {
  if (mine.source != SourceWanted::idle) return {};
  if (mine.engines == EnginesAllowed::threads || mine.engines == EnginesAllowed::loops ||
      mine.engines == EnginesAllowed::count) {
    base::warn(
        "XYLEM_SOURCE: the source idle does not see which thread accesses what, and XYLEM_ENGINES "
        "asks for that. Nothing moves");
    return {};
  }
  const count::IdleObstacles obstacles =
      count::start_idle_source({.most_cost = mine.fault_cost / 100.0});
  if (obstacles.accesses != nullptr && obstacles.writes != nullptr) {
    base::warn(
        "XYLEM_SOURCE: the source idle cannot be had: of accesses to pages %s, and of writes %s. "
        "Nothing moves",
        obstacles.accesses, obstacles.writes);
    return {};
  }
  if (mine.verbose && obstacles.accesses != nullptr)
    base::say(
        "engines: the source idle sees pages that are written, not those that are only read: "
        "%s",
        obstacles.accesses);
  if (mine.verbose && obstacles.writes != nullptr)
    base::say("engines: the source idle does not see which pages are written: %s",
              obstacles.writes);
  if (!count::blocks_are_known()) say_blocks_are_unknown();
  return count::idle_source();
}

struct Kind {
  SourceWanted name;
  count::Source (*start)(const RuntimeSettings& settings);
};
// The best first.
constexpr Kind kinds[] = {{SourceWanted::instrument, start_instrument},
                          {SourceWanted::pmu, start_pmu},
                          {SourceWanted::fault, start_fault},
                          {SourceWanted::idle, start_idle}};

void say_faults() {
  const count::FaultStatistics seen = count::fault_statistics();
  if (seen.page_ns == 0) return;
  base::say(
      "engines: the source fault watched %lld pages and saw %lld touches; a page costs %.1f us, "
      "all took %.1f ms",
      static_cast<long long>(seen.watched), static_cast<long long>(seen.told),
      static_cast<double>(seen.page_ns) / 1e3, static_cast<double>(seen.spent_ns) / 1e6);
}

void say_scans() {
  const count::IdleStatistics seen = count::idle_statistics();
  if (seen.scans == 0) return;
  base::say(
      "engines: the source idle looked at %lld pages in %lld iterations, of which %lld were "
      "accessed; all took %.1f ms",
      static_cast<long long>(seen.pages), static_cast<long long>(seen.scans),
      static_cast<long long>(seen.told), static_cast<double>(seen.spent_ns) / 1e6);
}

void say_samples() {
  const count::PmuStatistics seen = count::pmu_statistics();
  if (seen.samples + seen.dropped == 0) return;
  base::say("engines: the source pmu gave %lld samples, and the kernel dropped %lld",
            static_cast<long long>(seen.samples), static_cast<long long>(seen.dropped));
}

}  // namespace

count::Source start_access_source(const RuntimeSettings& settings) {
  for (const Kind& kind : kinds) {
    if (settings.source != SourceWanted::automatic && settings.source != kind.name) continue;
    const count::Source source = kind.start(settings);
    if (source.name != nullptr) return source;
  }
  return {};
}

void say_what_source_saw() {
  say_faults();
  say_samples();
  say_scans();
}

}  // namespace xylem::omp
