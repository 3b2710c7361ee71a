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
  // At the level or below it, but at or below its child `but`.
  bool any_but(int level, int but) const;
  bool has(int level) const { return bit_of(level, own_bit(level)); }

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
  int bit_in_parent(int level) const { return level - at(at(level).parent).first_child; }
  void set_upwards(int level, int bit);
  bool clear_upwards(int level, int bit);

  std::span<const topo::Level> levels_;
  std::vector<int> first_word_;  // by level
  std::unique_ptr<Word[]> words_;
};

template <class Visit>
bool LevelBits::each_pu(int level, const Visit& visit) const {
  if (!any_at_or_below(level)) return false;
  const topo::Level& here = at(level);
  if (here.child_count == 0) return visit(here.first_pu);
  for (int child = here.first_child; child < here.first_child + here.child_count; ++child)
    if (bit_of(level, bit_in_parent(child)) && each_pu(child, visit)) return true;
  return false;
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
    const topo::Level& above = at(at(own).parent);
    if (!any_but(at(own).parent, own)) continue;
    for (int step = 1; step < above.child_count; ++step) {
      const int place = (own - above.first_child + step) % above.child_count;
      if (each_pu(above.first_child + place, take)) return found;
    }
  }
  return -1;
}

}  // namespace xylem::sched
