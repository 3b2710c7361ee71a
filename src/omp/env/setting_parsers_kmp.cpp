// Parsers of KMP_* settings, which libomp and Intel's runtime have. OMP_* and GOMP_* settings of
// the same thing come first: their rows stand before these, so what they said is known here.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/report.hpp"
#include "omp/env/kmp_affinity.hpp"
#include "omp/env/places.hpp"
#include "omp/env/setting_parsers.hpp"
#include "topo/machine.hpp"

namespace xylem::omp {
namespace {

const char* read_kmp_boolean(const char* text, bool& value) {
  int position = 0;
  if (read_word(text, "true yes on enabled t y", position) == nullptr) {
    value = true;
    return nullptr;
  }
  if (read_word(text, "false no off disabled f n", position) == nullptr) {
    value = false;
    return nullptr;
  }
  int number = 0;
  const char* error = read_integer(text, 0, 1, number);
  if (error != nullptr) return "neither true nor false";
  value = number == 1;
  return nullptr;
}

bool places_are_given(const SettingsValues& values) {
  return values.binds.given() || values.listed_places != nullptr || values.cpu_affinity != nullptr;
}

}  // namespace

const char* parse_kmp_warnings(const char* text, SettingsValues& /*values*/) {
  bool wanted = true;
  const char* error = read_kmp_boolean(text, wanted);
  if (error == nullptr) base::silence_warnings(!wanted);
  return error;
}

const char* parse_kmp_settings(const char* text, SettingsValues& values) {
  bool wanted = false;
  const char* error = read_kmp_boolean(text, wanted);
  if (wanted && values.display == DisplayEnvironment::none)
    values.display = DisplayEnvironment::verbose;
  return error;
}

const char* parse_kmp_affinity_setting(const char* text, SettingsValues& values) {
  auto parsed = parse_kmp_affinity(text);
  if (!parsed.ok()) return parsed.error().message;
  const KmpAffinity& affinity = parsed.value();
  values.kmp_affinity_text = keep_text(text);
  values.global.affinity_reset = affinity.reset;
  if (affinity.verbose) values.global.display_affinity = true;
  if (places_are_given(values) || affinity.type == KmpAffinity::Type::none) return nullptr;
  PlaceList places = places_of(affinity, *values.machine);
  if (places.size() == 0) return "this process may use none of the processors";
  values.kmp_places = keep_places(std::move(places));
  values.kmp_bind =
      affinity.type == KmpAffinity::Type::balanced ? ProcBind::spread : ProcBind::close;
  return nullptr;
}

// The runtime's start applies it, before the machine is made (team/machine_choice.cpp).
const char* parse_kmp_hw_subset(const char* text, SettingsValues& values) {
  if (*values.kmp_hw_subset_text == 0) values.kmp_hw_subset_text = keep_text(text);
  return nullptr;
}

const char* parse_kmp_block_time(const char* text, SettingsValues& values) {
  static constexpr const char* wrong = "not a number of milliseconds or infinite";
  int position = 0;
  if (read_word(text, "infinite infinity", position) == nullptr) {
    values.global.block_time_ms = endless_block_time;
    return nullptr;
  }
  TextCursor cursor(text);
  std::uint64_t time = 0;
  if (!cursor.take_unsigned(time)) return wrong;
  const bool is_micro = cursor.take_word("us");
  if (!is_micro) cursor.take_word("ms");
  if (!cursor.at_end()) return wrong;
  const std::uint64_t ms = is_micro ? time / 1000 + (time % 1000 != 0 ? 1 : 0) : time;
  values.global.block_time_ms = static_cast<int>(std::min<std::uint64_t>(ms, endless_block_time));
  return nullptr;
}

const char* parse_kmp_library(const char* text, SettingsValues& values) {
  int position = 0;
  if (read_word(text, "serial turnaround throughput", position) != nullptr)
    return "not serial, turnaround or throughput";
  values.global.serial = position == 0;
  if (values.global.wait_policy != WaitPolicy::unset) return nullptr;
  if (position == 1) values.global.wait_policy = WaitPolicy::active;
  if (position == 2) values.global.wait_policy = WaitPolicy::passive;
  return nullptr;
}

const char* parse_kmp_reduction(const char* text, SettingsValues& values) {
  static constexpr ReductionWay ways[] = {ReductionWay::one_by_one, ReductionWay::by_atomics,
                                          ReductionWay::by_tree};
  int position = 0;
  if (read_word(text, "critical atomic tree", position) != nullptr)
    return "not critical, atomic or tree";
  values.global.reduction_way = ways[position];
  return nullptr;
}

const char* parse_kmp_deterministic(const char* text, SettingsValues& values) {
  bool is_on = false;
  if (const char* error = read_boolean(text, is_on)) return error;
  if (is_on && values.global.reduction_way == ReductionWay::any)
    values.global.reduction_way = ReductionWay::by_tree;
  return nullptr;
}

namespace {
// Besides OMP_THREAD_LIMIT: neither is exceeded.
const char* parse_kmp_thread_limit(const char* text, SettingsValues& values) {
  int limit = 0;
  if (read_word(text, "all", limit) == nullptr)
    limit = values.machine->pu_count();
  else if (const char* error = read_integer(text, 1, unlimited_threads, limit))
    return error;
  if (values.thread_limit > 0)
    limit = static_cast<int>(std::min<int64_t>(limit, values.thread_limit));
  values.thread_limit = limit;
  values.initial.thread_limit_var = limit;
  return nullptr;
}
}  // namespace

const char* parse_kmp_device_thread_limit(const char* text, SettingsValues& values) {
  values.kmp_device_limit = true;
  return parse_kmp_thread_limit(text, values);
}

const char* parse_kmp_all_threads(const char* text, SettingsValues& values) {
  return values.kmp_device_limit ? nullptr : parse_kmp_thread_limit(text, values);
}

const char* parse_kmp_teams_proc_bind(const char* text, SettingsValues& values) {
  static constexpr ProcBind kinds[] = {ProcBind::primary, ProcBind::primary, ProcBind::close,
                                       ProcBind::spread};
  int position = 0;
  if (read_word(text, "primary master close spread", position) != nullptr)
    return "not primary, close or spread";
  values.global.teams_bind = kinds[position];
  return nullptr;
}

const char* parse_kmp_teams_thread_limit(const char* text, SettingsValues& values) {
  return read_integer(text, 1, unlimited_threads, values.global.league_threads);
}

}  // namespace xylem::omp
