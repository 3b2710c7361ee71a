// Owns: laying out combining trees. See combining_tree.hpp.
// Rows from the bottom up: members, groups of members, groups of these, span by span; where a span
// has come down to one node, groups of spans.
#include "omp/sync/combining_tree.hpp"

#include <algorithm>
#include <new>

namespace xylem::omp {

namespace {

constexpr int groups_of(int things, int fan) { return (things + fan - 1) / fan; }

// Things in a row: so many a span, in the last one perhaps fewer; and how many of them meet.
struct Row {
  int spans, a_span, in_last;
  int fan;
  int count() const { return (spans - 1) * a_span + in_last; }
  Row above() const {
    return {spans, groups_of(a_span, fan), groups_of(in_last, fan), CombiningTree::fan_above};
  }
  // The thing in the row above that the i-th belongs to.
  int up(int i) const { return i / a_span * groups_of(a_span, fan) + i % a_span / fan; }
  // Spans of one thing each are one span of many.
  Row merged() const { return a_span == 1 ? Row{1, spans, spans, fan} : *this; }
};

Row members_of(int n, int span) {
  const int spans = (n + span - 1) / span;
  return {spans, span, n - (spans - 1) * span, CombiningTree::fan};
}

}  // namespace

int CombiningTree::nodes_for(int n, int span) {
  if (n <= fan && n <= span) [[likely]]
    return 1;
  int nodes = 0;
  for (Row row = members_of(n, std::min(span, n)); row.count() > 1 || nodes == 0;) {
    row = row.merged().above();
    nodes += row.count();
  }
  return nodes;
}

// relaxed throughout: nobody else sees the tree yet
void CombiningTree::open(Node* nodes, int n, int span) {
  nodes_ = nodes;
  if (n <= fan && n <= span) [[likely]]
    open_one(n);
  else
    open_rows(n, std::min(span, n));
  std::atomic<uint64_t>& first = nodes[0].departures;
  constexpr uint64_t departed = one_departed | uint64_t{static_cast<uint32_t>(Departure::departed)}
                                                   << first_bit;
  first.store(first.load(std::memory_order_relaxed) | departed, std::memory_order_relaxed);
}

void CombiningTree::open_one(int n) {
  count_ = 1;
  new (nodes_) Node;
  nodes_->arrived.set_size(static_cast<uint32_t>(n));
  nodes_->departures.store(static_cast<uint64_t>(n), std::memory_order_relaxed);
}

void CombiningTree::open_rows(int n, int span) {
  Row row = members_of(n, span).merged();
  span_ = row.a_span;
  Node* below = nullptr;
  for (Node* here = nodes_;;) {
    const Row above = row.above();
    for (int i = 0; i < above.count(); ++i) new (here + i) Node;
    for (int i = 0; i < row.count(); ++i) {
      if (below) below[i].parent = static_cast<int>(here - nodes_) + row.up(i);
      Node& up = here[row.up(i)];
      const uint32_t size = up.arrived.size() + 1;
      up.arrived.set_size(size);
      up.departures.store(size, std::memory_order_relaxed);
    }
    below = here;
    here += above.count();
    count_ = static_cast<int>(here - nodes_);
    if (above.count() == 1) return;
    row = above.merged();
  }
}

}  // namespace xylem::omp
