// Parsing the values of settings. The words and numbers are those of OpenMP 5.1, section 6, and of
// libgomp's manual.
#include "omp/env/setting_parsers.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "omp/env/affinity_format.hpp"
#include "omp/env/places.hpp"

namespace xylem::omp {
namespace {

constexpr const char* allocator_names[] = {
    "omp_default_mem_alloc", "omp_large_cap_mem_alloc", "omp_const_mem_alloc",
    "omp_high_bw_mem_alloc", "omp_low_lat_mem_alloc",   "omp_cgroup_mem_alloc",
    "omp_pteam_mem_alloc",   "omp_thread_mem_alloc",
};

// Fills `list` with as many values as the text has commas and one more. `take` reads one of them.
template <typename T, typename Take>
bool read_list(const char* text, std::span<const T>& list, Take take) {
  std::string_view whole(text);
  std::size_t count = 1 + static_cast<std::size_t>(std::count(whole.begin(), whole.end(), ','));
  T* values = static_cast<T*>(keep_room(count * sizeof(T)));
  if (values == nullptr) return false;
  TextCursor cursor(whole);
  for (std::size_t i = 0; i < count; ++i)
    if ((i > 0 && !cursor.take(',')) || !take(cursor, values[i])) return false;
  if (!cursor.at_end()) return false;
  list = {values, count};
  return true;
}

// Keeps the places of the list that have usable processors.
const char* keep_usable_places(const PlaceList& listed, SettingsValues& values,
                               const PlaceList*& kept) {
  PlaceList usable = resolve_places(listed, *values.machine);
  if (usable.size() == 0) return "this process may use none of the processors";
  bool some_unusable = usable.size() < listed.size();
  kept = keep_places(std::move(usable));
  if (!some_unusable) return nullptr;
  values.used_instead = "the other places";
  return "this process may use no processor of some places";
}

bool take_bind_kind(TextCursor& cursor, ProcBind& kind) {
  if (cursor.take_word("primary") || cursor.take_word("master"))
    kind = ProcBind::primary;
  else if (cursor.take_word("close"))
    kind = ProcBind::close;
  else if (cursor.take_word("spread"))
    kind = ProcBind::spread;
  else
    return false;
  return true;
}

bool take_schedule_kind(TextCursor& cursor, ScheduleKind& kind) {
  if (process_door() == Door::llvm && cursor.take_prefix("trapezoidal"))
    kind = ScheduleKind::trapezoidal_schedule;
  else if (cursor.take_prefix("static"))
    kind = ScheduleKind::static_schedule;
  else if (cursor.take_prefix("dynamic"))
    kind = ScheduleKind::dynamic_schedule;
  else if (cursor.take_prefix("guided"))
    kind = ScheduleKind::guided_schedule;
  else if (cursor.take_prefix("auto"))
    kind = ScheduleKind::auto_schedule;
  else
    return false;
  return true;
}

// What follows the kind. When it is wrong the chunk is 1, also for static.
const char* take_chunk(TextCursor& cursor, bool is_static, int& chunk) {
  chunk = is_static && cursor.at_end() ? 0 : 1;
  if (cursor.at_end()) return nullptr;
  if (!cursor.take(',')) return "not static, dynamic, guided or auto";
  int given = 0;
  if (!cursor.take_integer_between(0, std::numeric_limits<int>::max(), given))
    return "the chunk size is not a non-negative integer";
  if (!cursor.at_end()) return "something follows the chunk size";
  chunk = given == 0 && !is_static ? 1 : given;
  return nullptr;
}

}  // namespace

const char* read_boolean(const char* text, bool& value) {
  TextCursor cursor(text);
  if (cursor.take_prefix("true"))
    value = true;
  else if (cursor.take_prefix("false"))
    value = false;
  else
    return "neither true nor false";
  return cursor.at_end() ? nullptr : "something follows true or false";
}

const char* read_integer(const char* text, int low, int high, int& value) {
  TextCursor cursor(text);
  int number = 0;
  if (!cursor.take_integer_between(low, high, number) || !cursor.at_end())
    return low > 0 ? "not a positive integer" : "not a non-negative integer in range";
  value = number;
  return nullptr;
}

const char* read_word(const char* text, const char* names, int& value) {
  std::string_view rest = names;
  for (int position = 0; !rest.empty(); ++position) {
    std::string_view name = rest.substr(0, rest.find(' '));
    TextCursor cursor(text);
    if (cursor.take_prefix(name) && cursor.at_end()) {
      value = position;
      return nullptr;
    }
    rest.remove_prefix(name.size() < rest.size() ? name.size() + 1 : name.size());
  }
  return "not a value it may take";
}

const char* parse_display_env(const char* text, SettingsValues& values) {
  static constexpr const char* names[] = {"false", "true", "verbose"};
  TextCursor cursor(text);
  for (int i = 0; i < static_cast<int>(std::size(names)); ++i) {
    if (!cursor.take_prefix(names[i])) continue;
    values.display = static_cast<DisplayEnvironment>(i);
    values.used_instead = names[i];
    return cursor.at_end() ? nullptr : "something follows true, false or verbose";
  }
  return "not true, false or verbose";
}

// libgomp does not look at OMP_NESTED where OMP_MAX_ACTIVE_LEVELS is well given.
const char* parse_nested(const char* text, SettingsValues& values) {
  if (values.max_active_levels >= 0) return nullptr;
  bool nested = false;
  const char* error = read_boolean(text, nested);
  if (error == nullptr) values.nested = nested;
  return error;
}

const char* parse_thread_limit(const char* text, SettingsValues& values) {
  TextCursor cursor(text);
  std::int64_t limit = 0;
  if (!cursor.take_integer(limit) || limit < 1 || !cursor.at_end()) return "not a positive integer";
  values.thread_limit = limit;
  values.initial.thread_limit_var =
      static_cast<int>(std::min<std::int64_t>(limit, unlimited_threads));
  return nullptr;
}

const char* parse_num_threads(const char* text, SettingsValues& values) {
  auto take = [](TextCursor& cursor, int& threads) {
    return cursor.take_integer_between(1, std::numeric_limits<int>::max(), threads);
  };
  return read_list(text, values.nthreads.values, take)
             ? nullptr
             : "not a list of integers from 1 to 2147483647";
}

const char* parse_schedule(const char* text, SettingsValues& values) {
  TextCursor cursor(text);
  bool monotonic = cursor.take_word("monotonic");
  bool nonmonotonic = !monotonic && cursor.take_word("nonmonotonic");
  if ((monotonic || nonmonotonic) && !cursor.take(':')) return "a colon must follow the modifier";
  ScheduleKind kind = ScheduleKind::dynamic_schedule;
  // libomp's own kinds are libomp's programs' alone. static_steal: blocks, in any order.
  const bool steals = process_door() == Door::llvm && cursor.take_prefix("static_steal");
  if (!steals && !take_schedule_kind(cursor, kind)) return "not static, dynamic, guided or auto";
  static constexpr const char* used_if_wrong[] = {"static,1", "dynamic", "guided", "auto"};
  const auto number = static_cast<std::size_t>(kind) - 1;
  bool is_static = kind == ScheduleKind::static_schedule;
  Icvs& icvs = values.initial;
  icvs.run_sched_kind = kind;
  icvs.run_sched_given = true;
  icvs.run_sched_monotonic = monotonic || (is_static && !nonmonotonic);
  icvs.run_sched_says_monotonic = monotonic;
  icvs.run_sched_nonmonotonic = nonmonotonic || (steals && !monotonic);
  values.used_instead = number < std::size(used_if_wrong) ? used_if_wrong[number] : "trapezoidal";
  return take_chunk(cursor, is_static, icvs.run_sched_chunk);
}

const char* parse_proc_bind(const char* text, SettingsValues& values) {
  static constexpr ProcBind without_list[] = {ProcBind::none, ProcBind::any};
  bool any = false;
  if (read_boolean(text, any) == nullptr) {
    values.binds.values = {&without_list[any ? 1 : 0], 1};
    return nullptr;
  }
  return read_list(text, values.binds.values, take_bind_kind)
             ? nullptr
             : "not true, false or a list of primary, close and spread";
}

const char* parse_places_setting(const char* text, SettingsValues& values) {
  auto parsed = parse_places(text, *values.machine);
  if (values.refuses_binding())  // then only what is badly written is worth a word
    return parsed.ok() || parsed.error().code == well_written ? nullptr : parsed.error().message;
  if (!parsed.ok()) return parsed.error().message;
  ParsedPlaces& result = parsed.value();
  if (!result.abstract) return keep_usable_places(result.places, values, values.listed_places);
  values.listed_places = keep_places(std::move(result.places));
  return nullptr;
}

const char* parse_cpu_affinity_setting(const char* text, SettingsValues& values) {
  auto parsed = parse_cpu_affinity(text);
  if (!parsed.ok()) return parsed.error().message;
  values.cpu_affinity_text = keep_text(text);
  if (values.refuses_binding() || values.listed_places != nullptr) return nullptr;
  return keep_usable_places(parsed.value(), values, values.cpu_affinity);
}

const char* parse_wait_policy(const char* text, SettingsValues& values) {
  int position = 0;
  if (read_word(text, "active passive", position) != nullptr) return "neither active nor passive";
  values.global.wait_policy = position == 0 ? WaitPolicy::active : WaitPolicy::passive;
  return nullptr;
}

const char* parse_max_active_levels(const char* text, SettingsValues& values) {
  TextCursor cursor(text);
  std::int64_t levels = 0;
  if (!cursor.take_integer(levels) || levels < 0 || !cursor.at_end())
    return "not a non-negative integer";
  values.max_active_levels =
      static_cast<int>(std::min<std::int64_t>(levels, supported_active_levels));
  return nullptr;
}

const char* parse_affinity_format(const char* text, SettingsValues& values) {
  if (const char* error = check_affinity_format(text)) return error;
  values.global.affinity_format_given = true;
  values.global.affinity_format = keep_text(text);
  return nullptr;
}

const char* predefined_allocator_name(AllocatorHandle handle) {
  if (handle < 1 || handle > std::size(allocator_names)) return nullptr;
  return allocator_names[handle - 1];
}

const char* parse_allocator(const char* text, SettingsValues& values) {
  TextCursor cursor(text);
  for (std::size_t i = 0; i < std::size(allocator_names); ++i) {
    if (!cursor.take_word(allocator_names[i])) continue;
    if (!cursor.at_end()) break;
    values.initial.default_allocator = i + 1;
    return nullptr;
  }
  return "not the name of a predefined allocator";
}

const char* parse_target_offload(const char* text, SettingsValues& values) {
  int position = 0;
  if (read_word(text, "default mandatory disabled", position) != nullptr)
    return "not default, mandatory or disabled";
  values.global.target_offload = static_cast<TargetOffload>(position);
  return nullptr;
}

const char* parse_tls(const char* text, SettingsValues& values) {
  static constexpr const char* wrong = "not auto, 1, 2, 3 or thread";
  int position = 0;
  if (read_word(text, "auto thread", position) == nullptr) {
    values.runtime.tls = position == 0 ? TlsChoice::automatic : TlsChoice::thread;
    return nullptr;
  }
  if (read_integer(text, 1, 3, position) != nullptr) return wrong;
  values.runtime.tls = static_cast<TlsChoice>(position);
  return nullptr;
}

const char* parse_memory_policy(const char* text, SettingsValues& values) {
  RuntimeSettings& mine = values.runtime;
  constexpr std::string_view with_node = "node:";
  if (std::string_view(text).substr(0, with_node.size()) == with_node) {
    constexpr int most = 1023;  // as the kernel can have
    if (read_integer(text + with_node.size(), 0, most, mine.memory_node) != nullptr)
      return "node: is not followed by a node's number";
    mine.memory_placement = mem::Placement::node;
    return nullptr;
  }
  std::string_view rest = memory_words;
  for (int position = 0; !rest.empty(); ++position) {
    const std::string_view word = rest.substr(0, rest.find(' '));  // has a hyphen: no TextCursor
    const auto placement = static_cast<mem::Placement>(position);
    if (word == text && placement != mem::Placement::node) {
      mine.memory_placement = placement;
      return nullptr;
    }
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  return "not default, node:N, least-loaded, first-touch or interleaved";
}

namespace {

// What follows the comma: chunk, begin or end, chunk,begin or chunk,end.
const char* take_loop_details(TextCursor& cursor, int& chunk, bool& begin) {
  if (!cursor.next_is_letter()) {
    if (!cursor.take_integer_between(1, std::numeric_limits<int>::max(), chunk))
      return "the chunk size is not a positive integer";
    if (!cursor.take(',')) return nullptr;
  }
  begin = cursor.take_word("begin");
  return begin || cursor.take_word("end") ? nullptr : "neither begin nor end";
}

bool take_loop_division(TextCursor& cursor, count::LoopsAllowed& loops) {
  using count::LoopsAllowed;
  loops = LoopsAllowed::automatic;
  if (!cursor.take(':') || cursor.take_word("auto")) return true;
  loops = cursor.take_word("block") ? LoopsAllowed::block : LoopsAllowed::cyclic;
  return loops == LoopsAllowed::block || cursor.take_word("cyclic");
}

}  // namespace

// off, or affinity[:block|cyclic|auto][,chunk][,begin|end].
const char* parse_loop_affinity(const char* text, SettingsValues& values) {
  static constexpr const char* wrong =
      "not off or affinity[:block|cyclic|auto][,chunk][,begin|end]";
  TextCursor cursor(text);
  count::LoopsAllowed loops = count::LoopsAllowed::off;
  int chunk = 0;
  bool begin = false;
  if (!cursor.take_word("off")) {
    if (!cursor.take_word("affinity") || !take_loop_division(cursor, loops)) return wrong;
    if (cursor.take(','))
      if (const char* error = take_loop_details(cursor, chunk, begin)) return error;
  }
  if (!cursor.at_end()) return wrong;
  values.runtime.loops = loops;
  values.runtime.loop_chunk = chunk;
  values.runtime.loops_begin_alike = begin;
  return nullptr;
}

const char* parse_time_slice(const char* text, SettingsValues& values) {
  static constexpr const char* wrong = "not a number of milliseconds, or of microseconds with us";
  constexpr std::uint64_t most_us = 1'000'000'000'000;
  TextCursor cursor(text);
  std::uint64_t time = 0;
  if (!cursor.take_unsigned(time) || time == 0) return wrong;
  const bool is_micro = cursor.take_word("us");
  if (!is_micro) cursor.take_word("ms");
  if (!cursor.at_end()) return wrong;
  const std::uint64_t us = is_micro || time > most_us / 1000 ? time : time * 1000;
  values.runtime.time_slice_us = static_cast<std::int64_t>(std::min(us, most_us));
  return nullptr;
}

}  // namespace xylem::omp
