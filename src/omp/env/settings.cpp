// Reading the environment and settling what it says. Owns the values of the process.
#include "omp/env/settings.hpp"

#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "base/check.hpp"
#include "base/report.hpp"
#include "omp/env/affinity_format.hpp"
#include "omp/env/places.hpp"
#include "omp/env/settings_values.hpp"

namespace xylem::omp {
namespace {

// Written by read_runtime_settings and initialize_settings under the runtime's initialisation lock;
// read by everyone after.
constinit SettingsValues process_values;
constinit bool runtime_settings_read = false;

// Never freed, but always reachable.
template <typename T>
struct Kept {
  T value;
  Kept* next;
};
constinit Kept<void*>* kept_room = nullptr;
constinit Kept<PlaceList>* kept_places = nullptr;

constexpr std::uint64_t turns_when_active = 30'000'000'000;  // minutes: practically for ever
constexpr std::uint64_t turns_when_unset = 300'000;

bool is_own(const Setting& setting) { return std::strncmp(setting.name, "XYLEM_", 6) == 0; }

void settle_spinning(GlobalIcvs& global) {
  bool active = global.wait_policy == WaitPolicy::active;
  bool passive = global.wait_policy == WaitPolicy::passive;
  if (!global.spin_count_given)
    global.spin_count = active ? turns_when_active : passive ? 0 : turns_when_unset;
  std::uint64_t throttled = active ? 1000 : passive ? 0 : 100;
  global.throttled_spin_count = throttled < global.spin_count ? throttled : global.spin_count;
}

// OMP_PLACES comes before GOMP_CPU_AFFINITY; either binds threads unless OMP_PROC_BIND says false.
void settle_binding(SettingsValues& values) {
  bool given = values.binds.given();
  ProcBind bind = given ? values.binds.values[0] : ProcBind::none;
  const PlaceList* places =
      values.listed_places != nullptr ? values.listed_places : values.cpu_affinity;
  if (!given && places != nullptr) bind = ProcBind::any;
  if (bind == ProcBind::none) places = nullptr;
  if (bind != ProcBind::none && places == nullptr)
    places = keep_places(places_of_machine(*values.machine, PlaceUnit::threads, most_places));
  values.initial.bind_var = bind;
  values.global.bind_list = values.binds.by_level();
  values.global.places = places;
  values.initial.place_first = 0;
  values.initial.place_count = places != nullptr ? places->size() : 0;
}

int settled_active_levels(const SettingsValues& values) {
  if (values.max_active_levels >= 0) return values.max_active_levels;
  bool lists = values.nthreads.several() || values.binds.several();
  bool nested = values.nested >= 0 ? values.nested == 1 : lists;
  return nested ? supported_active_levels : 1;
}

// By row of the table. Written by capture_environment() while the library is loaded.
constexpr std::size_t most_settings = 64;
constinit const char* captured[most_settings] = {};
constinit bool environment_captured = false;

const char* read_variable(const char* name, bool own) {
  return own ? secure_getenv(name) : std::getenv(name);
}

}  // namespace

constinit GlobalIcvs settled_globals;

const char* environment_lookup(const char* name) {
  const std::span<const Setting> all = settings_table();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (std::strcmp(all[i].name, name) != 0) continue;
    return environment_captured ? captured[i] : read_variable(name, is_own(all[i]));
  }
  return nullptr;
}

bool capture_environment() {
  const std::span<const Setting> all = settings_table();
  XYLEM_ASSERT(all.size() <= most_settings, "most_settings is too small for the table");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const char* text = read_variable(all[i].name, is_own(all[i]));
    captured[i] = text != nullptr ? keep_text(text) : nullptr;
  }
  environment_captured = true;
  return environment_lookup("OMP_DISPLAY_ENV") != nullptr;
}

void* keep_room(std::size_t bytes) {
  void* room = std::malloc(bytes);
  if (room != nullptr) kept_room = new Kept<void*>{room, kept_room};
  return room;
}

const char* keep_text(const char* text) {
  std::size_t size = std::strlen(text) + 1;
  void* copy = keep_room(size);
  return copy == nullptr ? "" : static_cast<char*>(std::memcpy(copy, text, size));
}

const PlaceList* keep_places(PlaceList&& places) {
  kept_places = new Kept<PlaceList>{std::move(places), kept_places};
  return &kept_places->value;
}

void apply_setting(const Setting& setting, const char* text, SettingsValues& values) {
  if (text == nullptr) return;
  values.used_instead = nullptr;
  const char* error = setting.parse(text, values);
  if (error == nullptr) return;
  if (values.used_instead != nullptr)
    base::warn("%s='%.100s': %s; using %s", setting.name, text, error, values.used_instead);
  else
    base::warn("%s='%.100s': %s; using the default (%s)", setting.name, text, error,
               setting.default_text);
}

void settle_settings(SettingsValues& values, int usable_threads) {
  GlobalIcvs& global = values.global;
  global.usable_threads = usable_threads;
  values.initial.nthreads_var =
      values.nthreads.given() ? values.nthreads.values[0] : usable_threads;
  global.nthreads_list = values.nthreads.by_level();
  if (global.affinity_format == nullptr) global.affinity_format = default_affinity_format;
  values.initial.max_active_levels_var = static_cast<std::int16_t>(settled_active_levels(values));
  settle_spinning(global);
  settle_binding(values);
}

const RuntimeSettings& read_runtime_settings() {
  if (!runtime_settings_read) {
    for (const Setting& setting : settings_table())
      if (is_own(setting)) apply_setting(setting, environment_lookup(setting.name), process_values);
    runtime_settings_read = true;
  }
  return process_values.runtime;
}

void initialize_settings(const topo::Machine& machine, int usable_threads, Lookup lookup) {
  RuntimeSettings runtime = process_values.runtime;
  process_values = SettingsValues{};
  process_values.runtime = runtime;
  process_values.machine = &machine;
  for (bool yielding : {false, true})
    for (const Setting& setting : settings_table())
      if (!is_own(setting) && setting.yields == yielding)
        apply_setting(setting, lookup(setting.name), process_values);
  settle_settings(process_values, usable_threads);
  settled_globals = process_values.global;
  set_num_teams_var(process_values.global.num_teams);
  set_teams_thread_limit_var(process_values.global.teams_thread_limit);
  if (process_values.display != DisplayEnvironment::none)
    display_environment(stderr, process_values.display == DisplayEnvironment::verbose);
}

Icvs initial_icvs() { return process_values.initial; }

void display_environment(std::FILE* out, bool verbose) {
  std::fputs("\nOPENMP DISPLAY ENVIRONMENT BEGIN\n  _OPENMP = '201511'\n", out);
  for (const Setting& setting : settings_table()) {
    if (setting.shown == Setting::Shown::never) continue;
    if (setting.shown == Setting::Shown::verbose && !verbose) continue;
    std::fprintf(out, "  %s = '", setting.name);
    setting.print(out, process_values);
    std::fputs("'\n", out);
  }
  std::fputs("OPENMP DISPLAY ENVIRONMENT END\n", out);
}

}  // namespace xylem::omp
