// Owns: looking for the data of regions. See found_data.hpp.
#include "omp/team/found_data.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "mem/map/memory.hpp"
#include "mem/map/nodes.hpp"
#include "mem/map/regions.hpp"
#include "omp/team/engines.hpp"
#include "sched/sched.hpp"

namespace xylem::omp {

namespace {

// Ranges that nobody owns, the largest first; of more no place is asked.
constexpr size_t most_ranges = 64;
constexpr size_t most_pages_of_a_part = 64;  // of which a place is asked

bool any(std::span<const int64_t> values) {
  return std::ranges::any_of(values, [](int64_t value) { return value > 0; });
}

std::vector<mem::Region> ranges_of_nobody() {
  std::vector<mem::Region> ranges = mem::regions().all();
  std::erase_if(ranges,
                [](const mem::Region& range) { return range.owner.kind != mem::OwnerKind::none; });
  std::ranges::stable_sort(ranges, std::ranges::greater{}, &mem::Region::bytes);
  if (ranges.size() > most_ranges) ranges.resize(most_ranges);
  return ranges;
}

// Each member has a part of each range, in their order.
void add_ranges(size_t members, size_t nodes, std::vector<int64_t>& bytes) {
  for (const mem::Region& range : ranges_of_nobody())
    for (size_t i = 0; i < members; ++i) {
      const uintptr_t first = range.start + range.bytes * i / members;
      const uintptr_t end = range.start + range.bytes * (i + 1) / members;
      if (first == end) continue;
      mem::add_bytes_by_node(reinterpret_cast<const void*>(first), end - first,
                             std::span(bytes).subspan(i * nodes, nodes), most_pages_of_a_part);
    }
}

}  // namespace

FoundRegion::FoundRegion(int threads, int nodes)
    : n_(threads),
      nodes_(static_cast<size_t>(nodes)),
      of_tasks_(new std::atomic<int64_t>[nodes_] {}) {}

// Tasks are taken by whoever is near their data: what they say is the team's, and each member's.
std::vector<int64_t> FoundRegion::bytes_of_members(std::span<const int64_t> table) {
  if (any(table)) return {table.begin(), table.end()};
  const auto members = static_cast<size_t>(n_);
  std::vector<int64_t> bytes(members * nodes_);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = of_tasks_[i % nodes_].load(std::memory_order_relaxed);
  if (!any(bytes)) add_ranges(members, nodes_, bytes);
  return bytes;
}

const std::vector<Part>& FoundRegion::begin(const Member& maker, const sched::Launch& launch,
                                            std::span<const int64_t> table, uint64_t version) {
  const bool is_new = std::exchange(version_, version) != version;
  if (!std::has_single_bit(++runs_) && !is_new) return parts_;
  std::vector<int64_t> bytes = bytes_of_members(table);
  if (!any(bytes)) return parts_;
  plan::TeamTree tree = sched::known_tree(*maker.thread, launch, n_);
  tree[0].bytes = std::move(bytes);
  parts_ = sched::parts_by_data(tree);
  return parts_;
}

FoundRegion& FoundRegions::region(void (*code)(void*), int threads) {
  std::unique_ptr<FoundRegion>& region = regions_.find_or_make(code, threads).region;
  if (!region) region = std::make_unique<FoundRegion>(threads, mem::node_count());
  return *region;
}

void seek_data(Member& initial) {
  if (!sched::threads_seek_data() || mem::node_count() < 2) return;
  if (!initial.hints) initial.hints.reset(new MemberHints);
  initial.hints->found = std::make_unique<FoundRegions>();
}

const std::vector<Part>& parts_by_found_data(Team& team, Member& maker,
                                             const sched::Launch& launch) {
  FoundRegion& region = maker.hints->found->region(team.code, team.n);
  hinted(team).found = &region;
  const CountedData counted = maker.hints->is_watched ? counted_data(team) : CountedData{};
  return region.begin(maker, launch, counted.accesses, counted.version);
}

void note_task_data(Team& team, int node) {
  // acquire: pairs with the release in hinted()
  const HintedTeam* mine = team.hinted.load(std::memory_order_acquire);
  if (node >= 0 && mine && mine->found) mine->found->add_task(node);
}

}  // namespace xylem::omp
