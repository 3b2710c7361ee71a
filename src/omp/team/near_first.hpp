// Owns: in which order a member looks through what others have, tasks or iterations. Pure.
#pragma once

#include <algorithm>

namespace xylem::omp {

namespace detail {

// Calls visit(i) for the numbers from `begin` to before `end` but `own`, the nearest first: the one
// behind, the one before, and so on; until it returns true.
template <class Visit>
bool visit_round(int own, int begin, int end, const Visit& visit) {
  const int most = std::max(own - begin, end - 1 - own);
  for (int step = 1; step <= most; ++step) {
    if (own + step < end && visit(own + step)) return true;
    if (own - step >= begin && visit(own - step)) return true;
  }
  return false;
}

}  // namespace detail

// Of `size` lanes (lane_of), of which `a_node` neighbours belong to one memory node (placements put
// neighbours near each other): calls visit(i) for all but `own` until it returns true; true if it
// did. The own node goes first, there the nearest by number; then the other nodes, the nearest by
// number, in each from the lane on that stands where `own` stands in its node, so that thieves
// spread over victims. 0 <= own < size; a_node >= 1.
template <class Visit>
bool visit_near_first(int own, int size, int a_node, const Visit& visit) {
  const int node = own / a_node;
  const int first = node * a_node;
  if (detail::visit_round(own, first, std::min(first + a_node, size), visit)) return true;
  const auto visit_node = [&](int other) {
    const int begin = other * a_node;
    const int length = std::min(a_node, size - begin);
    for (int i = 0; i < length; ++i)
      if (visit(begin + (own - first + i) % length)) return true;
    return false;
  };
  return detail::visit_round(node, 0, (size + a_node - 1) / a_node, visit_node);
}

}  // namespace xylem::omp
