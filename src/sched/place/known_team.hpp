// Owns: KnownTeam and KnownTree: the teams that a region opened the last times that it ran, one
// inside the other, and where the plan of the whole tree puts the members of each.
//
// A team is found by who opens it: the maker's team is known, and the maker by its number there.
// While all is as it was nobody writes: a team that is opened with the size that it had costs four
// reads. Teams that nobody opened for a period are forgotten, and so are those that were larger
// than all that their makers opened in it. A period is 16 regions, and as many more until a
// millisecond has passed: in each one, members write once that they opened their teams.
//
// Of a tree with more teams than are remembered some would be missing at every depth: from then on
// only those that the outermost team's members open are.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "plan/team_tree.hpp"

namespace xylem::sched {

class KnownTeam;

// Of all teams of one region. Written between its regions, but for what members say.
struct KnownTreeState {
  static constexpr int most_teams = 256;
  std::atomic<int> room{most_teams};  // so many more are remembered; relaxed: a number
  // By members that open what is not known. relaxed: read when all have departed
  std::atomic<bool> changed{false};
  uint32_t period = 1;
  int most_depth = 4;  // teams nested deeper are not remembered; the outermost has 1

  bool is_whole() const { return room.load(std::memory_order_relaxed) > 0; }
};

class KnownTeam {
 public:
  KnownTeam(KnownTreeState& tree, int threads, int depth);
  ~KnownTeam();
  KnownTeam(const KnownTeam&) = delete;
  KnownTeam& operator=(const KnownTeam&) = delete;

  int threads() const { return n_; }

  // A member opens a team of so many: what is known of that team; null: there is no room for it.
  // The team may be smaller than what is known. By the member's thread.
  KnownTeam* opened_by(int member, int threads) {
    KnownTeam* known = inner(member);
    if (known && known->n_ == threads && known->seen_ == tree_.period) [[likely]]
      return known;
    return known || has_room() ? learn(member, threads) : nullptr;
  }
  // What is known of the team that the member opens; null: nothing.
  KnownTeam* inner(int member) const {
    const std::atomic<KnownTeam*>* inner = inner_.load(std::memory_order_acquire);
    return inner ? inner[member].load(std::memory_order_relaxed) : nullptr;
  }

  // The team and those inside, and in `behind` what stands behind each. Members of this one of
  // which no team is known open one of `guess` threads, which nothing stands behind; 1: none.
  plan::TeamTree shape(int guess, std::vector<KnownTeam*>& behind);

  // Where the members of such a team of n go whose maker runs on that PU; null: nothing is planned
  // for them, or the maker is not where the plan puts the team.
  const plan::Placement* placement(int n, int pu) const {
    return n == placement_.n && pu >= first_pu_ && pu < end_pu_ ? &placement_ : nullptr;
  }

  // --- between regions ---

  // n 0: none. `part`: a level that holds all members.
  void set_placement(plan::Placement placement, const topo::Level& part);
  void forget_placements();
  // Those inside that were not opened in this period, or not with that size.
  void forget_unseen();
  // What members of those inside opened.
  void forget_below_inner();

 private:
  using Inner = std::atomic<KnownTeam*>;
  bool has_room() const { return depth_ < tree_.most_depth && tree_.is_whole(); }
  KnownTeam* learn(int member, int threads);
  Inner& slot_of(int member);
  void forget(int member);

  KnownTreeState& tree_;
  const int n_;
  const int depth_;  // 1: the outermost
  // By member; each is written by that member's thread while the region is open. relaxed: who reads
  // what another thread wrote has joined that, or was launched after it. The array is made by the
  // first member that opens a team; acquire: its elements are null.
  std::atomic<Inner*> inner_{nullptr};
  plan::Placement placement_;
  int first_pu_ = 0, end_pu_ = 0;
  // By the maker's thread: the period in which it opened the team last, and the most threads then.
  uint32_t seen_ = 0;
  int largest_seen_ = 0;
};

class KnownTree {
 public:
  explicit KnownTree(int n) : top_(state_, n, 1) {}

  // Its region has ended, at that tick. True if other teams are known than when it had ended the
  // last time.
  bool ended(uint64_t now);

  // KnownTeam::shape() of the outermost team; once the region has run nothing is guessed.
  plan::TeamTree shape(int guess, std::vector<KnownTeam*>& behind) {
    return top_.shape(ran_ ? 1 : guess, behind);
  }

  KnownTeam& top() { return top_; }
  bool ran() const { return ran_; }

 private:
  void look_at_period(uint64_t now);
  void look_at_room();

  KnownTreeState state_;
  KnownTeam top_;
  int runs_ = 0;               // since it was looked whether the period is over
  uint64_t period_began_ = 0;  // tick
  bool ran_ = false;
};

}  // namespace xylem::sched
