// Owns: a record of the trace, as it stands in rings and files: when, what, arguments.
#pragma once

#include "trace/events.hpp"

namespace xylem::trace {

inline constexpr int kind_bits = 8;

struct Record {
  uint64_t when_and_kind;  // ticks since the trace's start << kind_bits | kind
  uint64_t words[3];       // arguments, packed as the table says

  uint64_t ticks() const { return when_and_kind >> kind_bits; }
  unsigned kind() const { return when_and_kind & ((1u << kind_bits) - 1); }
};
static_assert(sizeof(Record) == 32 && event_count < 1u << kind_bits);

inline constexpr uint64_t low_bits(int bits) {
  return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

// An argument as it is handed over: any integer, or a Reason.
template <typename Value>
constexpr uint64_t as_word(Value value) {
  return static_cast<uint64_t>(value);
}

// A record without its time. The arguments are those of the event's row, in its order.
template <Kind kind, typename... Values>
constexpr Record make_record(Values... values) {
  constexpr const Event& row = events[kind];
  constexpr auto places = places_of(row);
  constexpr size_t count = sizeof...(Values);
  static_assert(count <= most_arguments && row.arguments[count - 1] != Role::none &&
                    (count == most_arguments || row.arguments[count] == Role::none),
                "not as many arguments as the event's row has");
  Record record{kind, {0, 0, 0}};
  size_t index = 0;
  const auto put = [&](uint64_t value) {
    const Place place = places[static_cast<size_t>(events[kind].arguments[index++])];
    record.words[place.word] |= (value & low_bits(place.bits)) << place.shift;
  };
  (put(as_word(values)), ...);
  return record;
}

// For readers: places by kind and Role.
inline constexpr auto all_places = [] {
  std::array<std::array<Place, std::size(roles)>, event_count> all{};
  for (size_t kind = 0; kind < event_count; ++kind) all[kind] = places_of(events[kind]);
  return all;
}();

// The argument, or -1 if the record's event has none such. The record's kind must be in the table.
inline int64_t argument(const Record& record, Role role) {
  const Place place = all_places[record.kind()][static_cast<size_t>(role)];
  if (place.bits == 0) return -1;
  return static_cast<int64_t>((record.words[place.word] >> place.shift) & low_bits(place.bits));
}

}  // namespace xylem::trace
