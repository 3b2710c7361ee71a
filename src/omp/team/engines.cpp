// Owns: the engines' meeting with teams. See engines.hpp.
#include "omp/team/engines.hpp"

#include "base/report.hpp"
#include "count/live/engines.hpp"
#include "mem/map/memory.hpp"
#include "omp/env/settings.hpp"
#include "omp/team/told_regions.hpp"
#include "os/clock.hpp"
#include "os/shared_object.hpp"
#include "os/thread.hpp"

namespace xylem::omp {

namespace {

// Null: they are off. Written when the runtime starts, before any region.
constinit count::Engines* the_engines = nullptr;

}  // namespace

void start_engines() {
  const RuntimeSettings& mine = read_runtime_settings();
  if (mine.engines == count::EnginesAllowed::off) return;
  const auto source = reinterpret_cast<os::TakeAccesses>(os::find_symbol(os::take_accesses_name));
  if (mem::node_count() < 2)
    return base::warn("XYLEM_ENGINES: the machine has one memory node; nothing moves");
  if (source == nullptr)
    return base::warn(
        "XYLEM_ENGINES: nothing counts this program's accesses; link what is to be counted with "
        "libxylem-instrument.so. Nothing moves");
  the_engines = new count::Engines(mine.engines, source, mine.verbose);
}

void watch(Member& initial) {
  if (the_engines == nullptr || !os::is_first_thread()) return;
  initial.hints.reset(new MemberHints);
  initial.hints->is_watched = true;
}

void tell_iteration(Member& member) {
  if (member.hints && member.hints->is_watched) the_engines->tell(os::now_ns());
}

bool begin_watched(Team& team, const sched::Launch& launch) {
  count::Engines& engines = *the_engines;
  const auto code = reinterpret_cast<uintptr_t>(team.code);
  engines.region_begins(code, team.n, team.places != nullptr, os::now_ns());
  if (team.n == 1) {
    engines.member_begins(0, team.maker->thread->pu);
    return false;
  }
  sched::known_tree(*team.maker->thread, launch, team.n);  // the region is known, wherever it goes
  hinted(team).is_watched = true;
  team.begins_by_hints = true;
  return sched::threads_follow() && !engines.pus(team.n).empty();
}

std::span<const int> pus_by_engines(const Team& team) { return the_engines->pus(team.n); }

void begin_watched_member(const Member& member) {
  the_engines->member_begins(member.num, member.thread->pu);
}

}  // namespace xylem::omp
