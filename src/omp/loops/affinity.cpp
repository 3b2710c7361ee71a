// Owns: the table of loops with affinity. See affinity.hpp.
#include "omp/loops/affinity.hpp"

#include <atomic>
#include <utility>

#include "base/report.hpp"
#include "base/spin_lock.hpp"
#include "count/engine/loops.hpp"
#include "mem/map/memory.hpp"
#include "omp/env/settings.hpp"
#include "omp/loops/loop_homes.hpp"
#include "omp/loops/loop_owners.hpp"
#include "omp/loops/site_table.hpp"
#include "omp/team/engines.hpp"
#include "omp/team/team.hpp"
#include "omp/team/team_memory.hpp"
#include "os/clock.hpp"
#include "os/program_image.hpp"

namespace xylem::omp {

constinit LoopAffinity loop_affinity;

using count::Division;
using count::LoopsAllowed;

class LoopSite {
 public:
  std::atomic<uint64_t> key{0};  // SiteTable

  struct Run {
    LoopOwners owners;
    uint32_t number = 0;  // of the timed run; 0: it is not timed
  };
  // Who has iterations: the members, or the ranges of a dynamic loop; and in which pieces.
  struct Sharers {
    int members = 1;
    int owners = 1;
    uint64_t chunk = 1;  // iterations that stay together
  };
  // The next run of the loop.
  Run begin(IndexRange range, const LoopRequest& request, const Sharers& sharers)
      XYLEM_EXCLUDES(lock_);
  // A member has no more iterations in the timed run.
  void ended(uint32_t run, int64_t now_ns) XYLEM_EXCLUDES(lock_);

 private:
  void align(IndexRange& range) XYLEM_REQUIRES(lock_);
  void finish_timed(int members) XYLEM_REQUIRES(lock_);
  void begin_timed(uint64_t count) XYLEM_REQUIRES(lock_);
  void say(uint64_t code, int members, const count::LoopTrial& trial) const;

  base::SpinLock lock_{{40, "LoopSite::lock_"}};
  Extent extent_ XYLEM_GUARDED_BY(lock_);
  uint64_t first_count_ XYLEM_GUARDED_BY(lock_) = 0;  // iterations of the first run
  count::LoopTrial trial_ XYLEM_GUARDED_BY(lock_);
  // The run that is timed.
  uint32_t run_ XYLEM_GUARDED_BY(lock_) = 0;
  bool is_open_ XYLEM_GUARDED_BY(lock_) = false;  // begun, and not yet given to the trial
  int ended_ XYLEM_GUARDED_BY(lock_) = 0;         // members
  int64_t begun_ns_ XYLEM_GUARDED_BY(lock_) = 0;
  int64_t ended_ns_ XYLEM_GUARDED_BY(lock_) = 0;
  uint64_t iterations_ XYLEM_GUARDED_BY(lock_) = 0;
};

namespace {

// Made when the runtime starts, kept for ever. Loops that find no place have blocks without memory.
constinit SiteTable<LoopSite>* sites = nullptr;
// How the iterations of loops are divided. Written when the runtime starts.
constinit LoopsAllowed division = LoopsAllowed::off;

uint64_t wanted_chunk(uint64_t otherwise) {
  const int chunk = read_runtime_settings().loop_chunk;
  return chunk > 0 ? static_cast<uint64_t>(chunk) : otherwise;
}

}  // namespace

void LoopSite::finish_timed(int members) {
  if (!std::exchange(is_open_, false)) return;
  if (ended_ == members && iterations_ != 0)
    trial_.took(static_cast<double>(ended_ns_ - begun_ns_) / static_cast<double>(iterations_));
  else
    trial_.was_not_timed();
}

void LoopSite::begin_timed(uint64_t count) {
  if (++run_ == 0) run_ = 1;
  is_open_ = true;
  ended_ = 0;
  iterations_ = count;
  begun_ns_ = ended_ns_ = os::now_ns();
}

// The run ends where the first one ended.
void LoopSite::align(IndexRange& range) {
  if (first_count_ == 0) first_count_ = range.count;
  range.low += static_cast<int64_t>(first_count_) - static_cast<int64_t>(range.count);
}

LoopSite::Run LoopSite::begin(IndexRange range, const LoopRequest& request,
                              const Sharers& sharers) {
  const RuntimeSettings& mine = read_runtime_settings();
  const bool by_trial = division == LoopsAllowed::automatic && !request.only_blocks;
  bool cyclic = division == LoopsAllowed::cyclic && !request.only_blocks, has_settled = false;
  Run run;
  count::LoopTrial trial;
  {
    const base::Locked locked(lock_);
    if (request.is_numbered && !mine.loops_begin_alike) align(range);
    extent_.include(range);
    if (by_trial && !trial_.is_settled()) {
      finish_timed(sharers.members);
      has_settled = trial_.is_settled();
      if (!has_settled) {
        begin_timed(range.count);
        run.number = run_;
      }
    }
    if (by_trial) cyclic = trial_.next() == Division::cyclic;
    run.owners = cyclic ? cyclic_owners(range, sharers.chunk, sharers.owners)
                        : block_owners(range, extent_, sharers.chunk);
    trial = trial_;
  }
  if (has_settled && mine.verbose)
    say(reinterpret_cast<uintptr_t>(request.code), sharers.members, trial);
  return run;
}

void LoopSite::ended(uint32_t run, int64_t now_ns) {
  const base::Locked locked(lock_);
  if (run != run_ || !is_open_) return;
  ++ended_;
  if (now_ns > ended_ns_) ended_ns_ = now_ns;
}

void LoopSite::say(uint64_t code, int members, const count::LoopTrial& trial) const {
  base::say("loops: %s with %d threads: %s; an iteration took %.0f ns by blocks, %.0f cyclic",
            os::name_address(reinterpret_cast<const void*>(code)).data(), members,
            trial.next() == Division::cyclic ? "cyclic" : "blocks", trial.mean_ns(Division::block),
            trial.mean_ns(Division::cyclic));
}

void start_loop_affinity() {
  const RuntimeSettings& mine = read_runtime_settings();
  const bool by_engines = mine.loops == LoopsAllowed::off &&
                          mine.engines == count::EnginesAllowed::loops && mem::node_count() > 1;
  division = by_engines ? LoopsAllowed::automatic : mine.loops;
  if (division == LoopsAllowed::off) return;
  sites = new SiteTable<LoopSite>;
  loop_affinity = {true, mine.static_loops, mine.dynamic_loops || by_engines};
  if (loop_affinity.dynamic_loops) loops_are_named = true;
}

void add_affinity(LoopRequest& request, const void* code) {
  if (request.ordered || request.depth != 0) return;
  request.schedule = {.kind = LoopKind::affinity, .chunk = 1};
  request.code = code;
}

namespace {

// Since take_owned_loops(). Relaxed: hints.
constinit std::atomic<bool> settled_ran{false}, tried_ran{false};

void note_ran(std::atomic<bool>& ran) {
  if (!ran.load(std::memory_order_relaxed)) ran.store(true, std::memory_order_relaxed);
}

// Null: its iterations cannot be numbered, or there are too many loops.
LoopSite* site_of(const IndexRange& range, int members, const LoopRequest& request) {
  if (range.count == 0) return nullptr;
  const auto code = reinterpret_cast<uintptr_t>(request.code);
  return sites->find(site_key({code, static_cast<uint64_t>(members)}));
}

void remember_run(WorkShare& share, LoopSite* site, const LoopSite::Run& run) {
  share.offset = run.owners.offset;
  share.site = run.number != 0 ? site : nullptr;
  note_ran(run.number != 0 ? tried_ran : settled_ran);
  // relaxed: published with the record
  share.next[WorkShare::of_extent].store(run.owners.extent, std::memory_order_relaxed);
  share.next[WorkShare::of_run].store(run.number, std::memory_order_relaxed);
}

}  // namespace

count::LoopsRan take_owned_loops() {
  const bool settled = settled_ran.load(std::memory_order_relaxed);
  const bool tried = tried_ran.load(std::memory_order_relaxed);
  settled_ran.store(false, std::memory_order_relaxed);
  tried_ran.store(false, std::memory_order_relaxed);
  return {settled, tried};
}

void end_run(const WorkShare& share) {
  if (share.site == nullptr) return;
  // relaxed: published with the record
  const uint64_t run = share.next[WorkShare::of_run].load(std::memory_order_relaxed);
  share.site->ended(static_cast<uint32_t>(run), os::now_ns());
}

void choose_owners(WorkShare& share, int members, const LoopRequest& request) {
  Loop& loop = share.loop;
  const IndexRange range = index_range(loop.space);
  LoopSite* const site = site_of(range, members, request);
  if (site == nullptr) {
    share.site = nullptr;
    loop.kind = LoopKind::static_block;
    return;
  }
  const LoopSite::Run run = site->begin(range, request, {members, members, wanted_chunk(1)});
  loop.kind = run.owners.cyclic ? LoopKind::owned_cyclic : LoopKind::owned_block;
  loop.chunk = run.owners.chunk;
  remember_run(share, site, run);
}

namespace {

// Of the member in the loop's division.
int owner_number(const Member& member) {
  const std::span<const int> owners = owners_by_engines(*member.team);
  return owners.empty() ? member.num : owners[static_cast<std::size_t>(member.num)];
}

Chunk owned(const Member& member, const WorkShare& share, uint64_t trip) {
  const Loop& loop = share.loop;
  // relaxed: published with the record
  const LoopOwners owners{loop.kind == LoopKind::owned_cyclic, loop.chunk, share.offset,
                          share.next[WorkShare::of_extent].load(std::memory_order_relaxed)};
  const bool down = static_cast<int64_t>(loop.space.step) < 0;
  return owned_chunk(owners, loop.space.count, down, member.team->n, owner_number(member), trip);
}

}  // namespace

Chunk next_owned(Member& member, WorkShare& share) {
  const Chunk chunk = owned(member, share, member.work.trip++);
  if (!any(chunk)) end_run(share);
  return chunk;
}

Chunk owned_block(const Member& member, const WorkShare& share) {
  if (share.loop.kind == LoopKind::static_block)
    return static_block(share.loop.space.count, member.team->n, member.num);
  return owned(member, share, 0);
}

namespace {

void deal_homed(WorkShare& share, const HomedLoop& homed) {
  Loop& loop = share.loop;
  const int ranges = homed.members, a_node = members_a_node(ranges);
  if (homed.owners.cyclic) {
    loop.kind = LoopKind::dealt_in_turn;
    loop.chunk = homed.owners.chunk;
    share.ranges.deal(ranges, a_node, last_in_turn(homed),
                      [&](int owner) { return homed_in_turn(homed, owner); });
  } else {
    loop.kind = LoopKind::dealt;
    share.ranges.deal(ranges, a_node, last_in_blocks(homed),
                      [&](int owner) { return homed_in_block(homed, owner); });
  }
}

}  // namespace

bool deal_to_owners(WorkShare& share, int members, const LoopRequest& request) {
  if (request.schedule.order == ChunkOrder::monotonic || request.ordered || request.depth != 0)
    return false;
  const IndexRange range = index_range(share.loop.space);
  const int ranges = std::min(members, globals().usable_threads);  // lane_of() says whose
  if (!LoopRanges::fits(range.count, ranges)) return false;
  LoopSite* const site = site_of(range, members, request);
  if (site == nullptr) return false;
  const uint64_t chunk = std::min(share.loop.chunk, range.count);
  const LoopSite::Run run = site->begin(range, request, {members, ranges, wanted_chunk(chunk)});
  deal_homed(share, {run.owners, range.count, range.down, chunk, ranges});
  remember_run(share, site, run);
  return true;
}

int owned_range(const Member& member, int ranges) {
  return member.team->n <= ranges ? owner_number(member) : lane_of(member, ranges);
}

Chunk chunk_in_turn(const WorkShare& share, uint64_t number) {
  const Loop& loop = share.loop;
  const LoopOwners owners{true, loop.chunk, share.offset, 0};
  const bool down = static_cast<int64_t>(loop.space.step) < 0;
  return chunk_in_turn(HomedLoop{owners, loop.space.count, down, loop.chunk, share.ranges.count()},
                       number);
}

}  // namespace xylem::omp
