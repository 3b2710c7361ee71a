// Reading the environment and settling what it says. Owns the values of the process.
#include "omp/env/settings.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "base/report.hpp"
#include "omp/env/affinity_format.hpp"
#include "omp/env/places.hpp"
#include "omp/env/settings_values.hpp"
#include "os/environment.hpp"

extern char** environ;  // unistd.h

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

// OMP_PLACES comes before GOMP_CPU_AFFINITY, that before KMP_AFFINITY; each binds threads unless
// OMP_PROC_BIND says false.
void settle_binding(SettingsValues& values) {
  bool given = values.binds.given();
  ProcBind bind = given ? values.binds.values[0] : ProcBind::none;
  const PlaceList* places =
      values.listed_places != nullptr ? values.listed_places : values.cpu_affinity;
  if (!given && places != nullptr) bind = ProcBind::any;
  if (!given && places == nullptr) {
    places = values.kmp_places;
    bind = values.kmp_bind;
    values.global.places_go_round = bind == ProcBind::close;
  }
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
  if (values.global.serial) return 0;
  if (values.max_active_levels >= 0) return values.max_active_levels;
  bool lists = values.nthreads.several() || values.binds.several();
  bool nested = values.nested >= 0 ? values.nested == 1 : lists;
  return nested ? supported_active_levels : 1;
}

// The text of each row's variable; null where it is not set.
constexpr std::size_t most_settings = 128;
using Texts = std::array<const char*, most_settings>;
// Written by capture_environment() while the library is loaded.
constinit Texts captured{};
constinit bool environment_captured = false;
constinit Texts told{};  // what set_defaults() was told
constinit bool settings_initialized = false;

// The row of that name; -1 if there is none.
int row_of(std::string_view name) {
  const std::span<const Setting> all = settings_table();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (name == all[i].name) return static_cast<int>(i);
  return -1;
}

// Whether a row of the table may have that name: most variables are told apart by four letters.
bool begins_like_a_setting(const char* name) {
  if (*name != 'O' && *name != 'K' && *name != 'G' && *name != 'X') return false;
  for (const std::string_view beginning : {"OMP_", "KMP_", "GOMP", "XYLE"})
    if (std::strncmp(name, beginning.data(), beginning.size()) == 0) return true;
  return false;
}

// One pass over the environment, which has tens of variables, of which few are settings: to ask for
// each row's would compare all names with all. Of two with one name the first counts, as for
// getenv().
Texts read_environment() {
  Texts texts{};
  const bool privileged = os::has_raised_privileges();
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    if (!begins_like_a_setting(*each)) continue;
    const std::string_view variable = *each;
    const std::size_t equals = variable.find('=');
    if (equals == std::string_view::npos) continue;
    const int row = row_of(variable.substr(0, equals));
    if (row < 0) continue;
    const auto index = static_cast<std::size_t>(row);
    if (privileged && is_own(settings_table()[index])) continue;
    if (texts[index] == nullptr) texts[index] = *each + equals + 1;
  }
  return texts;
}

// What set_defaults() was told comes first.
Texts texts_of_rows() {
  Texts texts = environment_captured ? captured : read_environment();
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (told[i] != nullptr) texts[i] = told[i];
  return texts;
}

Texts looked_up(Lookup lookup) {
  Texts texts{};
  const std::span<const Setting> all = settings_table();
  for (std::size_t i = 0; i < all.size(); ++i) texts[i] = lookup(all[i].name);
  return texts;
}

// What may still be set when OpenMP has been used. False: not this one.
bool set_late(const Setting& setting, std::string_view value) {
  if (std::string_view(setting.name) != "OMP_TARGET_OFFLOAD") return false;
  std::vector<char> text(value.begin(), value.end());
  text.push_back('\0');
  SettingsValues values;
  apply_setting(setting, text.data(), values);
  set_target_offload_var(values.global.target_offload);
  return true;
}

// "NAME=value"; anything else is no setting.
void set_default(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) return;
  const int row = row_of(assignment.substr(0, equals));
  if (row < 0) return;
  const Setting& setting = settings_table()[static_cast<std::size_t>(row)];
  if (is_own(setting)) return;
  const std::string_view value = assignment.substr(equals + 1);
  if (settings_initialized) {
    if (!set_late(setting, value))
      base::warn_once("kmp_set_defaults: it comes too late, OpenMP has been used");
    return;
  }
  auto* copy = static_cast<char*>(keep_room(value.size() + 1));
  if (copy == nullptr) return;
  copy[value.copy(copy, value.size())] = '\0';
  told[static_cast<std::size_t>(row)] = copy;
}

}  // namespace

constinit GlobalIcvs settled_globals;

const char* environment_lookup(const char* name) {
  const int row = row_of(name);
  return row < 0 ? nullptr : texts_of_rows()[static_cast<std::size_t>(row)];
}

void set_defaults(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('|'), text.size());
    set_default(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

bool capture_environment() {
  XYLEM_ASSERT(settings_table().size() <= most_settings,
               "most_settings is too small for the table");
  captured = read_environment();
  for (const char*& text : captured)
    if (text != nullptr) text = keep_text(text);
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
  if (global.serial) values.initial.nthreads_var = 1;
  if (global.affinity_format == nullptr) global.affinity_format = default_affinity_format;
  values.initial.max_active_levels_var = settled_active_levels(values);
  settle_spinning(global);
  settle_binding(values);
}

namespace {

// Those rows whose variable is set, and which are `wanted`.
template <typename Wanted>
void apply_rows(const Texts& texts, SettingsValues& values, Wanted wanted) {
  const std::span<const Setting> all = settings_table();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (texts[i] != nullptr && wanted(all[i])) apply_setting(all[i], texts[i], values);
}

}  // namespace

const RuntimeSettings& read_runtime_settings() {
  if (!runtime_settings_read) {
    apply_rows(texts_of_rows(), process_values, is_own);
    runtime_settings_read = true;
  }
  return process_values.runtime;
}

void initialize_settings(const topo::Machine& machine, int usable_threads, Lookup lookup) {
  RuntimeSettings runtime = process_values.runtime;
  process_values = SettingsValues{};
  process_values.runtime = runtime;
  process_values.machine = &machine;
  const Texts texts = lookup != nullptr ? looked_up(lookup) : texts_of_rows();
  for (const bool yielding : {false, true})
    apply_rows(texts, process_values, [yielding](const Setting& setting) {
      return !is_own(setting) && setting.yields == yielding;
    });
  settle_settings(process_values, usable_threads);
  settings_initialized = true;
  settled_globals = process_values.global;
  set_num_teams_var(process_values.global.num_teams);
  set_teams_thread_limit_var(process_values.global.teams_thread_limit);
  set_target_offload_var(process_values.global.target_offload);
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
