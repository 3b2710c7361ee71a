// Owns: what members that leave early owe. See cancel_absence.hpp.
#include "omp/team/cancel_absence.hpp"

#include <limits>

#include "omp/loops/ordered.hpp"
#include "omp/team/team.hpp"

namespace xylem::omp {

// --- records -------------------------------------------------------------------------------------

// relaxed: nobody else is there
void Absences::forget_all() {
  delete[] records_.load(std::memory_order_relaxed);
  records_.store(nullptr, std::memory_order_relaxed);
  changes_.store(0, std::memory_order_relaxed);
}

void Absences::add(int n, int num, uint32_t from, uint32_t to) {
  auto* records = records_.load(std::memory_order_acquire);  // pairs with the exchange below
  if (!records) {
    auto* made = new std::atomic<uint64_t>[static_cast<size_t>(n)]();
    // acq_rel: whoever loses the race uses the winner's
    if (records_.compare_exchange_strong(records, made, std::memory_order_acq_rel)) {
      records = made;
    } else {
      delete[] made;
    }
  }
  records[num].store(uint64_t{from} << 32 | to, std::memory_order_relaxed);  // then the poll
  changes_.fetch_add(1, std::memory_order_acq_rel);                          // pairs with any()
}

bool Absences::covers(int num, uint32_t construct) const {
  const auto* records = records_.load(std::memory_order_acquire);  // pairs with add()
  if (!records) return false;
  const uint64_t record = records[num].load(std::memory_order_relaxed);  // after a poll
  return record >> 32 <= construct && construct <= static_cast<uint32_t>(record);
}

// --- turns and posts -----------------------------------------------------------------------------

namespace {

constexpr uint32_t last_construct = std::numeric_limits<uint32_t>::max();

bool static_loop(const Loop& loop) {
  return loop.kind == LoopKind::static_block || loop.kind == LoopKind::static_chunk;
}

Chunk chunk_of(const Loop& loop, int members, int num, uint64_t trip) {
  if (loop.kind == LoopKind::static_chunk)
    return static_chunk(loop.space.count, loop.chunk, members, num, trip);
  return trip == 0 ? static_block(loop.space.count, members, num) : Chunk{};
}

// Of a static loop: who runs the iteration, and where the chunk ends.
int owner_of(const Loop& loop, int members, uint64_t iteration) {
  if (loop.kind == LoopKind::static_block)
    return static_block_owner(loop.space.count, members, iteration);
  return static_cast<int>(iteration / loop.chunk % static_cast<uint64_t>(members));
}

uint64_t chunk_end(const Loop& loop, int members, int owner, uint64_t first) {
  const Chunk chunk = loop.kind == LoopKind::static_block
                          ? static_block(loop.space.count, members, owner)
                          : dynamic_chunk(loop.space.count, loop.chunk, first);
  return chunk.first + chunk.count;
}

void open_posts(const Team& team, WorkShare& seeds, int num) {
  if (!seeds.doacross.is_open() || !static_loop(seeds.loop)) return;
  for (uint64_t trip = 0;; ++trip) {
    const Chunk chunk = chunk_of(seeds.loop, team.n, num, trip);
    if (!any(chunk)) return;
    seeds.doacross.give_up(chunk);
  }
}

// What the absent member owes in this construct.
void settle(Team& team, WorkShare& seeds, int num) {
  settle_turn(team, seeds);
  open_posts(team, seeds, num);
}

}  // namespace

void settle_turn(Team& team, WorkShare& seeds) {
  const Loop& loop = seeds.loop;
  if (!loop.ordered || !static_loop(loop)) return;
  for (;;) {
    const uint64_t turn = seeds.turn.value();
    if (turn >= loop.space.count) return;
    const int owner = owner_of(loop, team.n, turn);
    if (!team.works.absences.covers(owner, seeds.number)) return;
    seeds.turn.skip(turn, chunk_end(loop, team.n, owner, turn));
  }
}

void settle_new(Team& team, WorkShare& seeds) {
  if (!seeds.loop.others_may_wait || !team.works.absences.any()) return;
  for (int num = 0; num < team.n; ++num) {
    if (team.works.absences.covers(num, seeds.number)) settle(team, seeds, num);
  }
}

void leave_construct(Member& member) {
  Team& team = *member.team;
  if (!member.work.at->is_record) return;
  WorkShare& seeds = member.work.current();
  if (!seeds.loop.others_may_wait) return;
  if (seeds.loop.ordered) hand_on_turn(member);
  if (seeds.doacross.is_open()) seeds.doacross.give_up(member.work.chunk);
  team.works.absences.add(team.n, member.num, seeds.number, seeds.number);
  settle(team, seeds, member.num);
}

void leave_region(Member& member) {
  Team& team = *member.team;
  if (team.n == 1 || member.work.left_region) return;
  member.work.left_region = true;
  leave_construct(member);
  const WorkStep& at = *member.work.at;
  team.works.absences.add(team.n, member.num, at.number, last_construct);
  // It does not move on, so none from its own on is made anew. acquire: pairs with publish()
  WorkShare* seeds =
      at.is_record ? &member.work.current() : at.successor.load(std::memory_order_acquire);
  for (; seeds; seeds = seeds->successor.load(std::memory_order_acquire))
    if (seeds->loop.others_may_wait) settle(team, *seeds, member.num);
  member.implicit.leave_family();
  withdraw(team);
}

}  // namespace xylem::omp
