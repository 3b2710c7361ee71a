// Owns: learning which teams a region opens. See known_team.hpp.
#include "sched/place/known_team.hpp"

#include <algorithm>
#include <utility>

#include "os/ticks.hpp"

namespace xylem::sched {

namespace {
constexpr int fewest_runs = 16;  // in a period
constexpr int64_t shortest_period_ns = 1'000'000;
}  // namespace

KnownTeam::KnownTeam(KnownTreeState& tree, int threads, int depth)
    : tree_(tree), n_(threads), depth_(depth) {
  tree_.room.fetch_sub(1, std::memory_order_relaxed);
}

KnownTeam::~KnownTeam() {
  for (int member = 0; member < n_; ++member) delete inner(member);
  delete[] inner_.load(std::memory_order_relaxed);
  tree_.room.fetch_add(1, std::memory_order_relaxed);
}

// Most teams open none: they have no array.
KnownTeam::Inner& KnownTeam::slot_of(int member) {
  Inner* slots = inner_.load(std::memory_order_acquire);
  if (!slots) {
    auto* made = new Inner[static_cast<size_t>(n_)]();
    if (inner_.compare_exchange_strong(slots, made, std::memory_order_acq_rel))
      slots = made;
    else
      delete[] made;
  }
  return slots[member];
}

void KnownTeam::forget(int member) {
  delete slot_of(member).exchange(nullptr, std::memory_order_relaxed);
  tree_.changed.store(true, std::memory_order_relaxed);
}

// No team of the member's is open but the one that it opens now, and a team is known or there is
// room for one.
KnownTeam* KnownTeam::learn(int member, int threads) {
  KnownTeam* known = inner(member);
  if (known && known->n_ < threads) {
    forget(member);
    known = nullptr;
  }
  if (!known) {
    known = new KnownTeam(tree_, threads, depth_ + 1);
    slot_of(member).store(known, std::memory_order_relaxed);
    tree_.changed.store(true, std::memory_order_relaxed);
  }
  const bool is_first = known->seen_ != tree_.period;
  known->largest_seen_ = is_first ? threads : std::max(known->largest_seen_, threads);
  known->seen_ = tree_.period;
  return known;
}

void KnownTeam::set_placement(plan::Placement placement, const topo::Level& part) {
  placement_ = std::move(placement);
  first_pu_ = part.first_pu;
  end_pu_ = part.first_pu + part.pu_count;
}

void KnownTeam::forget_placements() {
  placement_.n = 0;
  for (int member = 0; member < n_; ++member)
    if (KnownTeam* known = inner(member)) known->forget_placements();
}

void KnownTeam::forget_unseen() {
  for (int member = 0; member < n_; ++member) {
    KnownTeam* known = inner(member);
    if (!known) continue;
    if (known->seen_ != tree_.period || known->largest_seen_ < known->n_)
      forget(member);
    else
      known->forget_unseen();
  }
}

void KnownTeam::forget_below_inner() {
  for (int member = 0; member < n_; ++member) {
    KnownTeam* known = inner(member);
    for (int below = 0; known && below < known->n_; ++below)
      if (known->inner(below)) known->forget(below);
  }
}

// Unless the tree is whole only the teams of this one's members count, and none has a record that
// could be relied on.
plan::TeamTree KnownTeam::shape(int guess, std::vector<KnownTeam*>& behind) {
  const bool is_whole = tree_.is_whole();
  plan::TeamTree tree{{.n = n_}};
  behind.assign(1, this);
  for (size_t team = 0; team < tree.size() && (team == 0 || is_whole); ++team) {
    const KnownTeam* outer = behind[team];
    for (int member = 0; outer && member < outer->n_; ++member) {
      KnownTeam* inner = outer->inner(member);
      const int threads = inner ? inner->n_ : team == 0 ? guess : 1;
      if (threads < 2) continue;
      tree.push_back({.outer = static_cast<int>(team), .maker = member, .n = threads});
      behind.push_back(is_whole ? inner : nullptr);
    }
  }
  return tree;
}

void KnownTree::look_at_period(uint64_t now) {
  runs_ = 0;
  if (now - period_began_ < os::ticks_in(shortest_period_ns)) return;
  top_.forget_unseen();
  ++state_.period;
  period_began_ = now;
}

void KnownTree::look_at_room() {
  constexpr int of_members = 2;
  if (state_.is_whole() || state_.most_depth == of_members) return;
  state_.most_depth = of_members;
  top_.forget_below_inner();
}

bool KnownTree::ended(uint64_t now) {
  const bool is_first = !std::exchange(ran_, true);
  if (is_first) period_began_ = now;
  if (++runs_ == fewest_runs) [[unlikely]]
    look_at_period(now);
  if (!state_.changed.load(std::memory_order_relaxed)) return is_first;
  look_at_room();
  state_.changed.store(false, std::memory_order_relaxed);
  return true;
}

}  // namespace xylem::sched
