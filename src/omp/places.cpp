// Parsing places and making them from the machine.
#include "omp/places.hpp"

#include <algorithm>
#include <utility>

#include "omp/text_cursor.hpp"
#include "topo/machine.hpp"

namespace xylem::omp {
namespace {

// A list like {0:8192}:65535:0 must not eat the memory.
constexpr std::size_t most_numbers_in_all = 1u << 22;

using Processors = std::vector<int>;

const char* const bad_syntax = "not a list of places";
const char* const out_of_range = "a processor number is out of range";

// The optional ":length:stride" after a processor or a place.
struct Interval {
  int length = 1;
  int stride = 1;
};

bool take_interval(TextCursor& cursor, int most, Interval& interval) {
  if (!cursor.take(':')) return true;
  if (!cursor.take_integer_between(1, most, interval.length)) return false;
  if (!cursor.take(':')) return true;
  return cursor.take_integer_between(-most_processors, most_processors, interval.stride);
}

const char* add_range(int first, Interval interval, Processors& out) {
  for (int i = 0; i < interval.length; ++i) {
    long number = first + static_cast<long>(i) * interval.stride;
    if (number < 0 || number >= most_processors) return out_of_range;
    out.push_back(static_cast<int>(number));
  }
  return nullptr;
}

const char* remove_one(TextCursor& cursor, Processors& from) {
  int number = 0;
  if (!cursor.take_integer_between(0, most_processors - 1, number)) return bad_syntax;
  auto end = std::remove(from.begin(), from.end(), number);
  if (end == from.end()) return "a processor to be excluded is not in its place";
  from.erase(end, from.end());
  return nullptr;
}

// One item between braces: number, number:length:stride or !number.
const char* take_resource(TextCursor& cursor, Processors& out) {
  if (cursor.take('!')) return remove_one(cursor, out);
  int first = 0;
  Interval interval;
  if (!cursor.take_integer_between(0, most_processors - 1, first)) return bad_syntax;
  if (!take_interval(cursor, most_processors, interval)) return bad_syntax;
  return add_range(first, interval, out);
}

// {resources} or a lone number.
const char* take_place(TextCursor& cursor, Processors& out) {
  if (!cursor.take('{')) {
    int number = 0;
    if (!cursor.take_integer_between(0, most_processors - 1, number)) return bad_syntax;
    out.push_back(number);
    return nullptr;
  }
  do {
    if (const char* error = take_resource(cursor, out)) return error;
  } while (cursor.take(','));
  if (!cursor.take('}')) return bad_syntax;
  return out.empty() ? "a place is empty" : nullptr;
}

const char* add_places(const Processors& first, Interval interval, PlaceList& out) {
  Processors shifted(first.size());
  for (int i = 0; i < interval.length; ++i) {
    for (std::size_t j = 0; j < first.size(); ++j) {
      long number = first[j] + static_cast<long>(i) * interval.stride;
      if (number < 0 || number >= most_processors) return out_of_range;
      shifted[j] = static_cast<int>(number);
    }
    if (out.size() >= most_places || out.total() + first.size() > most_numbers_in_all)
      return "too many places";
    out.add(shifted);
  }
  return nullptr;
}

// place, place:length:stride or !place.
const char* take_place_interval(TextCursor& cursor, PlaceList& out) {
  bool exclude = cursor.take('!');
  Processors first;
  if (const char* error = take_place(cursor, first)) return error;
  if (exclude) return out.remove(first) ? nullptr : "a place to be excluded is not in the list";
  Interval interval;
  if (!take_interval(cursor, most_places, interval)) return bad_syntax;
  return add_places(first, interval, out);
}

// Nearest level above a PU, in the full tree, of one kind; of caches the outermost. -1 if none.
int level_above(const topo::Machine& machine, int pu, topo::LevelKind kind) {
  auto levels = machine.full_levels();
  int found = -1;
  for (int i = machine.pus()[static_cast<std::size_t>(pu)].full_level; i >= 0;
       i = levels[static_cast<std::size_t>(i)].parent) {
    if (levels[static_cast<std::size_t>(i)].kind != kind) continue;
    found = i;
    if (kind != topo::LevelKind::cache) break;
  }
  return found;
}

// PUs with equal keys share a place.
int place_key(const topo::Machine& machine, PlaceUnit unit, int pu) {
  int key = -1;
  switch (unit) {
    case PlaceUnit::threads:
      return pu;
    case PlaceUnit::cores:
      key = level_above(machine, pu, topo::LevelKind::core);
      return key >= 0 ? key : -2 - pu;  // no cores known: each PU is one
    case PlaceUnit::ll_caches:
      key = level_above(machine, pu, topo::LevelKind::cache);
      return key >= 0 ? key : level_above(machine, pu, topo::LevelKind::package);
    case PlaceUnit::sockets:
      return level_above(machine, pu, topo::LevelKind::package);
    case PlaceUnit::numa_domains:
      return machine.pu_node(pu);
  }
  return key;
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

base::Result<ParsedPlaces> parse_abstract(TextCursor cursor, const topo::Machine& machine) {
  PlaceUnit unit{};
  int count = most_places;
  if (!take_unit(cursor, unit))
    return base::Error{"not threads, cores, ll_caches, sockets, numa_domains or a list of places"};
  if (cursor.take('(')) {
    if (!cursor.take_integer_between(1, 0x7fffffff, count) || !cursor.take(')'))
      return base::Error{"the number of places in parentheses is not a positive integer"};
  }
  if (!cursor.at_end()) return base::Error{"something follows the name of the places"};
  return ParsedPlaces{places_of_machine(machine, unit, count), true};
}

}  // namespace

std::span<const int> PlaceList::place(int index) const {
  std::size_t i = static_cast<std::size_t>(index);
  std::size_t end = i + 1 < starts_.size() ? starts_[i + 1] : processors_.size();
  return {processors_.data() + starts_[i], end - starts_[i]};
}

void PlaceList::add(std::span<const int> processors) {
  if (processors.empty()) return;
  std::size_t start = processors_.size();
  processors_.insert(processors_.end(), processors.begin(), processors.end());
  auto first = processors_.begin() + static_cast<std::ptrdiff_t>(start);
  std::sort(first, processors_.end());
  processors_.erase(std::unique(first, processors_.end()), processors_.end());
  starts_.push_back(start);
}

bool PlaceList::remove(std::span<const int> processors) {
  PlaceList wanted;
  wanted.add(processors);
  if (wanted.size() == 0) return false;
  std::span<const int> gone = wanted.place(0);
  for (int i = size() - 1; i >= 0; --i) {
    std::span<const int> here = place(i);
    if (!std::equal(here.begin(), here.end(), gone.begin(), gone.end())) continue;
    auto first =
        processors_.begin() + static_cast<std::ptrdiff_t>(starts_[static_cast<std::size_t>(i)]);
    processors_.erase(first, first + static_cast<std::ptrdiff_t>(gone.size()));
    starts_.erase(starts_.begin() + i);
    for (std::size_t j = static_cast<std::size_t>(i); j < starts_.size(); ++j)
      starts_[j] -= gone.size();
    return true;
  }
  return false;
}

PlaceList places_of_machine(const topo::Machine& machine, PlaceUnit unit, int at_most) {
  std::vector<int> keys(static_cast<std::size_t>(machine.pu_count()));
  for (int pu = 0; pu < machine.pu_count(); ++pu)
    keys[static_cast<std::size_t>(pu)] = place_key(machine, unit, pu);
  std::vector<int> order = keys;  // distinct keys in the order of their first PU
  std::size_t distinct = 0;
  for (int key : keys)
    if (std::find(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(distinct), key) ==
        order.begin() + static_cast<std::ptrdiff_t>(distinct))
      order[distinct++] = key;
  PlaceList places;
  for (std::size_t i = 0; i < distinct && places.size() < at_most; ++i) {
    std::vector<int> members;
    for (int pu = 0; pu < machine.pu_count(); ++pu)
      if (keys[static_cast<std::size_t>(pu)] == order[i]) members.push_back(pu);
    places.add(members);
  }
  return places;
}

base::Result<PlaceList> parse_explicit_places(std::string_view text) {
  TextCursor cursor(text);
  PlaceList places;
  do {
    if (const char* error = take_place_interval(cursor, places)) return base::Error{error};
  } while (cursor.take(','));
  if (!cursor.at_end()) return base::Error{bad_syntax};
  if (places.size() == 0) return base::Error{"no place is left"};
  return places;
}

base::Result<ParsedPlaces> parse_places(std::string_view text, const topo::Machine& machine) {
  TextCursor cursor(text);
  if (cursor.next_is_letter()) return parse_abstract(cursor, machine);
  auto list = parse_explicit_places(text);
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
    if (cursor.take('-')) {
      if (!cursor.take_integer_between(first, most_processors - 1, last)) return wrong;
      if (cursor.take(':') && !cursor.take_integer_between(1, most_processors, stride))
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

PlaceList resolve_places(const PlaceList& by_os_index, const topo::Machine& machine) {
  PlaceList resolved;
  std::vector<int> pus;
  for (int i = 0; i < by_os_index.size(); ++i) {
    pus.clear();
    for (int number : by_os_index.place(i)) {
      int pu = machine.pu_of_os_index(number);
      if (pu >= 0) pus.push_back(pu);
    }
    resolved.add(pus);
  }
  return resolved;
}

void os_indices_of(const topo::Machine& machine, std::span<const int> pus,
                   std::vector<int>& os_indices) {
  os_indices.clear();
  for (int pu : pus) os_indices.push_back(machine.pu_os_index(pu));
  std::sort(os_indices.begin(), os_indices.end());
}

}  // namespace xylem::omp
