// KMP_AFFINITY: reading it, and the order of places that its types mean.
#include "omp/env/kmp_affinity.hpp"

#include <algorithm>
#include <utility>

#include "omp/env/text_cursor.hpp"
#include "topo/machine.hpp"

namespace xylem::omp {
namespace {

using Type = KmpAffinity::Type;
constexpr base::Error bad_list{"proclist is not a list such as [0,2-6:2,{1,3}]"};
constexpr base::Error bad_text{
    "not none, compact, scatter, balanced or explicit, with modifiers before and numbers behind"};

bool take_type(TextCursor& cursor, Type& type, bool& permutes) {
  static constexpr std::pair<const char*, Type> names[] = {
      {"none", Type::none},         {"disabled", Type::none},   {"compact", Type::compact},
      {"logical", Type::compact},   {"scatter", Type::scatter}, {"physical", Type::scatter},
      {"balanced", Type::balanced}, {"explicit", Type::listed},
  };
  for (auto [name, meaning] : names) {
    if (!cursor.take_word(name)) continue;
    type = meaning;
    permutes = name[0] != 'l' && name[0] != 'p';
    return true;
  }
  return false;
}

bool take_unit(TextCursor& cursor, PlaceUnit& unit) {
  static constexpr std::pair<const char*, PlaceUnit> names[] = {
      {"fine", PlaceUnit::threads},
      {"thread", PlaceUnit::threads},
      {"core", PlaceUnit::cores},
      {"tile", PlaceUnit::cores},
      {"ll_cache", PlaceUnit::ll_caches},
      {"socket", PlaceUnit::sockets},
      {"package", PlaceUnit::sockets},
      {"die", PlaceUnit::sockets},
      {"numa_domain", PlaceUnit::numa_domains},
      {"node", PlaceUnit::numa_domains},
  };
  for (auto [name, meaning] : names) {
    if (!cursor.take_word(name)) continue;
    unit = meaning;
    return true;
  }
  return false;
}

// What changes nothing here: the process's mask is always respected, and warnings are.
bool take_idle_modifier(TextCursor& cursor) {
  for (const char* name : {"respect", "norespect", "warnings", "nowarnings", "noverbose", "noreset",
                           "duplicates", "noduplicates"})
    if (cursor.take_word(name)) return true;
  return false;
}

bool take_processor(TextCursor& cursor, int& number) {
  return cursor.take_integer_between(0, most_processors - 1, number);
}

// {a,b,...}: one place.
bool take_set(TextCursor& cursor, PlaceList& out) {
  std::vector<int> set;
  do {
    int number = 0;
    if (!take_processor(cursor, number)) return false;
    set.push_back(number);
  } while (cursor.take(','));
  out.add(set);
  return cursor.take('}');
}

// a, a-b or a-b:stride: a place each.
bool take_range(TextCursor& cursor, PlaceList& out) {
  int first = 0, stride = 1;
  if (!take_processor(cursor, first)) return false;
  int last = first;
  if (cursor.take('-')) {
    if (!take_processor(cursor, last)) return false;
    if (cursor.take(':') && !cursor.take_integer_between(1, most_processors, stride)) return false;
  }
  for (int number = first; number <= last && out.size() < most_places; number += stride)
    out.add(std::span<const int>(&number, 1));
  return true;
}

bool take_list(TextCursor& cursor, PlaceList& out) {
  if (!cursor.take('=') || !cursor.take('[')) return false;
  do {
    if (cursor.take('{') ? !take_set(cursor, out) : !take_range(cursor, out)) return false;
  } while (cursor.take(','));
  return cursor.take(']');
}

// Position of each PU among its siblings at every level, outermost first.
std::vector<std::vector<int>> paths_of(const topo::Machine& machine) {
  const auto levels = machine.levels();
  std::vector<std::vector<int>> paths(static_cast<std::size_t>(machine.pu_count()));
  std::size_t deepest = 0;
  for (int pu = 0; pu < machine.pu_count(); ++pu) {
    std::vector<int>& path = paths[static_cast<std::size_t>(pu)];
    for (int at = machine.pu_level(pu); levels[static_cast<std::size_t>(at)].parent >= 0;
         at = levels[static_cast<std::size_t>(at)].parent) {
      const int parent = levels[static_cast<std::size_t>(at)].parent;
      path.push_back(at - levels[static_cast<std::size_t>(parent)].first_child);
    }
    std::reverse(path.begin(), path.end());
    deepest = std::max(deepest, path.size());
  }
  for (std::vector<int>& path : paths) path.resize(deepest, 0);
  return paths;
}

// The PUs in the order of threads: by the `inner_first` innermost levels from the inside, then by
// the others from the outside.
std::vector<int> ordered_pus(const topo::Machine& machine, const KmpAffinity& affinity) {
  const auto paths = paths_of(machine);
  const int depth = static_cast<int>(paths.front().size());
  int inner_first = std::clamp(affinity.permute, 0, std::max(depth - 1, 0));
  if (affinity.type == Type::scatter) inner_first = std::max(depth - 1, 0) - inner_first;
  const auto key = [&](int pu) {
    std::vector<int> path = paths[static_cast<std::size_t>(pu)];
    std::rotate(path.begin(), path.end() - inner_first, path.end());
    std::reverse(path.begin(), path.begin() + inner_first);
    return path;
  };
  std::vector<int> order(paths.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
  return order;
}

PlaceList in_order(const std::vector<int>& pus, const PlaceList& units, int offset) {
  PlaceList places;
  for (std::size_t i = 0; i < pus.size(); ++i) {
    const int pu = pus[(i + static_cast<std::size_t>(offset)) % pus.size()];
    for (int unit = 0; unit < units.size(); ++unit) {
      const std::span<const int> place = units.place(unit);
      if (std::binary_search(place.begin(), place.end(), pu)) places.add(place);
    }
  }
  return places;
}

}  // namespace

base::Result<KmpAffinity> parse_kmp_affinity(std::string_view text) {
  KmpAffinity affinity;
  TextCursor cursor(text);
  bool typed = false;
  bool permutes = true;  // logical and physical have an offset alone
  int numbers[2] = {}, given = 0;
  do {
    if (cursor.take_word("granularity")) {
      if (!cursor.take('=') || !take_unit(cursor, affinity.unit))
        return base::Error{"granularity is not fine, core, ll_cache, socket or numa_domain"};
    } else if (cursor.take_word("proclist")) {
      if (!take_list(cursor, affinity.listed)) return bad_list;
    } else if (cursor.take_word("verbose")) {
      affinity.verbose = true;
    } else if (cursor.take_word("reset")) {
      affinity.reset = true;
    } else if (!typed && take_type(cursor, affinity.type, permutes)) {
      typed = true;
    } else if (typed && given < (permutes ? 2 : 1) &&
               cursor.take_integer_between(0, most_processors, numbers[given])) {
      ++given;
    } else if (!take_idle_modifier(cursor)) {
      return bad_text;
    }
  } while (cursor.take(','));
  if (!cursor.at_end()) return bad_text;
  if (affinity.type == Type::listed && affinity.listed.size() == 0) return bad_list;
  affinity.permute = permutes ? numbers[0] : 0;
  affinity.offset = numbers[permutes ? 1 : 0];
  return affinity;
}

PlaceList places_of(const KmpAffinity& affinity, const topo::Machine& machine) {
  if (affinity.type == Type::listed) return resolve_places(affinity.listed, machine);
  const PlaceList units = places_of_machine(machine, affinity.unit, most_places);
  return in_order(ordered_pus(machine, affinity), units, affinity.offset);
}

}  // namespace xylem::omp
