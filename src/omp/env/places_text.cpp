// Reading the text of OMP_PLACES and GOMP_CPU_AFFINITY. Owns their grammar, which is libgomp's
// where OpenMP leaves it open.
#include <algorithm>
#include <utility>

#include "omp/env/places.hpp"
#include "omp/env/text_cursor.hpp"
#include "os/cpus.hpp"
#include "topo/machine.hpp"

namespace xylem::omp {
namespace {

// A list like {0:8192}:65535:0 must not eat the memory.
constexpr std::size_t most_numbers_in_all = 1u << 22;

using Processors = std::vector<int>;

const char* const bad_syntax = "not a list of places";
const char* const out_of_range = "a processor number is out of range";
const char* const not_positive = "the number of places in parentheses is not a positive integer";

// The optional ":length:stride" after a processor or a place.
struct Interval {
  int length = 1;
  int stride = 1;
};

// A reader of one explicit list; processor numbers are below `limit`. What returns text returns
// null, or the reason why the list is wrong.
struct ListReader {
  TextCursor cursor;
  int limit;

  const char* take_number(int& number);
  const char* take_interval(int most, Interval& interval);
  const char* take_resource(Processors& out, Processors& excluded);
  const char* take_place(Processors& out);
  const char* take_place_interval(PlaceList& out);
  const char* add_range(int first, Interval interval, Processors& out) const;
  const char* add_places(const Processors& first, Interval interval, PlaceList& out) const;
};

const char* ListReader::take_number(int& number) {
  std::int64_t given = 0;
  if (!cursor.take_integer(given)) return bad_syntax;
  if (given < 0 || given >= limit) return out_of_range;
  number = static_cast<int>(given);
  return nullptr;
}

const char* ListReader::take_interval(int most, Interval& interval) {
  if (!cursor.take(':')) return nullptr;
  if (!cursor.take_integer_between(1, most, interval.length)) return bad_syntax;
  if (!cursor.take(':')) return nullptr;
  bool taken = cursor.take_integer_between(-most_processors, most_processors, interval.stride);
  return taken ? nullptr : bad_syntax;
}

const char* ListReader::add_range(int first, Interval interval, Processors& out) const {
  for (int i = 0; i < interval.length; ++i) {
    long number = first + static_cast<long>(i) * interval.stride;
    if (number < 0 || number >= limit) return out_of_range;
    out.push_back(static_cast<int>(number));
  }
  return nullptr;
}

const char* remove_all(const Processors& excluded, Processors& from) {
  for (int number : excluded)
    if (std::find(from.begin(), from.end(), number) == from.end())
      return "a processor to be excluded is not in its place";
  auto is_excluded = [&excluded](int number) {
    return std::find(excluded.begin(), excluded.end(), number) != excluded.end();
  };
  from.erase(std::remove_if(from.begin(), from.end(), is_excluded), from.end());
  return nullptr;
}

// One item between braces: number, number:length:stride or !number.
const char* ListReader::take_resource(Processors& out, Processors& excluded) {
  bool exclude = cursor.take('!');
  int first = 0;
  if (const char* error = take_number(first)) return error;
  if (exclude) {
    excluded.push_back(first);
    return nullptr;
  }
  Interval interval;
  if (const char* error = take_interval(most_processors, interval)) return error;
  return add_range(first, interval, out);
}

// {resources} or a lone number. What is excluded may stand before what it is taken out of.
const char* ListReader::take_place(Processors& out) {
  if (!cursor.take('{')) {
    int number = 0;
    if (const char* error = take_number(number)) return error;
    out.push_back(number);
    return nullptr;
  }
  Processors excluded;
  do {
    if (const char* error = take_resource(out, excluded)) return error;
  } while (cursor.take(','));
  if (!cursor.take('}')) return bad_syntax;
  if (const char* error = remove_all(excluded, out)) return error;
  return out.empty() ? "a place is empty" : nullptr;
}

const char* ListReader::add_places(const Processors& first, Interval interval,
                                   PlaceList& out) const {
  Processors shifted(first.size());
  for (int i = 0; i < interval.length; ++i) {
    for (std::size_t j = 0; j < first.size(); ++j) {
      long number = first[j] + static_cast<long>(i) * interval.stride;
      if (number < 0 || number >= limit) return out_of_range;
      shifted[j] = static_cast<int>(number);
    }
    if (out.size() >= most_places || out.total() + first.size() > most_numbers_in_all)
      return "too many places";
    out.add(shifted);
  }
  return nullptr;
}

// place, place:length:stride or !place.
const char* ListReader::take_place_interval(PlaceList& out) {
  bool exclude = cursor.take('!');
  Processors first;
  if (const char* error = take_place(first)) return error;
  if (exclude) return out.remove(first) ? nullptr : "a place to be excluded is not in the list";
  Interval interval;
  if (const char* error = take_interval(most_places, interval)) return error;
  return add_places(first, interval, out);
}

base::Error wrong(const char* message) {
  return {message, message == bad_syntax ? 0 : well_written};
}

bool take_unit(TextCursor& cursor, PlaceUnit& unit) {
  static constexpr std::pair<const char*, PlaceUnit> names[] = {
      {"threads", PlaceUnit::threads},           {"cores", PlaceUnit::cores},
      {"ll_caches", PlaceUnit::ll_caches},       {"sockets", PlaceUnit::sockets},
      {"numa_domains", PlaceUnit::numa_domains},
  };
  for (auto [name, meaning] : names) {
    if (!cursor.take_word(name)) continue;
    unit = meaning;
    return true;
  }
  return false;
}

int processor_limit(const topo::Machine& machine) {
  return machine.synthetic() ? most_processors
                             : std::min(os::affinity_mask_bits(), most_processors);
}

base::Result<ParsedPlaces> parse_abstract(TextCursor cursor, const topo::Machine& machine) {
  PlaceUnit unit{};
  int count = most_places;
  if (!take_unit(cursor, unit))
    return base::Error{"not threads, cores, ll_caches, sockets, numa_domains or a list of places"};
  bool counted = cursor.take('(');
  if (counted && (!cursor.take_integer_between(0, 0x7fffffff, count) || !cursor.take(')')))
    return base::Error{not_positive};
  if (!cursor.at_end()) return base::Error{"something follows the name of the places"};
  if (count == 0) return wrong(not_positive);
  return ParsedPlaces{places_of_machine(machine, unit, count), true};
}

}  // namespace

base::Result<PlaceList> parse_explicit_places(std::string_view text, int limit) {
  ListReader reader{TextCursor(text), limit};
  PlaceList places;
  do {
    if (const char* error = reader.take_place_interval(places)) return wrong(error);
  } while (reader.cursor.take(','));
  if (!reader.cursor.at_end()) return wrong(bad_syntax);
  if (places.size() == 0) return wrong("no place is left");
  return places;
}

base::Result<ParsedPlaces> parse_places(std::string_view text, const topo::Machine& machine) {
  TextCursor cursor(text);
  if (cursor.next_is_letter()) return parse_abstract(cursor, machine);
  auto list = parse_explicit_places(text, processor_limit(machine));
  if (!list.ok()) return list.error();
  return ParsedPlaces{std::move(list.value()), false};
}

base::Result<PlaceList> parse_cpu_affinity(std::string_view text) {
  static constexpr base::Error wrong{"not a list of processors and ranges"};
  TextCursor cursor(text);
  PlaceList places;
  for (bool more = true; more;) {
    int first = 0, stride = 1;
    if (!cursor.take_integer_between(0, most_processors - 1, first)) return wrong;
    int last = first;
    if (cursor.take_adjacent('-')) {
      if (!cursor.take_integer_between(first, most_processors - 1, last)) return wrong;
      if (cursor.take_adjacent(':') && !cursor.take_integer_between(1, most_processors, stride))
        return wrong;
    }
    for (int number = first; number <= last; number += stride) {
      if (places.size() >= most_places) return base::Error{"too many places"};
      places.add(std::span<const int>(&number, 1));
    }
    more = cursor.take(',') || !cursor.at_end();
  }
  return places;
}

}  // namespace xylem::omp
