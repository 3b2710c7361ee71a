// Owns: the engines' meeting with teams. See engines.hpp.
#include "omp/team/engines.hpp"

#include <string_view>
#include <vector>

#include "base/report.hpp"
#include "count/live/engines.hpp"
#include "count/live/plan_applier.hpp"
#include "count/live/plan_recorder.hpp"
#include "count/live/shown.hpp"
#include "count/saved/saved_plan.hpp"
#include "mem/map/memory.hpp"
#include "omp/env/settings.hpp"
#include "omp/loops/affinity.hpp"
#include "omp/loops/repeated.hpp"
#include "omp/team/access_source.hpp"
#include "omp/team/told_regions.hpp"
#include "os/clock.hpp"
#include "os/files.hpp"
#include "os/kept_file.hpp"
#include "os/process.hpp"
#include "os/thread.hpp"

namespace xylem::omp {

namespace {

// Null: they are off. Written when the runtime starts, before any region.
constinit count::Engines* the_engines = nullptr;
// Likewise; null: nothing is recorded.
constinit count::PlanRecorder* the_recorder = nullptr;

void write_plan(const char* path) {
  count::SavedPlan plan = the_recorder->plan();
  plan.loops = repeated_loops();
  if (plan.arrays.empty() && plan.loops.empty())
    return base::warn(
        "--record: no iteration of the program was found, or nothing was seen of it; '%s' is not "
        "written",
        path);
  const std::vector<char> text = count::plan_json(plan);
  if (const int error = os::write_kept_file(path, {text.data(), text.size()}); error != 0)
    base::warn("--record: '%s' cannot be written (error %d)", path, -error);
}

void finish_engines() {
  const RuntimeSettings& mine = read_runtime_settings();
  if (mine.verbose) say_what_source_saw();
  if (*mine.record_plan != '\0') write_plan(mine.record_plan);
  if (*mine.touches_file == '\0') return;
  if (const int error = the_engines->write_touches(mine.touches_file); error != 0)
    base::warn("XYLEM_TOUCHES: '%s' cannot be written (error %d)", mine.touches_file, -error);
}

// `handed` is "DESCRIPTOR:PROCESS": the command left the plan's lines in a descriptor of the
// process that it became. Other processes that have the variable, as children do, have no plan.
bool read_handed_plan(std::string_view handed, std::vector<char>& lines) {
  const std::string_view descriptor = os::next_part(handed, ':');
  long long process = 0, number = 0;
  if (!os::parse_integer(handed, process) || process != os::process_id()) return false;
  if (!os::parse_integer(descriptor, number)) return false;
  os::PathBuffer path("/proc/self/fd/");
  path.append(descriptor);
  return os::read_all(path.c_str(), lines) == 0;
}

void say_missing() {
  count::say_missing_arrays();
  say_missing_loops();
}

void apply_handed_plan(const RuntimeSettings& mine) {
  std::vector<char> lines;
  if (*mine.apply_plan == '\0' || !read_handed_plan(mine.apply_plan, lines)) return;
  const base::Result<count::SavedPlan> plan = count::parse_plan({lines.data(), lines.size()});
  if (!plan.ok())
    return base::warn("--apply: the plan %s; it is not applied", plan.error().message);
  if (!count::apply_plan(plan.value())) return;
  adopt_loops(plan.value().loops);
  os::at_process_exit(say_missing);
  if (mine.verbose)
    base::say("the plan for %zu arrays and %zu loops is applied", plan.value().arrays.size(),
              plan.value().loops.size());
}

void record_plan(const RuntimeSettings& mine) {
  if (*mine.record_plan == '\0') return;
  the_recorder = new count::PlanRecorder;
  the_engines->record_into(*the_recorder);
}

}  // namespace

void start_engines() {
  const RuntimeSettings& mine = read_runtime_settings();
  apply_handed_plan(mine);
  if (mine.engines == count::EnginesAllowed::off) return;
  if (mem::node_count() < 2)
    return base::warn("XYLEM_ENGINES: the machine has one memory node; nothing moves");
  const count::Source source = start_access_source(mine);
  if (source.name == nullptr) return;
  if (mine.verbose) base::say("engines: accesses are told by the source %s", source.name);
  count::show_engines(source.name);
  the_engines = new count::Engines(mine.engines, source, mine.verbose);
  record_plan(mine);
  os::at_process_exit(finish_engines);
  if (*mine.touches_file != '\0' && source.sees != count::Sees::everything)
    the_engines->keep_touches();
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
  engines.region_begins({code, team.n, team.places != nullptr, take_owned_loops()}, os::now_ns());
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

std::span<const int> owners_by_engines(const Team& team) {
  // acquire: of a team that is not watched a member may just make it
  const HintedTeam* const hinted = team.hinted.load(std::memory_order_acquire);
  return hinted != nullptr && hinted->is_watched ? the_engines->owners(team.n)
                                                 : std::span<const int>{};
}

CountedData counted_data(const Team& team) {
  return {the_engines->table(team.n), the_engines->tables()};
}

void begin_watched_member(const Member& member) {
  the_engines->member_begins(member.num, member.thread->pu);
}

}  // namespace xylem::omp
