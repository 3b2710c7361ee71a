// Everything that the parsers of the settings table write, before and after it is settled.
//
// Invariant: trivially destructible and constant-initialised, so that the library needs no
// constructor; texts and places it points to are never freed.
#pragma once

#include <array>
#include <cstdint>

#include "omp/icv.hpp"
#include "omp/settings.hpp"

namespace xylem::omp {

enum class DisplayEnvironment : std::uint8_t { none, plain, verbose };

inline constexpr int most_levels_listed = 64;  // in OMP_NUM_THREADS and OMP_PROC_BIND

// A list with one value for each nesting level.
template <typename T>
struct ByLevel {
  std::array<T, most_levels_listed> values{};
  int count = 0;
  // Empty unless levels differ: one value is the ICV's alone.
  std::span<const T> by_level() const {
    return {values.data(), count > 1 ? static_cast<std::size_t>(count) : 0};
  }
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
  int max_active_levels = -1;  // -1: not given
  int nested = -1;             // OMP_NESTED; -1: not given
  std::uint64_t omp_stack_size = 0;
  std::uint64_t gomp_stack_size = 0;
  bool spin_count_given = false;
  DisplayEnvironment display = DisplayEnvironment::none;

  const topo::Machine* machine = nullptr;  // null while Xylem's own variables are read
};

// What was parsed becomes ICVs, by libgomp's rules of precedence.
void settle_settings(SettingsValues& values, int usable_threads);

// Applies one variable; a wrong text is reported and leaves the default.
void apply_setting(const Setting& setting, const char* text, SettingsValues& values);

// Copies that live as long as the process.
const char* keep_text(const char* text);
const PlaceList* keep_places(PlaceList&& places);

}  // namespace xylem::omp
