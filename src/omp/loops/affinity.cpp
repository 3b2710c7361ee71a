// Owns: the table of loops with affinity. See affinity.hpp.
#include "omp/loops/affinity.hpp"

#include <atomic>
#include <utility>

#include "base/report.hpp"
#include "base/spin_lock.hpp"
#include "count/engine/loops.hpp"
#include "omp/env/settings.hpp"
#include "omp/loops/loop_owners.hpp"
#include "omp/loops/site_table.hpp"
#include "omp/team/team.hpp"
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
  // The next run of the loop.
  Run begin(IndexRange range, const LoopRequest& request, int members) XYLEM_EXCLUDES(lock_);
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

uint64_t wanted_chunk() {
  const int chunk = read_runtime_settings().loop_chunk;
  return chunk > 0 ? static_cast<uint64_t>(chunk) : 1;
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

LoopSite::Run LoopSite::begin(IndexRange range, const LoopRequest& request, int members) {
  const RuntimeSettings& mine = read_runtime_settings();
  const bool by_trial = mine.loops == LoopsAllowed::automatic && !request.only_blocks;
  bool cyclic = mine.loops == LoopsAllowed::cyclic && !request.only_blocks, has_settled = false;
  Run run;
  count::LoopTrial trial;
  {
    const base::Locked locked(lock_);
    if (request.is_numbered && !mine.loops_begin_alike) align(range);
    extent_.include(range);
    if (by_trial && !trial_.is_settled()) {
      finish_timed(members);
      has_settled = trial_.is_settled();
      if (!has_settled) {
        begin_timed(range.count);
        run.number = run_;
      }
    }
    if (by_trial) cyclic = trial_.next() == Division::cyclic;
    run.owners = cyclic ? cyclic_owners(range, wanted_chunk(), members)
                        : block_owners(range, extent_, wanted_chunk());
    trial = trial_;
  }
  if (has_settled && mine.verbose) say(reinterpret_cast<uintptr_t>(request.code), members, trial);
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
  if (mine.loops == LoopsAllowed::off) return;
  sites = new SiteTable<LoopSite>;
  loop_affinity = {true, mine.static_loops};
}

void add_affinity(LoopRequest& request, const void* code) {
  if (request.ordered || request.depth != 0) return;
  request.schedule = {.kind = LoopKind::affinity, .chunk = 1};
  request.code = code;
}

void choose_owners(WorkShare& share, int members, const LoopRequest& request) {
  Loop& loop = share.loop;
  share.site = nullptr;
  const IndexRange range = index_range(loop.space);
  const auto code = reinterpret_cast<uintptr_t>(request.code);
  LoopSite* site =
      range.count == 0 ? nullptr : sites->find(site_key({code, static_cast<uint64_t>(members)}));
  if (site == nullptr) {
    loop.kind = LoopKind::static_block;
    return;
  }
  const LoopSite::Run run = site->begin(range, request, members);
  loop.kind = run.owners.cyclic ? LoopKind::owned_cyclic : LoopKind::owned_block;
  loop.chunk = run.owners.chunk;
  share.offset = run.owners.offset;
  if (run.number != 0) share.site = site;
  // relaxed: published with the record
  share.next[WorkShare::of_extent].store(run.owners.extent, std::memory_order_relaxed);
  share.next[WorkShare::of_run].store(run.number, std::memory_order_relaxed);
}

namespace {

Chunk owned(const Member& member, const WorkShare& share, uint64_t trip) {
  const Loop& loop = share.loop;
  // relaxed: published with the record
  const LoopOwners owners{loop.kind == LoopKind::owned_cyclic, loop.chunk, share.offset,
                          share.next[WorkShare::of_extent].load(std::memory_order_relaxed)};
  const bool down = static_cast<int64_t>(loop.space.step) < 0;
  return owned_chunk(owners, loop.space.count, down, member.team->n, member.num, trip);
}

}  // namespace

Chunk next_owned(Member& member, WorkShare& share) {
  const Chunk chunk = owned(member, share, member.work.trip++);
  if (!any(chunk) && share.site != nullptr) {
    const uint64_t run = share.next[WorkShare::of_run].load(std::memory_order_relaxed);  // as above
    share.site->ended(static_cast<uint32_t>(run), os::now_ns());
  }
  return chunk;
}

Chunk owned_block(const Member& member, const WorkShare& share) {
  if (share.loop.kind == LoopKind::static_block)
    return static_block(share.loop.space.count, member.team->n, member.num);
  return owned(member, share, 0);
}

}  // namespace xylem::omp
