// KMP_HW_SUBSET: which PUs of a machine are left.
#include <algorithm>

#include "omp/env/kmp_affinity.hpp"
#include "omp/env/text_cursor.hpp"
#include "topo/machine.hpp"

namespace xylem::omp {
namespace {

using topo::LevelKind;

// So many objects of a kind, in each object of the kind before.
struct Part {
  LevelKind kind = LevelKind::pu;
  int cache_depth = 0;
  int count = 0;  // all_of_them: however many there are
  int offset = 0;
  int rank = 0;  // its place from the outside
};

struct Name {
  const char* text;
  LevelKind kind;
  int cache_depth;
  int rank;
};
constexpr int core_rank = 4;
// Words of letters; the caches' names have digits and stand apart.
constexpr Name names[] = {
    {"s", LevelKind::package, 0, 0},          {"socket", LevelKind::package, 0, 0},
    {"sockets", LevelKind::package, 0, 0},    {"n", LevelKind::node, 0, 1},
    {"numa", LevelKind::node, 0, 1},          {"numa_domain", LevelKind::node, 0, 1},
    {"c", LevelKind::core, 0, core_rank},     {"core", LevelKind::core, 0, core_rank},
    {"cores", LevelKind::core, 0, core_rank}, {"t", LevelKind::pu, 0, 5},
    {"thread", LevelKind::pu, 0, 5},          {"threads", LevelKind::pu, 0, 5},
};

bool take_kind(TextCursor& cursor, Part& part) {
  for (const Name& name : names) {
    if (!cursor.take_word(name.text)) continue;
    part.kind = name.kind;
    part.rank = name.rank;
    return true;
  }
  if (!cursor.take_prefix("l") || !cursor.take_integer_between(2, 3, part.cache_depth))
    return false;
  part.kind = LevelKind::cache;
  part.rank = part.cache_depth == 3 ? 2 : 3;
  return true;
}

constexpr int all_of_them = 1 << 20;

// 2c; *c, or c alone: all of them.
bool take_part(TextCursor& cursor, Part& part) {
  const bool all = cursor.take('*') || !cursor.take_integer_between(1, all_of_them, part.count);
  if (all) part.count = all_of_them;
  return take_kind(cursor, part) &&
         (!cursor.take('@') || cursor.take_integer_between(0, all_of_them, part.offset));
}

// The objects of the kind, as ranges of PUs, outermost first where a kind is nested.
std::vector<const topo::Level*> objects(const topo::Machine& machine, const Part& part) {
  std::vector<const topo::Level*> found;
  for (const topo::Level& level : machine.full_levels())
    if (level.kind == part.kind &&
        (part.kind != LevelKind::cache || level.cache_depth == part.cache_depth))
      found.push_back(&level);
  return found;
}

std::vector<const topo::Level*> whole(const topo::Machine& machine) {
  return {&machine.full_levels()[0]};
}

// In which objects a part counts where no part of a level between is named: threads in each core,
// all else in each package.
std::vector<const topo::Level*> natural_groups(const topo::Machine& machine, const Part& part) {
  std::vector<const topo::Level*> groups;
  if (part.kind == LevelKind::pu) groups = objects(machine, {.kind = LevelKind::core});
  if (part.kind != LevelKind::package && groups.empty())
    groups = objects(machine, {.kind = LevelKind::package});
  if (groups.empty()) groups = whole(machine);
  return groups;
}

// Whether the natural groups of `part` lie inside the objects of `outer`, or are these.
bool passes_over(const Part& outer, const Part& part) {
  return part.kind == LevelKind::pu ? outer.rank < core_rank : outer.rank == 0;
}

bool holds(const topo::Level& outer, const topo::Level& inner) {
  return inner.first_pu >= outer.first_pu &&
         inner.first_pu + inner.pu_count <= outer.first_pu + outer.pu_count;
}

// Takes out of `kept` what the part leaves out in each of `groups`. Null, or what is wrong.
const char* narrow(const std::vector<const topo::Level*>& groups,
                   const std::vector<const topo::Level*>& inner, const Part& part,
                   std::vector<char>& kept) {
  for (const topo::Level* group : groups) {
    int position = 0;
    for (const topo::Level* object : inner) {
      if (!holds(*group, *object)) continue;
      const bool wanted = position >= part.offset && position < part.offset + part.count;
      ++position;
      if (!wanted) std::fill_n(kept.begin() + object->first_pu, object->pu_count, char{0});
    }
    const int least = part.count == all_of_them ? 1 : part.count;
    if (position < part.offset + least) return "there are not so many";
  }
  return nullptr;
}

}  // namespace

base::Result<std::vector<int>> parse_hw_subset(std::string_view text,
                                               const topo::Machine& machine) {
  TextCursor cursor(text);
  std::vector<Part> parts;
  // A colon in front: a level between that is not named is none.
  const bool only_named = cursor.take(':');
  do {
    if (!take_part(cursor, parts.emplace_back()))
      return base::Error{"not a list such as 2s,4c,1t, of s, n, l3, l2, c or t"};
  } while (cursor.take(',') || cursor.take('x'));
  if (!cursor.at_end()) return base::Error{"something follows the list"};
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.rank < b.rank; });
  std::vector<char> kept(static_cast<std::size_t>(machine.pu_count()), 1);
  const Part* outer = nullptr;
  for (const Part& part : parts) {
    const auto inner = objects(machine, part);
    if (inner.empty()) return base::Error{"the machine has no such level"};
    const bool natural = !only_named && (outer == nullptr || passes_over(*outer, part));
    const auto groups = natural            ? natural_groups(machine, part)
                        : outer != nullptr ? objects(machine, *outer)
                                           : whole(machine);
    if (const char* error = narrow(groups, inner, part, kept)) return base::Error{error};
    outer = &part;
  }
  std::vector<int> pus;
  for (int pu = 0; pu < machine.pu_count(); ++pu)
    if (kept[static_cast<std::size_t>(pu)] != 0) pus.push_back(pu);
  return pus;
}

}  // namespace xylem::omp
