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
  int of_span(int number) const { return number < spans - 1 ? a_span : in_last; }
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
void CombiningTree::open(void* memory, int n, int span) {
  memory_ = static_cast<char*>(memory);
  if (n <= fan && n <= span) [[likely]] {
    count_ = 1;
    span_ = n;
    open_node(0, n);
  } else {
    open_rows(n, std::min(span, n));
  }
  std::atomic<uint64_t>& first = at(0).departures;
  constexpr uint64_t departed = one_departed | uint64_t{static_cast<uint32_t>(Departure::departed)}
                                                   << first_bit;
  first.store(first.load(std::memory_order_relaxed) | departed, std::memory_order_relaxed);
}

void CombiningTree::open_node(int number, int size) {
  auto* node = new (&at(number)) Node;
  node->arrived.set_size(static_cast<uint32_t>(size));
  node->departures.store(static_cast<uint64_t>(size), std::memory_order_relaxed);
}

// By nodes, not by members, of which there may be many more.
void CombiningTree::open_rows(int n, int span) {
  Row row = members_of(n, span).merged();
  span_ = row.a_span;
  constexpr int members = -1;
  for (int below = members, next = 0;;) {
    const int first = next;
    for (int number = 0, thing = below; number < row.spans; ++number)
      for (int left = row.of_span(number); left > 0; left -= row.fan, ++next) {
        const int size = std::min(left, row.fan);
        open_node(next, size);
        for (int i = 0; below != members && i < size; ++i) at(thing++).parent = next;
      }
    count_ = next;
    if (next - first == 1) return;
    row = row.above().merged();
    below = first;
  }
}

}  // namespace xylem::omp
