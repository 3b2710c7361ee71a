// Owns: a set of the machine's levels, so kept that who asks for a member reads as many lines as
// the tree is deep, and that lines are written only when a part of the tree turns from empty to
// not, or back.
//
// Each level has words with a bit for each of its children, and one for itself. The bit of a child
// is set if anything is in the set at the child or below it; but for the moment in which clear()
// takes bits away, and another member came meanwhile: then clear() sets them again, and says so.
// Of two calls that come one after the other in the single order of sequentially consistent
// operations, the second sees what the first did, with that exception only.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "topo/machine.hpp"

namespace xylem::sched {

class LevelBits {
 public:
  explicit LevelBits(std::span<const topo::Level> levels);

  // Adds the level. By anybody; also in signal handlers.
  void set(int level);
  // Takes the level out. True if others may have been hidden for a moment: then the caller does
  // for them what they, or who looked for them, would have done.
  bool clear(int level);

  bool any() const { return any_at_or_below(0); }
  bool any_at_or_below(int level) const;
  bool has(int level) const { return bit_of(level, own_bit(level)); }

  // Calls visit(child) for the children of the level at or below which something is in the set,
  // from number `first` on, then round, until it returns true. Reads a line for each 64 children.
  template <class Visit>
  bool each_child(int level, int first, const Visit& visit) const;
  // The member PU of least distance in the tree from `pu`, `pu` first, for which fits(pu); -1 if
  // there is none. For sets of PUs.
  template <class Fits>
  int nearest_pu(int pu_level, const Fits& fits) const;
  // Calls visit(pu) for the PUs at or below the level until it returns true.
  template <class Visit>
  bool each_pu(int level, const Visit& visit) const;

 private:
  struct alignas(64) Word {
    std::atomic<uint64_t> bits{0};
  };
  static constexpr int bits_a_word = 64;

  const topo::Level& at(int level) const { return levels_[static_cast<size_t>(level)]; }
  int own_bit(int level) const { return at(level).child_count; }
  int words_of(int level) const { return own_bit(level) / bits_a_word + 1; }
  Word& word(int level, int bit) const {
    const int number = first_word_[static_cast<size_t>(level)] + bit / bits_a_word;
    return words_[static_cast<size_t>(number)];
  }
  bool bit_of(int level, int bit) const {
    return (word(level, bit).bits.load() >> (bit % bits_a_word) & 1) != 0;
  }
  template <class Visit>
  bool each_child_between(int level, int from, int to, const Visit& visit) const;
  int bit_in_parent(int level) const { return level - at(at(level).parent).first_child; }
  void set_upwards(int level, int bit);
  bool clear_upwards(int level, int bit);

  std::span<const topo::Level> levels_;
  std::vector<int> first_word_;  // by level
  std::unique_ptr<Word[]> words_;
};

// The children with the numbers `from` .. `to` - 1.
template <class Visit>
bool LevelBits::each_child_between(int level, int from, int to, const Visit& visit) const {
  for (int first = from - from % bits_a_word; first < to; first += bits_a_word) {
    uint64_t bits = word(level, first).bits.load();
    if (first < from) bits &= ~uint64_t{0} << (from - first);
    if (to - first < bits_a_word) bits &= (uint64_t{1} << (to - first)) - 1;
    for (; bits != 0; bits &= bits - 1)
      if (visit(at(level).first_child + first + std::countr_zero(bits))) return true;
  }
  return false;
}

template <class Visit>
bool LevelBits::each_child(int level, int first, const Visit& visit) const {
  return each_child_between(level, first, at(level).child_count, visit) ||
         each_child_between(level, 0, first, visit);
}

template <class Visit>
bool LevelBits::each_pu(int level, const Visit& visit) const {
  if (at(level).child_count == 0) return has(level) && visit(at(level).first_pu);
  return each_child(level, 0, [&](int child) { return each_pu(child, visit); });
}

template <class Fits>
int LevelBits::nearest_pu(int pu_level, const Fits& fits) const {
  int found = -1;
  const auto take = [&](int pu) {
    if (fits(pu)) found = pu;
    return found >= 0;
  };
  if (each_pu(pu_level, take)) return found;
  for (int own = pu_level; at(own).parent >= 0; own = at(own).parent) {
    const auto beside = [&](int child) { return child != own && each_pu(child, take); };
    if (each_child(at(own).parent, bit_in_parent(own), beside)) return found;
  }
  return -1;
}

}  // namespace xylem::sched
