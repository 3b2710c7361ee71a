// Owns: the seats in which contention groups see each other. See open_group.hpp.
#include "sched/place/open_group.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>

#include "os/ticks.hpp"

namespace xylem::sched {

namespace {

// Written by its group for each region. relaxed throughout: what is seen a moment too late makes a
// plan a region too late.
struct alignas(64) Seat {
  std::atomic<int> members{0};     // of the team that is or was open; 0: none ever was
  std::atomic<int64_t> told{0};    // load of all; 0: not known
  std::atomic<uint64_t> ended{0};  // when its last region did; 0: one is open
};

// Program threads beyond these see nobody, and are not seen.
constexpr int seat_count = 64;
constinit std::array<Seat, seat_count> seats;
constinit std::atomic<uint64_t> taken{0};  // a bit for each seat

constexpr int64_t moment_ns = 5'000'000;

int take_seat() {
  uint64_t seen = taken.load(std::memory_order_relaxed);
  while (seen != UINT64_MAX) {
    const int free = std::countr_one(seen);
    // acquire: pairs with give_back()
    if (!taken.compare_exchange_weak(seen, seen | uint64_t{1} << free, std::memory_order_acquire))
      continue;
    return free;
  }
  return -1;
}

void give_back(int seat) {
  seats[static_cast<size_t>(seat)].members.store(0, std::memory_order_relaxed);
  taken.fetch_and(~(uint64_t{1} << seat), std::memory_order_release);  // pairs with take_seat()
}

bool is_open(const Seat& seat, uint64_t now) {
  if (seat.members.load(std::memory_order_relaxed) == 0) return false;
  const uint64_t ended = seat.ended.load(std::memory_order_relaxed);
  return ended == 0 || now < ended + os::ticks_in(moment_ns);
}

}  // namespace

OpenGroup::~OpenGroup() {
  if (seat_ >= 0) give_back(seat_);
}

uint32_t OpenGroup::begin(int members, int64_t told, uint64_t now) {
  if (seat_ < 0) seat_ = take_seat();
  if (seat_ < 0) return 0;
  is_open_ = true;
  Seat& own = seats[static_cast<size_t>(seat_)];
  own.members.store(members, std::memory_order_relaxed);
  own.told.store(told, std::memory_order_relaxed);
  own.ended.store(0, std::memory_order_relaxed);
  const bool alone = taken.load(std::memory_order_relaxed) == uint64_t{1} << seat_;
  return alone ? 0 : see_others(now);
}

void OpenGroup::leave(uint64_t now) {
  is_open_ = false;
  seats[static_cast<size_t>(seat_)].ended.store(now, std::memory_order_relaxed);
}

// Loads count where all have told theirs: else members do.
uint32_t OpenGroup::see_others(uint64_t now) {
  teams_.clear();
  bool all_told = true;
  for (uint64_t left = taken.load(std::memory_order_relaxed); left != 0; left &= left - 1) {
    const int at = std::countr_zero(left);
    const Seat& seat = seats[static_cast<size_t>(at)];
    if (at != seat_ && !is_open(seat, now)) continue;
    if (at == seat_) own_ = static_cast<int>(teams_.size());
    const int members = seat.members.load(std::memory_order_relaxed);
    const int64_t told = seat.told.load(std::memory_order_relaxed);
    all_told &= told > 0;
    teams_.push_back({std::max(members, 1), told});
  }
  for (OpenTeam& team : teams_)
    if (!all_told) team.load = team.members;
  if (teams_.size() == 1) return 0;
  if (teams_ != seen_before_ || own_ != own_before_) ++version_;
  seen_before_ = teams_;
  own_before_ = own_;
  return version_;
}

void OpenGroup::forget_in_child() {
  for (Seat& seat : seats) seat.members.store(0, std::memory_order_relaxed);
}

}  // namespace xylem::sched
