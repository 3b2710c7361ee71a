// Parsing the values of settings. The words and numbers are those of OpenMP 5.1, section 6, and of
// libgomp's manual.
#include "omp/setting_parsers.hpp"

#include <iterator>
#include <utility>

#include "base/report.hpp"
#include "omp/affinity_format.hpp"
#include "omp/places.hpp"

namespace xylem::omp {
namespace {

constexpr const char* allocator_names[] = {
    "omp_default_mem_alloc", "omp_large_cap_mem_alloc", "omp_const_mem_alloc",
    "omp_high_bw_mem_alloc", "omp_low_lat_mem_alloc",   "omp_cgroup_mem_alloc",
    "omp_pteam_mem_alloc",   "omp_thread_mem_alloc",
};

// A number that may be followed by one of `units`, each `step` times the one before; the first unit
// has the weight 1.
bool take_scaled(TextCursor& cursor, std::string_view units, std::uint64_t step,
                 std::size_t default_unit, std::uint64_t& value) {
  std::int64_t number = 0;
  if (!cursor.take_integer(number) || number < 0) return false;
  std::size_t unit = default_unit;
  for (std::size_t i = 0; i < units.size(); ++i) {
    char upper = static_cast<char>(units[i] - 'a' + 'A');
    if (!cursor.take(units[i]) && !cursor.take(upper)) continue;
    unit = i;
    break;
  }
  std::uint64_t result = static_cast<std::uint64_t>(number);
  for (; unit > 0; --unit)
    if (__builtin_mul_overflow(result, step, &result)) return false;
  value = result;
  return cursor.at_end();
}

// Places of the list that have usable processors; null when none has.
const PlaceList* usable_places(const char* variable, const PlaceList& listed,
                               const topo::Machine& machine) {
  PlaceList usable = resolve_places(listed, machine);
  if (usable.size() == 0) return nullptr;
  if (usable.size() < listed.size())
    base::warn("%s: %d of %d places have no processor that this process may use; left out",
               variable, listed.size() - usable.size(), listed.size());
  return keep_places(std::move(usable));
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
  if (cursor.take_word("static"))
    kind = ScheduleKind::static_schedule;
  else if (cursor.take_word("dynamic"))
    kind = ScheduleKind::dynamic_schedule;
  else if (cursor.take_word("guided"))
    kind = ScheduleKind::guided_schedule;
  else if (cursor.take_word("auto"))
    kind = ScheduleKind::auto_schedule;
  else
    return false;
  return true;
}

const char* const none_usable = "this process may use none of the processors";

}  // namespace

const char* read_boolean(const char* text, bool& value) {
  int position = 0;
  if (read_word(text, "false true", position) != nullptr) return "neither true nor false";
  value = position == 1;
  return nullptr;
}

const char* read_integer(const char* text, int low, int high, int& value) {
  TextCursor cursor(text);
  int number = 0;
  if (!cursor.take_integer_between(low, high, number) || !cursor.at_end())
    return low > 0 ? "not a positive integer" : "not a non-negative integer in range";
  value = number;
  return nullptr;
}

const char* read_size(const char* text, std::uint64_t& bytes) {
  TextCursor cursor(text);
  if (!take_scaled(cursor, "bkmg", 1024, 1, bytes)) return "not a size such as 512K or 4M";
  return nullptr;
}

const char* read_word(const char* text, const char* names, int& value) {
  std::string_view rest = names;
  for (int position = 0; !rest.empty(); ++position) {
    std::string_view name = rest.substr(0, rest.find(' '));
    TextCursor cursor(text);
    if (cursor.take_word(name) && cursor.at_end()) {
      value = position;
      return nullptr;
    }
    rest.remove_prefix(name.size() < rest.size() ? name.size() + 1 : name.size());
  }
  return "not a value it may take";
}

const char* parse_display_env(const char* text, SettingsValues& values) {
  int position = 0;
  if (read_word(text, "false true verbose", position) != nullptr)
    return "not true, false or verbose";
  values.display = static_cast<DisplayEnvironment>(position);
  return nullptr;
}

const char* parse_num_threads(const char* text, SettingsValues& values) {
  TextCursor cursor(text);
  ByLevel<int> list;
  do {
    if (list.count == most_levels_listed) return "more nesting levels than can be listed";
    int& next = list.values[static_cast<std::size_t>(list.count++)];
    if (!cursor.take_integer_between(1, std::numeric_limits<int>::max(), next))
      return "not a list of positive integers";
  } while (cursor.take(','));
  if (!cursor.at_end()) return "not a list of positive integers";
  values.nthreads = list;
  return nullptr;
}

const char* parse_schedule(const char* text, SettingsValues& values) {
  TextCursor cursor(text);
  bool monotonic = cursor.take_word("monotonic");
  bool nonmonotonic = !monotonic && cursor.take_word("nonmonotonic");
  if ((monotonic || nonmonotonic) && !cursor.take(':')) return "a colon must follow the modifier";
  ScheduleKind kind{};
  if (!take_schedule_kind(cursor, kind)) return "not static, dynamic, guided or auto";
  bool is_static = kind == ScheduleKind::static_schedule;
  int chunk = is_static ? 0 : 1;
  if (cursor.take(',')) {
    if (!cursor.take_integer_between(0, std::numeric_limits<int>::max(), chunk))
      return "the chunk size is not a non-negative integer";
    if (chunk == 0 && !is_static) chunk = 1;
  }
  if (!cursor.at_end()) return "something follows the schedule";
  values.initial.run_sched_kind = kind;
  values.initial.run_sched_chunk = chunk;
  values.initial.run_sched_monotonic = monotonic || (is_static && !nonmonotonic);
  return nullptr;
}

const char* parse_proc_bind(const char* text, SettingsValues& values) {
  static constexpr const char* wrong = "not true, false or a list of primary, close and spread";
  ByLevel<ProcBind> list;
  bool any = false;
  if (read_boolean(text, any) == nullptr) {
    list.values[0] = any ? ProcBind::any : ProcBind::none;
    list.count = 1;
    values.binds = list;
    return nullptr;
  }
  TextCursor cursor(text);
  do {
    if (list.count == most_levels_listed) return "more nesting levels than can be listed";
    if (!take_bind_kind(cursor, list.values[static_cast<std::size_t>(list.count++)])) return wrong;
  } while (cursor.take(','));
  if (!cursor.at_end()) return wrong;
  values.binds = list;
  return nullptr;
}

const char* parse_places_setting(const char* text, SettingsValues& values) {
  auto parsed = parse_places(text, *values.machine);
  if (!parsed.ok()) return parsed.error().message;
  ParsedPlaces& result = parsed.value();
  const PlaceList* places = result.abstract
                                ? keep_places(std::move(result.places))
                                : usable_places("OMP_PLACES", result.places, *values.machine);
  if (places == nullptr) return none_usable;
  values.listed_places = places;
  return nullptr;
}

const char* parse_cpu_affinity_setting(const char* text, SettingsValues& values) {
  auto parsed = parse_cpu_affinity(text);
  if (!parsed.ok()) return parsed.error().message;
  const PlaceList* places = usable_places("GOMP_CPU_AFFINITY", parsed.value(), *values.machine);
  if (places == nullptr) return none_usable;
  values.cpu_affinity = places;
  values.cpu_affinity_text = keep_text(text);
  return nullptr;
}

const char* parse_wait_policy(const char* text, SettingsValues& values) {
  int position = 0;
  if (read_word(text, "active passive", position) != nullptr) return "neither active nor passive";
  values.global.wait_policy = position == 0 ? WaitPolicy::active : WaitPolicy::passive;
  return nullptr;
}

const char* parse_max_active_levels(const char* text, SettingsValues& values) {
  int levels = 0;
  const char* error = read_integer(text, 0, std::numeric_limits<int>::max(), levels);
  if (error != nullptr) return error;
  values.max_active_levels = levels < supported_active_levels ? levels : supported_active_levels;
  return nullptr;
}

const char* parse_affinity_format(const char* text, SettingsValues& values) {
  if (const char* error = check_affinity_format(text)) return error;
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

const char* parse_spin_count(const char* text, SettingsValues& values) {
  int position = 0;
  std::uint64_t count = std::numeric_limits<std::uint64_t>::max();
  if (read_word(text, "infinite infinity", position) != nullptr) {
    TextCursor cursor(text);
    // The empty unit of weight 1 has no letter, so 'b' stands in; libgomp has none either.
    if (!take_scaled(cursor, "bkmgt", 1000, 0, count)) return "not a number of turns or infinite";
  }
  values.global.spin_count = count;
  values.spin_count_given = true;
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

const char* parse_spin(const char* text, SettingsValues& values) {
  TextCursor cursor(text);
  std::int64_t turns = 0;
  if (!cursor.take_integer(turns) || turns < 0 || !cursor.at_end()) return "not a number of turns";
  values.runtime.spin = turns;
  return nullptr;
}

}  // namespace xylem::omp
