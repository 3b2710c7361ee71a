// Parsers of the settings table. Each returns null, or why the text is wrong. Then it leaves the
// values as they were, unless libgomp makes something of such a text: then it does the same and
// says in SettingsValues::used_instead what that is.
#pragma once

#include <limits>
#include <type_traits>

#include "omp/env/settings_values.hpp"
#include "omp/env/text_cursor.hpp"

namespace xylem::omp {

// The member of whichever part of the values declares it.
template <typename Values, typename T>
auto& setting_field(Values& values, T GlobalIcvs::*member) {
  return values.global.*member;
}
template <typename Values, typename T>
auto& setting_field(Values& values, T Icvs::*member) {
  return values.initial.*member;
}
template <typename Values, typename T>
auto& setting_field(Values& values, T RuntimeSettings::*member) {
  return values.runtime.*member;
}
template <typename Values, typename T>
auto& setting_field(Values& values, T SettingsValues::*member) {
  return values.*member;
}

// What begins with true or false sets the value, but is wrong if something follows.
const char* read_boolean(const char* text, bool& value);
const char* read_integer(const char* text, int low, int high, int& value);
// `names` are separated by blanks; value is the position of the one given.
const char* read_word(const char* text, const char* names, int& value);

template <auto member>
const char* parse_boolean(const char* text, SettingsValues& values) {
  bool& value = setting_field(values, member);
  const char* error = read_boolean(text, value);
  if (error != nullptr && value) values.used_instead = "true";
  return error;
}

template <auto member, int low, int high = std::numeric_limits<int>::max()>
const char* parse_integer(const char* text, SettingsValues& values) {
  int value = 0;
  const char* error = read_integer(text, low, high, value);
  if (error == nullptr) setting_field(values, member) = value;
  return error;
}

template <auto member>
const char* parse_text(const char* text, SettingsValues& values) {
  setting_field(values, member) = keep_text(text);
  return nullptr;
}

// OMP_TOOL.
template <auto member>
const char* parse_enabled(const char* text, SettingsValues& values) {
  int position = 0;
  const char* error = read_word(text, "disabled enabled", position);
  if (error == nullptr) setting_field(values, member) = position == 1;
  return error;
}

// Words of which a setting takes one, in the order of the values that they mean: policy::Allowed,
// count::EnginesAllowed, count::SourceWanted, hetero::NearCopies, and what
// RuntimeSettings::gang_level numbers.
struct Choice {
  const char* words;  // separated by blanks
  const char* wrong;  // what is said of another text
};
inline constexpr Choice hint_choices{"off pages threads mixed cheapest",
                                     "not off, pages, threads, mixed or cheapest"};
inline constexpr Choice engine_choices{"off pages threads loops auto count",
                                       "not off, pages, threads, loops, auto or count"};
inline constexpr Choice source_choices{"auto instrument pmu fault idle",
                                       "not auto, instrument, pmu, fault or idle"};
inline constexpr Choice near_copies_choices{"off measured on", "not off, measured or on"};
inline constexpr Choice gang_levels{
    "machine package group node l4 l3 l2 l1 cache core pu",
    "not machine, package, group, node, l4, l3, l2, l1, cache, core or pu"};

template <auto member, const Choice& choice>
const char* parse_choice(const char* text, SettingsValues& values) {
  int position = 0;
  if (read_word(text, choice.words, position) != nullptr) return choice.wrong;
  auto& field = setting_field(values, member);
  field = static_cast<std::remove_reference_t<decltype(field)>>(position);
  return nullptr;
}

const char* parse_display_env(const char* text, SettingsValues& values);
const char* parse_nested(const char* text, SettingsValues& values);
const char* parse_stack_size(const char* text, SettingsValues& values);
const char* parse_device_memory(const char* text, SettingsValues& values);
const char* parse_gomp_stack_size(const char* text, SettingsValues& values);
const char* parse_thread_limit(const char* text, SettingsValues& values);
const char* parse_num_threads(const char* text, SettingsValues& values);
const char* parse_schedule(const char* text, SettingsValues& values);
const char* parse_proc_bind(const char* text, SettingsValues& values);
const char* parse_places_setting(const char* text, SettingsValues& values);
const char* parse_cpu_affinity_setting(const char* text, SettingsValues& values);
const char* parse_wait_policy(const char* text, SettingsValues& values);
const char* parse_max_active_levels(const char* text, SettingsValues& values);
const char* parse_affinity_format(const char* text, SettingsValues& values);
const char* parse_allocator(const char* text, SettingsValues& values);
const char* parse_target_offload(const char* text, SettingsValues& values);
const char* parse_spin_count(const char* text, SettingsValues& values);
const char* parse_kmp_warnings(const char* text, SettingsValues& values);
const char* parse_kmp_settings(const char* text, SettingsValues& values);
const char* parse_kmp_affinity_setting(const char* text, SettingsValues& values);
const char* parse_kmp_hw_subset(const char* text, SettingsValues& values);
const char* parse_kmp_block_time(const char* text, SettingsValues& values);
const char* parse_kmp_library(const char* text, SettingsValues& values);
const char* parse_kmp_reduction(const char* text, SettingsValues& values);
const char* parse_kmp_deterministic(const char* text, SettingsValues& values);
const char* parse_kmp_stack_size(const char* text, SettingsValues& values);
const char* parse_kmp_device_thread_limit(const char* text, SettingsValues& values);
const char* parse_kmp_all_threads(const char* text, SettingsValues& values);
const char* parse_kmp_teams_proc_bind(const char* text, SettingsValues& values);
const char* parse_kmp_teams_thread_limit(const char* text, SettingsValues& values);
const char* parse_tls(const char* text, SettingsValues& values);
const char* parse_memory_policy(const char* text, SettingsValues& values);
const char* parse_spin(const char* text, SettingsValues& values);
const char* parse_loop_affinity(const char* text, SettingsValues& values);
const char* parse_time_slice(const char* text, SettingsValues& values);
const char* parse_codelet_policy(const char* text, SettingsValues& values);
const char* parse_cuda(const char* text, SettingsValues& values);
const char* parse_opencl(const char* text, SettingsValues& values);
const char* parse_fail_call(const char* text, SettingsValues& values);

// What XYLEM_MEMORY_POLICY takes, in the order of mem::Placement.
inline constexpr const char* memory_words = "default node least-loaded first-touch interleaved";

// omp_default_mem_alloc and so on, by handle; null for what is not predefined.
const char* predefined_allocator_name(AllocatorHandle handle);

}  // namespace xylem::omp
