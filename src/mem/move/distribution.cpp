// Owns: the arithmetic of distributions, and carrying them out. See distribution.hpp.
#include "mem/move/distribution.hpp"

#include <algorithm>

#include "mem/map/memory.hpp"
#include "mem/map/nodes.hpp"
#include "mem/move/range_moves.hpp"
#include "os/memory.hpp"

namespace xylem::mem {

namespace {

using Grid = std::array<int, Distribution::most_dimensions>;

constexpr std::size_t most_policies = 64;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// Where an index belongs, and how many from it on belong there too.
struct Owned {
  int part;
  uint64_t length;
};

Owned owner_of(const Dimension& dimension, int parts, uint64_t index) {
  const auto n = static_cast<uint64_t>(parts);
  if (dimension.kind == DimensionKind::whole || n == 1) return {0, dimension.extent - index};
  if (dimension.kind == DimensionKind::cyclic) {
    const uint64_t left = dimension.chunk - index % dimension.chunk;
    return {static_cast<int>(index / dimension.chunk % n),
            std::min(left, dimension.extent - index)};
  }
  const uint64_t size = dimension.extent / n, longer = dimension.extent % n;
  const uint64_t in_longer = longer * (size + 1);
  if (index < in_longer)
    return {static_cast<int>(index / (size + 1)), size + 1 - index % (size + 1)};
  const uint64_t behind = index - in_longer;
  return {static_cast<int>(longer + behind / size), size - behind % size};
}

// A place in the array: elements one after the other.
class Cursor {
 public:
  Cursor(const Distribution& distribution, const Grid& grid)
      : distribution_(distribution), grid_(grid) {}

  // The part that has the element, and how many from it on it has.
  Owned owned(uint64_t element) const {
    Owned owned{0, 0};
    int stride = 1;
    uint64_t below = 1;    // elements for each index of the dimension
    bool is_whole = true;  // so are all dimensions below
    for (int d = 0; d < distribution_.count; ++d) {
      const Dimension& dimension = distribution_.dims[at(d)];
      const uint64_t index = element / below % dimension.extent;
      const Owned here = owner_of(dimension, grid_[at(d)], index);
      if (is_whole) owned.length = here.length * below - element % below;
      is_whole = is_whole && grid_[at(d)] == 1;
      owned.part += here.part * stride;
      stride *= grid_[at(d)];
      below *= dimension.extent;
    }
    return owned;
  }

 private:
  const Distribution& distribution_;
  const Grid& grid_;
};

struct Run {
  std::size_t first, count;  // pages
  int part;
};

std::vector<Run> runs_of(std::span<const int> parts) {
  std::vector<Run> runs;
  for (std::size_t page = 0; page < parts.size(); ++page) {
    if (runs.empty() || runs.back().part != parts[page]) runs.push_back({page, 0, parts[page]});
    ++runs.back().count;
  }
  return runs;
}

}  // namespace

std::size_t Distribution::bytes() const {
  std::size_t all = element_bytes;
  for (int d = 0; d < count; ++d) all *= dims[at(d)].extent;
  return all;
}

Grid grid_of(const Distribution& distribution) {
  Grid grid;
  grid.fill(1);
  int divided = 0;
  for (int d = 0; d < distribution.count; ++d)
    divided += distribution.dims[at(d)].kind != DimensionKind::whole;
  int left = distribution.parts;
  for (int d = 0; d < distribution.count && divided > 0; ++d) {
    if (distribution.dims[at(d)].kind == DimensionKind::whole) continue;
    int factor = divided == 1 ? left : 1;
    if (divided > 1) {  // the largest divisor whose power fits
      for (int f = 1; f <= left; ++f) {
        int64_t power = 1;
        for (int i = 0; i < divided && power <= left; ++i) power *= f;
        if (power > left) break;
        if (left % f == 0) factor = f;
      }
    }
    grid[at(d)] = factor;
    left /= factor;
    --divided;
  }
  return grid;
}

std::vector<int> parts_of_pages(uintptr_t start, const Distribution& distribution,
                                std::size_t page_bytes) {
  const Grid grid = grid_of(distribution);
  const Cursor cursor(distribution, grid);
  const std::size_t bytes = distribution.bytes(), size = distribution.element_bytes;
  const std::size_t lead = start % page_bytes;  // bytes of the first page before the array
  std::vector<int> parts((lead + bytes + page_bytes - 1) / page_bytes);
  std::vector<std::size_t> shares(at(distribution.parts));  // bytes of a page, by part
  std::vector<int> sharers;
  std::size_t done = 0, run_end = 0;
  int run_part = 0;
  for (std::size_t page = 0; page < parts.size(); ++page) {
    const std::size_t end = std::min((page + 1) * page_bytes - lead, bytes);
    while (done < end) {
      if (done >= run_end) {
        const Owned owned = cursor.owned(done / size);
        run_part = owned.part;
        run_end = (done / size + owned.length) * size;
      }
      const std::size_t behind = std::min(end, run_end);
      if (shares[at(run_part)] == 0) sharers.push_back(run_part);
      shares[at(run_part)] += behind - done;
      done = behind;
    }
    int most = sharers.front();
    for (const int part : sharers)
      if (shares[at(part)] > shares[at(most)]) most = part;
    for (const int part : sharers) shares[at(part)] = 0;
    sharers.clear();
    parts[page] = most;
  }
  return parts;
}

int distribute(void* start, const Distribution& distribution, std::span<const int> nodes, bool move,
               std::size_t* moved) {
  if (moved) *moved = 0;
  const std::size_t page_bytes = os::page_size();
  const std::vector<int> parts =
      parts_of_pages(reinterpret_cast<uintptr_t>(start), distribution, page_bytes);
  const std::vector<Run> runs = runs_of(parts);
  auto* first =
      reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(start) / page_bytes * page_bytes);
  const bool by_policies = runs.size() <= most_policies || nodes_are_synthetic();
  int error = 0;
  for (const Run& run : runs) {
    if (!by_policies) break;
    const int failed =
        place_range(first + run.first * page_bytes, run.count * page_bytes,
                    {.placement = Placement::node, .node = nodes[at(run.part)]}, false);
    if (error == 0) error = failed;
  }
  if (by_policies && !move) return error;
  if (!by_policies) error = os::populate_pages(first, parts.size() * page_bytes);
  std::vector<int> wanted(parts.size());
  for (std::size_t page = 0; page < parts.size(); ++page) wanted[page] = nodes[at(parts[page])];
  const int failed = move_each(first, wanted, moved);
  return error ? error : failed;
}

}  // namespace xylem::mem
