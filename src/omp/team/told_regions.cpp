// Owns: records of what is told of regions. See told_regions.hpp.
#include "omp/team/told_regions.hpp"

#include <algorithm>
#include <utility>

#include "mem/map/memory.hpp"
#include "omp/team/following.hpp"
#include "omp/team/found_data.hpp"

namespace xylem::omp {

namespace {
constexpr size_t most_owned = 4096;
}  // namespace

MemberHints::MemberHints() = default;
MemberHints::~MemberHints() = default;

void HintsEnd::operator()(MemberHints* hints) const {
  if (!hints->lasts) delete hints;
}

ToldRegion::ToldRegion(void (*code)(void*), int threads)
    : function(code), n(threads), of_member(static_cast<size_t>(threads)) {}
ToldRegion::~ToldRegion() = default;

HintedTeam& hinted(Team& team) {
  // acquire and release: whoever loses the race uses the winner's
  HintedTeam* there = team.hinted.load(std::memory_order_acquire);
  if (there) return *there;
  auto* made = new HintedTeam;
  if (team.hinted.compare_exchange_strong(there, made, std::memory_order_acq_rel)) return *made;
  delete made;
  return *there;
}

namespace {

using Regions = base::CodeTable<ToldRecord>;

// The record of that size; one of another size goes.
ToldRegion& find_or_make(Regions& regions, void (*function)(void*), int n) {
  std::unique_ptr<ToldRegion>& region = regions.find_or_make(function, 0).region;
  if (!region || region->n != n) region = std::make_unique<ToldRegion>(function, n);
  return *region;
}

// `region`: of the member's team; null: nothing is kept of that.
MemberHints& hints_in(ToldRegion* region, Member& member) {
  if (member.hints) return *member.hints;
  if (!region) {
    member.hints.reset(new MemberHints);
    return *member.hints;
  }
  std::unique_ptr<MemberHints>& slot = region->of_member[static_cast<size_t>(member.num)];
  if (!slot) {
    slot = std::make_unique<MemberHints>();
    slot->lasts = true;
  }
  member.hints.reset(slot.get());
  return *slot;
}

// Of the open region that the team is, by one of its members. Null: of an initial thread's team,
// and of teams of one, nothing is kept. The records of teams further out are made first, so that
// only one lock is held at a time.
ToldRegion* told_of(Team& team) {
  if (team.level == 0 || team.n == 1) return nullptr;
  ToldRegion* outer = told_of(*team.maker->team);
  HintedTeam& mine = hinted(team);
  base::Locked locked(mine.lock);
  if (!mine.told)
    mine.told = &find_or_make(hints_in(outer, *team.maker).regions, team.code, team.n);
  return mine.told;
}

}  // namespace

MemberHints& hints_of(Member& member) {
  if (member.hints) return *member.hints;
  return hints_in(told_of(*member.team), member);
}

ToldRegion* begin_told(Team& team, Member& maker) {
  if (!maker.hints) return nullptr;
  Regions& regions = maker.hints->regions;
  std::vector<Hint> fresh = std::exchange(maker.hints->next, {});
  if (team.n == 1) return nullptr;
  if (!fresh.empty()) {
    ToldRegion& region = find_or_make(regions, team.code, team.n);
    std::erase_if(fresh,
                  [&](const Hint& hint) { return hint.number >= team.n || hint.bytes == 0; });
    region.hints = std::move(fresh);
    region.is_placed = false;
    return &region;
  }
  ToldRecord* found = regions.find(team.code, 0);
  if (!found) return nullptr;
  if (found->region && found->region->n != team.n) found->region.reset();
  return found->region.get();
}

void find_told(HintedTeam& team, Member& member) {
  const ToldRegion* region;
  {
    base::Locked locked(team.lock);
    region = team.told;
  }
  if (!region) return;
  const auto& slot = region->of_member[static_cast<size_t>(member.num)];
  if (slot) member.hints.reset(slot.get());
}

namespace {

void note(ToldRegion& region, const OwnedRange& range) {
  const auto there = std::ranges::lower_bound(region.owned, range.start, {}, &OwnedRange::start);
  const bool known = there != region.owned.end() && there->start == range.start;
  if (!known || there->number != range.number) region.is_placed = false;
  if (known)
    *there = range;
  else if (region.owned.size() < most_owned)
    region.owned.insert(there, range);
}

bool is_same(const mem::Owner& a, const mem::Owner& b) {
  return a.kind == b.kind && a.identity == b.identity && a.number == b.number;
}

Hint use_of(int number, uintptr_t start, size_t bytes) {
  return {.number = number,
          .start = reinterpret_cast<const void*>(start),
          .bytes = bytes,
          .reads = true,
          .writes = true};
}

}  // namespace

void record_owned(const Member& caller, int number, uintptr_t start, const mem::Owner& owner) {
  Team* team = caller.team;
  while (team->level > 0) {
    if (ToldRegion* region = told_of(*team)) {
      base::Locked locked(hinted(*team).lock);
      note(*region, {number, start, owner});
    }
    number = team->maker->num;
    team = team->maker->team;
  }
}

std::vector<Hint> hints_of_owners(ToldRegion& region) {
  std::vector<Hint> hints;
  std::erase_if(region.owned, [&](const OwnedRange& range) {
    mem::Region now;
    if (!mem::regions().find(range.start, now) || !is_same(now.owner, range.owner)) return true;
    if (range.number != whole_team) {
      hints.push_back(use_of(range.number, range.start, now.bytes));
      return false;
    }
    const auto n = static_cast<size_t>(region.n);
    for (size_t i = 0; i < n; ++i) {  // each member a part of it
      const uintptr_t first = range.start + now.bytes * i / n;
      const uintptr_t end = range.start + now.bytes * (i + 1) / n;
      hints.push_back(use_of(static_cast<int>(i), first, end - first));
    }
    return false;
  });
  return hints;
}

}  // namespace xylem::omp
