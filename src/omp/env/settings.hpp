// Settings: the one table of environment variables, and the only place that calls getenv.
//
// Invariant: every variable the runtime obeys is a row of settings_table(); OMP_DISPLAY_ENV, the
// manual page and `xylem help settings` are printed from it.
//
// Order of start-up, under the runtime's initialisation lock:
//   1. read_runtime_settings()   Xylem's own variables; needs nothing
//   2. the caller loads the machine that RuntimeSettings::machine describes
//   3. initialize_settings()     OMP_* and GOMP_* variables, places
// Before step 3 globals() and initial_icvs() are not valid.
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>

#include "count/live/allowed.hpp"
#include "hetero/run/near_nodes.hpp"
#include "mem/map/memory.hpp"
#include "policy/weigh.hpp"

namespace xylem::topo {
class Machine;
}

namespace xylem::omp {

struct SettingsValues;  // settings_values.hpp: everything the table's parsers write

enum class TlsChoice : std::uint8_t { automatic, tier1, tier2, tier3, thread };

// Xylem's own variables. A process with raised privileges (AT_SECURE) sees the defaults.
struct RuntimeSettings {
  const char* machine = "";      // XYLEM_MACHINE: description for topo::load_machine
  const char* policy = "cache";  // XYLEM_POLICY: a policy's name or file, not checked here
  policy::Allowed hints = policy::Allowed::cheapest;            // XYLEM_HINTS
  count::EnginesAllowed engines = count::EnginesAllowed::off;   // XYLEM_ENGINES
  count::SourceWanted source = count::SourceWanted::automatic;  // XYLEM_SOURCE
  count::LoopsAllowed loops = count::LoopsAllowed::off;         // XYLEM_SCHEDULE
  int loop_chunk = 0;                                           // its chunk; 0: not given
  bool loops_begin_alike = false;  // its `begin`: see LoopRequest::is_numbered
  bool static_loops = false;       // XYLEM_SCHEDULE_STATIC: see LoopAffinity
  bool dynamic_loops = false;      // XYLEM_SCHEDULE_DYNAMIC: likewise
  bool repeat_dynamic = false;     // XYLEM_REPEAT_DYNAMIC: see RepeatedLoop
  const char* misses = "auto";     // XYLEM_MISSES: not checked here
  const char* touches_file = "";   // XYLEM_TOUCHES; "": none is written
  const char* record_plan = "";    // XYLEM_RECORD_PLAN: file; "": none is written
  const char* apply_plan = "";     // XYLEM_APPLY_PLAN: see read_handed_plan; "": none
  int fault_rate = 1000;           // XYLEM_FAULT_RATE: count::FaultSettings::pages_a_second, > 0
  int fault_cost = 1;              // XYLEM_FAULT_COST: its most_cost in percent, 1 to 100
  int pmu_rate = 1000;             // XYLEM_PMU_RATE: count::PmuSettings::samples_a_second, > 0
  const char* pmu_event = "";      // XYLEM_PMU_EVENT: its event; "": the machine's own
  int spread_threshold = 100;      // XYLEM_SPREAD_THRESHOLD: plan::Tuning::too_big_percent, > 0
  int gang_level = 0;              // XYLEM_GANG_LEVEL: a word of its list, plan::Tuning::gang_kind
  TlsChoice tls = TlsChoice::automatic;  // XYLEM_TLS
  bool interpose = true;                 // XYLEM_INTERPOSE: see sched::offer_waits
  bool share = true;                     // XYLEM_SHARE: see sched::Sharing
  bool share_strangers = true;           // XYLEM_SHARE_STRANGERS: see sched::Trial
  bool check = false;                    // XYLEM_CHECK: walk shared structures and abort on damage
  int watchdog_seconds = 0;              // XYLEM_WATCHDOG: 0: off
  int dump_after_seconds = 0;            // XYLEM_DUMP_AFTER: 0: off
  // XYLEM_TIME_SLICE: what the monitor allows a worker, and a turn; > 0
  std::int64_t time_slice_us = 10'000;
  bool preempt = true;         // XYLEM_PREEMPT: see sched::PoolSettings::stops_late_threads
  int short_region_us = 20;    // XYLEM_SHORT_REGION: see ShortRegions, >= 0
  bool nonmonotonic = false;   // XYLEM_NONMONOTONIC: see ChunkOrder
  int steal_patience_us = 50;  // XYLEM_STEAL_PATIENCE: see sched::Times, >= -1
  std::int64_t spin = -1;      // XYLEM_SPIN: turns before parking; -1: not given
  bool verbose = false;        // XYLEM_VERBOSE: see tell_served
  const char* trace = "";      // XYLEM_TRACE: file; "": nothing is traced
  mem::Placement memory_placement = mem::Placement::process;  // XYLEM_MEMORY_POLICY
  int memory_node = -1;                                       // its node, not checked here
  bool keep_machine = true;                                   // XYLEM_KEEP_MACHINE
  const char* costs_file = "";           // XYLEM_COSTS_FILE; "": in omp::cache_folder()
  const char* codelet_policy = "eager";  // XYLEM_CODELET_POLICY: one of hetero::policy_kinds()
  const char* cuda = "auto";             // XYLEM_CUDA: hetero::DeviceSettings::cuda
  const char* opencl = "auto";           // XYLEM_OPENCL: hetero::DeviceSettings::opencl
  bool zero_copy = true;                 // XYLEM_ZERO_COPY: likewise
  std::size_t device_memory = 0;         // XYLEM_DEVICE_MEMORY: likewise
  hetero::NearCopies near_copies = hetero::NearCopies::measured;  // XYLEM_NEAR_COPIES
  int fail_call = 0;            // XYLEM_FAIL_CALL: os::inject_failure; 0: none
  bool fail_all_after = false;  // its "+"
};

enum class SettingType : std::uint8_t {
  boolean,
  integer,
  integer_list,
  size,
  word,  // one of a fixed set; the help names them
  word_list,
  schedule,
  places,
  text,
};

struct Setting {
  const char* name;
  SettingType type;
  const char* default_text;  // as a user would write it; "" when there is none
  const char* help;          // one sentence
  // Parses text into values. Returns null, or the reason why the text is wrong; then values keep
  // what they had, or take what SettingsValues::used_instead names.
  const char* (*parse)(const char* text, SettingsValues& values);
  // Prints the value as OMP_DISPLAY_ENV shows it; null: not shown.
  void (*print)(std::FILE* out, const SettingsValues& values);
  enum class Shown : std::uint8_t { never, always, verbose } shown;
  bool yields = false;  // read after all others, as the parser asks what one of them said
  bool hidden = false;  // for tests of Xylem alone: not in the help
};

// All rows, in the order in which OMP_DISPLAY_ENV prints them. Lives as long as the process.
std::span<const Setting> settings_table();
const char* type_name(SettingType type);

// Where variables come from. Tests pass their own; returns null for an unset variable.
using Lookup = const char* (*)(const char* name);

// The variables as they were when capture_environment() was called, or now if it was not. What
// set_defaults() was told comes first.
const char* environment_lookup(const char* name);

// Sets variables as if the environment had them: "NAME=value|NAME=value", names of the table but
// for Xylem's own. What comes when the runtime has started is ignored, with a warning.
void set_defaults(std::string_view text);

// Keeps the values that all settings have now: what the program does to its environment later
// changes nothing, as on libgomp. Called once at most, when the library is loaded into a process in
// which libgomp would be. Otherwise variables are read when the runtime starts, as libomp does, and
// as libgomp does that a program opens later. True if the environment asks that all settings be
// shown (OMP_DISPLAY_ENV), which libgomp does then.
bool capture_environment();

// Step 1. May be called again; later calls return what the first one read.
const RuntimeSettings& read_runtime_settings();

// Step 3. `usable_threads` > 0 is the default team size (allowed PUs, lowered by a CPU quota). Not
// thread safe; the machine must outlive the process's use of places. Wrong values are reported once
// on stderr, with what libgomp would use instead. Prints the environment when OMP_DISPLAY_ENV asks
// for it. `lookup` null: the variables are as environment_lookup() tells.
void initialize_settings(const topo::Machine& machine, int usable_threads, Lookup lookup = nullptr);

// Warns in one line of the KMP_* variables that no row of the table has: of this process, or of an
// environment that ends in null.
void name_ignored_settings();
void name_ignored_settings(const char* const* environment);

// The text of OMP_DISPLAY_ENV, in libgomp's format; omp_display_env calls it.
void display_environment(std::FILE* out, bool verbose);

}  // namespace xylem::omp
