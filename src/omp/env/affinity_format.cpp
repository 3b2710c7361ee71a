// Expanding affinity formats.
#include "omp/env/affinity_format.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace xylem::omp {
namespace {

struct FieldName {
  char type;
  std::string_view long_name;
};

constexpr FieldName field_names[] = {
    {'t', "team_num"},
    {'T', "num_teams"},
    {'L', "nesting_level"},
    {'n', "thread_num"},
    {'N', "num_threads"},
    {'a', "ancestor_tnum"},
    {'H', "host"},
    {'P', "process_id"},
    {'i', "native_thread_id"},
    {'A', "thread_affinity"},
};

constexpr std::size_t largest_width = 1u << 20;
constexpr char undefined = 0;  // the type of a field that LLVM's programs see as this word

struct Field {
  char type = undefined;
  bool zeros = false;
  bool right = false;
  std::size_t width = 0;
};

// Counts everything, stores what fits.
class Output {
 public:
  Output(char* buffer, std::size_t room) : buffer_(buffer), room_(room) {}

  void add(std::string_view text) {
    if (length_ < room_)
      std::memcpy(buffer_ + length_, text.data(), std::min(text.size(), room_ - length_));
    length_ += text.size();
  }
  void fill(char c, std::size_t count) {
    if (length_ < room_) std::memset(buffer_ + length_, c, std::min(count, room_ - length_));
    length_ += count;
  }
  std::size_t finish() {
    if (room_ > 0) buffer_[std::min(length_, room_ - 1)] = '\0';
    return length_;
  }
  std::size_t length() const { return length_; }

 private:
  char* buffer_;
  std::size_t room_;
  std::size_t length_ = 0;
};

void add_number(Output& out, long number) {
  char digits[24];
  char* end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.add({digits, static_cast<std::size_t>(end - digits)});
}

void add_ranges(Output& out, std::span<const int> numbers) {
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (i > 0) out.add(",");
    add_number(out, numbers[i]);
    if (last > i) {
      out.add("-");
      add_number(out, numbers[last]);
    }
    i = last + 1;
  }
}

bool is_number(char type) { return type != 'H' && type != 'A' && type != undefined; }

long number_of(char type, const AffinityFields& fields) {
  switch (type) {
    case 't':
      return fields.team_num;
    case 'T':
      return fields.num_teams;
    case 'L':
      return fields.nesting_level;
    case 'n':
      return fields.thread_num;
    case 'N':
      return fields.num_threads;
    case 'a':
      return fields.ancestor_thread_num;
    case 'P':
      return fields.process_id;
    default:
      return fields.native_thread_id;
  }
}

void add_value(Output& out, char type, const AffinityFields& fields) {
  if (type == 'H')
    out.add(fields.host);
  else if (type == 'A')
    add_ranges(out, fields.os_indices);
  else if (type == undefined)
    out.add("undefined");
  else
    add_number(out, number_of(type, fields));
}

void add_field(Output& out, const Field& field, const AffinityFields& fields) {
  Output measure(nullptr, 0);
  add_value(measure, field.type, fields);
  std::size_t padding = field.width > measure.length() ? field.width - measure.length() : 0;
  if (!field.right) {
    add_value(out, field.type, fields);
    out.fill(' ', padding);
    return;
  }
  if (!field.zeros || !is_number(field.type)) {
    out.fill(' ', padding);
    return add_value(out, field.type, fields);
  }
  long number = number_of(field.type, fields);
  if (number < 0) out.add("-");
  out.fill('0', padding);
  add_number(out, number < 0 ? -number : number);
}

char type_of(std::string_view long_name) {
  for (const FieldName& name : field_names)
    if (name.long_name == long_name) return name.type;
  return undefined;
}

char known_type(char type) {
  for (const FieldName& name : field_names)
    if (name.type == type) return type;
  return undefined;
}

const char* take_type(std::string_view& rest, char& type, Door door) {
  if (rest.empty()) return "the affinity format ends inside a field";
  const bool is_long = rest.front() == '{';
  const std::size_t close = is_long ? rest.find('}') : 0;
  if (close == std::string_view::npos) return "a long name in the affinity format has no end";
  type = is_long ? type_of(rest.substr(1, close - 1)) : known_type(rest.front());
  if (type == undefined && door == Door::gnu)
    return is_long ? "the affinity format has an unknown long name"
                   : "the affinity format has a field of unknown type";
  rest.remove_prefix(close + 1);
  return nullptr;
}

// Reads what follows a '%'. `rest` is moved on only on success.
const char* take_field(std::string_view& rest, Field& field, Door door) {
  std::string_view text = rest;
  auto take = [&text](char c) {
    if (text.empty() || text.front() != c) return false;
    text.remove_prefix(1);
    return true;
  };
  Field parsed;
  parsed.zeros = take('0');
  parsed.right = take('.');
  if (parsed.zeros && !parsed.right && door == Door::gnu)
    return "a leading zero in the affinity format needs a point";
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed.width);
  if (error == std::errc{}) {
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (parsed.width > largest_width) return "a width in the affinity format is too large";
  } else if (error == std::errc::result_out_of_range) {
    return "a width in the affinity format is too large";
  } else if (parsed.right) {
    return "justification in the affinity format needs a width";
  }
  if (const char* wrong = take_type(text, parsed.type, door)) return wrong;
  rest = text;
  field = parsed;
  return nullptr;
}

}  // namespace

const char* check_affinity_format(std::string_view format, Door door) {
  Field field;
  for (std::size_t at; (at = format.find('%')) != std::string_view::npos;) {
    format.remove_prefix(at + 1);
    if (!format.empty() && format.front() == '%')
      format.remove_prefix(1);
    else if (const char* error = take_field(format, field, door))
      return error;
  }
  return nullptr;
}

std::size_t expand_affinity_format(char* buffer, std::size_t room, std::string_view format,
                                   const AffinityFields& fields, Door door) {
  Output out(buffer, room);
  Field field;
  for (;;) {
    std::size_t at = format.find('%');
    out.add(format.substr(0, at));
    if (at == std::string_view::npos) return out.finish();
    format.remove_prefix(at + 1);
    if (!format.empty() && format.front() == '%') {
      out.add("%");
      format.remove_prefix(1);
    } else if (take_field(format, field, door) == nullptr) {
      add_field(out, field, fields);
    } else {
      out.add("%");
    }
  }
}

}  // namespace xylem::omp
