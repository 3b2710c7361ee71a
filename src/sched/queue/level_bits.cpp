// Owns: the operations of a set of levels. See level_bits.hpp.
// All sequentially consistent. set() goes on to the top, also where a word was not empty: who came
// to it before may not have come to the next one. Who empties a word after set() was there sees
// the bit in clear_upwards(), and sets the word's bit above again.
#include "sched/queue/level_bits.hpp"

namespace xylem::sched {

LevelBits::LevelBits(std::span<const topo::Level> levels) : levels_(levels) {
  int words = 0;
  for (int level = 0; level < static_cast<int>(levels.size()); ++level) {
    first_word_.push_back(words);
    words += words_of(level);
  }
  words_ = std::make_unique<Word[]>(static_cast<size_t>(words));
}

void LevelBits::set(int level) { set_upwards(level, own_bit(level)); }
bool LevelBits::clear(int level) { return clear_upwards(level, own_bit(level)); }

void LevelBits::set_upwards(int level, int bit) {
  for (;;) {
    if (!bit_of(level, bit)) word(level, bit).bits.fetch_or(uint64_t{1} << (bit % bits_a_word));
    const int parent = at(level).parent;
    if (parent < 0) return;
    bit = bit_in_parent(level);
    level = parent;
  }
}

bool LevelBits::clear_upwards(int level, int bit) {
  const uint64_t mask = uint64_t{1} << (bit % bits_a_word);
  const uint64_t before = word(level, bit).bits.fetch_and(~mask);
  const int parent = at(level).parent;
  if (before != mask || parent < 0 || any_at_or_below(level)) return false;
  const int above = bit_in_parent(level);
  const bool hidden = clear_upwards(parent, above);
  if (!any_at_or_below(level)) return hidden;
  set_upwards(parent, above);
  return true;
}

bool LevelBits::any_at_or_below(int level) const {
  for (int bit = 0; bit <= own_bit(level); bit += bits_a_word)
    if (word(level, bit).bits.load() != 0) return true;
  return false;
}

}  // namespace xylem::sched
