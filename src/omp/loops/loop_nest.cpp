// Owns: counting and finding points of loop nests. See loop_nest.hpp.
#include "omp/loops/loop_nest.hpp"

namespace xylem::omp {

uint64_t ValueType::fit(uint64_t value) const {
  const int unused = 64 - bits;
  const uint64_t high = value << unused;
  return is_signed ? static_cast<uint64_t>(static_cast<int64_t>(high) >> unused) : high >> unused;
}

bool ValueType::less(uint64_t a, uint64_t b) const {
  return is_signed ? static_cast<int64_t>(a) < static_cast<int64_t>(b) : a < b;
}

uint64_t NestLevel::first_value(uint64_t outer_value) const {
  return type.fit(first + first_slope * outer_value);
}

uint64_t NestLevel::value(uint64_t outer_value, uint64_t iteration) const {
  return variable.fit(first_value(outer_value) + iteration * static_cast<uint64_t>(step));
}

uint64_t NestLevel::iterations(uint64_t outer_value) const {
  const uint64_t from = first_value(outer_value);
  const uint64_t to = type.fit(last + last_slope * outer_value);
  const bool up = step > 0;
  if (up ? type.less(to, from) : type.less(from, to)) return 0;
  if (strict && from == to) return 0;
  const uint64_t distance = (up ? to - from : from - to) - (strict ? 1 : 0);
  const auto stride = static_cast<uint64_t>(step);
  return distance / (up ? stride : 0 - stride) + 1;
}

// What stands under the level has not the same number of points for each value of its variable.
bool LoopNest::varies_with(unsigned level) const {
  for (unsigned i = level + 1; i < levels_.size(); ++i)
    if (levels_[i].depends_on(level) && (!levels_[i].even() || varies_with(i))) return true;
  return false;
}

// Of the loops that depend on the level, and on these, for one value of its variable.
uint64_t LoopNest::points_under(unsigned level, uint64_t value) const {
  uint64_t points = 1;
  for (unsigned i = level + 1; i < levels_.size() && points != 0; ++i)
    if (levels_[i].depends_on(level)) points *= points_from(i, value);
  return points;
}

// Of the level and the loops that depend on it.
uint64_t LoopNest::points_from(unsigned level, uint64_t outer_value) const {
  const NestLevel& loop = levels_[level];
  const uint64_t count = loop.iterations(outer_value);
  if (count == 0) return 0;
  if (!varies_with(level)) return count * points_under(level, loop.value(outer_value, 0));
  uint64_t points = 0;
  for (uint64_t i = 0; i < count; ++i) points += points_under(level, loop.value(outer_value, i));
  return points;
}

// Of the inner loops that do not depend on the level, where the outer variables have these values.
uint64_t LoopNest::points_beside(unsigned level, const uint64_t* values) const {
  uint64_t points = 1;
  for (unsigned i = level + 1; i < levels_.size() && points != 0; ++i) {
    const NestLevel& loop = levels_[i];
    if (!loop.depends()) points *= points_from(i, 0);
    if (loop.depends() && loop.outer < level) points *= points_from(i, values[loop.outer]);
  }
  return points;
}

uint64_t LoopNest::points() const {
  uint64_t points = 1;
  for (unsigned i = 0; i < levels_.size() && points != 0; ++i)
    if (!levels_[i].depends()) points *= points_from(i, 0);
  return points;
}

// The iteration of the level in which the point lies; `number` becomes the point's number in it.
uint64_t LoopNest::find_iteration(unsigned level, uint64_t outer_value, uint64_t beside,
                                  uint64_t& number) const {
  const NestLevel& loop = levels_[level];
  if (!varies_with(level)) {
    const uint64_t each = beside * points_under(level, loop.value(outer_value, 0));
    if (each == 0) return 0;  // then there is no point
    const uint64_t iteration = number / each;
    number %= each;
    return iteration;
  }
  for (uint64_t iteration = 0;; ++iteration) {
    const uint64_t here = beside * points_under(level, loop.value(outer_value, iteration));
    if (number < here) return iteration;
    number -= here;
  }
}

void LoopNest::find(uint64_t number, uint64_t* values) const {
  for (unsigned i = 0; i < levels_.size(); ++i) {
    const NestLevel& loop = levels_[i];
    const uint64_t outer_value = loop.depends() ? values[loop.outer] : 0;
    const uint64_t beside = points_beside(i, values);
    values[i] = loop.value(outer_value, find_iteration(i, outer_value, beside, number));
  }
}

}  // namespace xylem::omp
