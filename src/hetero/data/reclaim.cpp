// Owns: the choice of pieces that leave. See reclaim.hpp.
#include "hetero/data/reclaim.hpp"

#include <algorithm>
#include <tuple>

namespace xylem::hetero {

std::vector<size_t> choose_victims(std::span<const Held> held, size_t bytes) {
  std::vector<size_t> order;
  for (size_t i = 0; i < held.size(); ++i)
    if (!held[i].pinned) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](size_t one, size_t other) {
    return std::tuple(held[one].leaving, held[one].used_at, one) <
           std::tuple(held[other].leaving, held[other].used_at, other);
  });
  size_t freed = 0;
  size_t taken = 0;
  while (taken < order.size() && freed < bytes) freed += held[order[taken++]].bytes;
  if (freed < bytes) return {};
  order.resize(taken);
  return order;
}

}  // namespace xylem::hetero
