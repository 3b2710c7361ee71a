// Owns: naming levels. See machine_text.hpp.
#include "trace/machine_text.hpp"

#include <cstdio>

namespace xylem::trace {

namespace {

// Levels of the same sort before this one.
int number_of(std::span<const topo::Level> levels, size_t index) {
  int number = 0;
  for (size_t before = 0; before < index; ++before)
    number += levels[before].kind == levels[index].kind &&
              levels[before].cache_depth == levels[index].cache_depth;
  return number;
}

int format_name(std::span<const topo::Level> levels, size_t index, char* buffer, size_t room) {
  const topo::Level& level = levels[index];
  const char* kind = topo::kind_name(level.kind);
  if (level.kind == topo::LevelKind::machine) return snprintf(buffer, room, "%s", kind);
  // PUs are numbered from left to right, whatever their depth.
  const int number = level.kind == topo::LevelKind::pu ? level.first_pu : number_of(levels, index);
  if (level.cache_depth > 0)
    return snprintf(buffer, room, "l%d%s%d", level.cache_depth, kind, number);
  return snprintf(buffer, room, "%s%d", kind, number);
}

}  // namespace

void append_machine_text(const topo::Machine& machine, std::vector<char>& out) {
  const auto levels = machine.levels();
  for (size_t index = 0; index < levels.size(); ++index) {
    const topo::Level& level = levels[index];
    char name[64], line[192];
    format_name(levels, index, name, sizeof name);
    const int length = snprintf(line, sizeof line, "%s %d %d %d %d %d %s\n",
                                topo::kind_name(level.kind), level.os_index, level.cache_depth,
                                level.parent, level.first_pu, level.pu_count, name);
    out.insert(out.end(), line, line + length);
  }
}

}  // namespace xylem::trace
