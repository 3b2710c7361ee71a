// Everything that the parsers of the settings table write, before and after it is settled.
//
// Invariant: trivially destructible and constant-initialised, so that the library needs no
// constructor; texts and places it points to are never freed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "omp/env/icv.hpp"
#include "omp/env/settings.hpp"

namespace xylem::omp {

enum class DisplayEnvironment : std::uint8_t { none, plain, verbose };

// A list with one value for each nesting level; empty: not given.
template <typename T>
struct ByLevel {
  std::span<const T> values;
  bool given() const { return !values.empty(); }
  bool several() const { return values.size() > 1; }
  // Empty unless levels differ: one value is the ICV's alone.
  std::span<const T> by_level() const { return several() ? values : std::span<const T>{}; }
};

struct SettingsValues {
  GlobalIcvs global;
  Icvs initial;
  RuntimeSettings runtime;

  // What was parsed and is settled into the above once all variables are known (settle_settings).
  ByLevel<int> nthreads;
  ByLevel<ProcBind> binds;
  const PlaceList* listed_places = nullptr;  // OMP_PLACES, in logical PUs
  const PlaceList* cpu_affinity = nullptr;   // GOMP_CPU_AFFINITY, in logical PUs
  const char* cpu_affinity_text = "";
  const PlaceList* kmp_places = nullptr;  // KMP_AFFINITY, in logical PUs, and how threads go there
  ProcBind kmp_bind = ProcBind::none;
  bool kmp_device_limit = false;  // KMP_DEVICE_THREAD_LIMIT is given
  const char* kmp_affinity_text = "";
  const char* kmp_hw_subset_text = "";
  int max_active_levels = -1;          // -1: not given
  int nested = -1;                     // OMP_NESTED; -1: not given
  std::int64_t thread_limit = 0;       // OMP_THREAD_LIMIT as written; 0: not given
  std::uint64_t shown_stack_size = 0;  // as written, too small a one also; 0: not given
  bool stack_size_given = false;
  DisplayEnvironment display = DisplayEnvironment::none;

  // What a parser that found the text wrong made of it, when that is not the default; else null.
  const char* used_instead = nullptr;

  const topo::Machine* machine = nullptr;  // null while Xylem's own variables are read

  bool refuses_binding() const { return binds.given() && binds.values[0] == ProcBind::none; }
};

// What was parsed becomes ICVs, by libgomp's rules of precedence.
void settle_settings(SettingsValues& values, int usable_threads);

// Applies one variable; a wrong text is reported with what is used instead.
void apply_setting(const Setting& setting, const char* text, SettingsValues& values);

// Room and copies that live as long as the process; no room: null.
void* keep_room(std::size_t bytes);
const char* keep_text(const char* text);
const PlaceList* keep_places(PlaceList&& places);

}  // namespace xylem::omp
