// Parsers of settings whose numbers may have a unit: sizes of stacks and turns of spinning.
#include <cstdint>
#include <limits>
#include <string_view>

#include "omp/env/setting_parsers.hpp"

namespace xylem::omp {
namespace {

// Position in `units` of the letter that comes next, in either case; `none` if it is none of them.
int take_unit_or(int none, TextCursor& cursor, std::string_view units) {
  for (std::size_t i = 0; i < units.size(); ++i) {
    char upper = static_cast<char>(units[i] - 'a' + 'A');
    if (cursor.take(units[i]) || cursor.take(upper)) return static_cast<int>(i);
  }
  return none;
}

// Multiplies by step^times; false on overflow.
bool scale(std::uint64_t& value, std::uint64_t step, int times) {
  for (; times > 0; --times)
    if (__builtin_mul_overflow(value, step, &value)) return false;
  return true;
}

constexpr int in_bytes = 0, in_kilobytes = 1;
enum class LongUnits : bool { no, yes };  // MB besides M

// `unit`: of a number without one, a position in "bkmg".
bool read_size(const char* text, std::uint64_t& bytes, int unit, LongUnits may_be_long) {
  TextCursor cursor(text);
  if (!cursor.take_unsigned(bytes)) return false;
  const int given = take_unit_or(-1, cursor, "bkmg");
  if (may_be_long == LongUnits::yes && given > in_bytes) take_unit_or(0, cursor, "b");
  return scale(bytes, 1024, given < 0 ? unit : given) && cursor.at_end();
}

const char* read_stack_size(const char* text, SettingsValues& values, int unit = in_kilobytes,
                            LongUnits may_be_long = LongUnits::no) {
  std::uint64_t bytes = 0;
  if (!read_size(text, bytes, unit, may_be_long)) return "not a size such as 512K or 4M";
  if (bytes > largest_stack_size) return "more than the address space has room for";
  values.shown_stack_size = bytes;
  values.stack_size_given = true;
  if (bytes < least_stack_size) return "less than the minimum of 16K";
  values.global.stack_size = static_cast<std::size_t>(bytes);
  return nullptr;
}

}  // namespace

const char* parse_stack_size(const char* text, SettingsValues& values) {
  return read_stack_size(text, values);
}

const char* parse_gomp_stack_size(const char* text, SettingsValues& values) {
  return values.stack_size_given ? nullptr : read_stack_size(text, values);
}

const char* parse_device_memory(const char* text, SettingsValues& values) {
  std::uint64_t bytes = 0;
  if (!read_size(text, bytes, in_bytes, LongUnits::no)) return "not a size such as 512M or 4G";
  values.runtime.device_memory = static_cast<std::size_t>(bytes);
  return nullptr;
}

// Bytes are meant where there is no unit.
const char* parse_kmp_stack_size(const char* text, SettingsValues& values) {
  return values.stack_size_given ? nullptr
                                 : read_stack_size(text, values, in_bytes, LongUnits::yes);
}

const char* parse_spin_count(const char* text, SettingsValues& values) {
  constexpr std::uint64_t infinite = std::numeric_limits<std::uint64_t>::max();
  int position = 0;
  std::uint64_t count = infinite;
  if (read_word(text, "infinite infinity", position) != nullptr) {
    TextCursor cursor(text);
    if (!cursor.take_unsigned(count)) return "not a number of turns or infinite";
    if (!scale(count, 1000, take_unit_or(-1, cursor, "kmgt") + 1)) count = infinite;
    if (!cursor.at_end()) return "not a number of turns or infinite";
  }
  values.global.spin_count = count;
  values.global.spin_count_given = true;
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
