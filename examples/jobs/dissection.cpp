#include "dissection.hpp"

#include <algorithm>
#include <numeric>

namespace jobs {
namespace {

// Breadth-first levels of a part of the graph: vertices in the order found, and where levels begin.
struct Levels {
  std::vector<int> found;
  std::vector<int> begin;
  int count() const { return static_cast<int>(begin.size()) - 1; }
};

class Dissector {
 public:
  Dissector(const Graph& graph, int largest_block)
      : graph_(graph), largest_block_(largest_block), part_(graph.begin.size() - 1, 0) {}

  Dissection run() {
    std::vector<int> all(part_.size());
    std::iota(all.begin(), all.end(), 0);
    result_.begin.push_back(0);
    cut(std::move(all));
    return std::move(result_);
  }

 private:
  // Orders all these vertices. They are a part of their own: none of them is in a block yet.
  void cut(std::vector<int> vertices) {
    if (static_cast<int>(vertices.size()) <= largest_block_) return emit(vertices);
    const int mine = ++parts_;
    for (const int v : vertices) part_[v] = mine;
    const Levels levels = far_levels(vertices[0], mine);
    if (levels.found.size() < vertices.size()) return cut_components(vertices, mine);
    if (levels.count() < 3) return emit(vertices);
    const auto [middle_begin, middle_end] = middle(levels);
    std::vector<int> low(levels.found.begin(), levels.found.begin() + middle_begin);
    std::vector<int> high(levels.found.begin() + middle_end, levels.found.end());
    std::vector<int> separator;
    for (const int v : high) part_[v] = -1;
    for (int i = middle_begin; i < middle_end; ++i) {
      const int v = levels.found[i];
      (touches(v, -1) ? separator : low).push_back(v);
    }
    for (std::vector<int>* part : {&low, &high, &separator}) std::sort(part->begin(), part->end());
    cut(std::move(low));
    cut(std::move(high));
    emit(separator);
  }

  // The part is not connected: no separator is needed.
  void cut_components(const std::vector<int>& vertices, int mine) {
    for (const int v : vertices) {
      if (part_[v] != mine) continue;
      std::vector<int> component = levels_from(v, mine).found;
      std::sort(component.begin(), component.end());
      cut(std::move(component));
    }
  }

  // Levels from a vertex that is far from some other: begins anew from the last level while that
  // makes more levels.
  Levels far_levels(int start, int mine) {
    Levels best = levels_from(start, mine);
    for (int tries = 0; tries < 4; ++tries) {
      Levels next = levels_from(best.found.back(), mine);
      if (next.count() <= best.count()) break;
      best = std::move(next);
    }
    return best;
  }

  Levels levels_from(int start, int mine) {
    Levels levels;
    levels.begin.push_back(0);
    levels.found.push_back(start);
    part_[start] = -2;
    for (std::size_t done = 0; done < levels.found.size();) {
      const std::size_t end = levels.found.size();
      levels.begin.push_back(static_cast<int>(end));
      for (; done < end; ++done) visit_neighbours(levels, done, mine);
    }
    for (const int v : levels.found) part_[v] = mine;
    return levels;
  }

  void visit_neighbours(Levels& levels, std::size_t done, int mine) {
    const int v = levels.found[done];
    for (long p = graph_.begin[v]; p < graph_.begin[v + 1]; ++p) {
      const int other = graph_.neighbour[p];
      if (part_[other] != mine) continue;
      part_[other] = -2;
      levels.found.push_back(other);
    }
  }

  // The level in which half of the vertices are reached, neither the first nor the last.
  static std::pair<int, int> middle(const Levels& levels) {
    const int half = levels.begin.back() / 2;
    int level = 1;
    while (level < levels.count() - 2 && levels.begin[level + 1] <= half) ++level;
    return {levels.begin[level], levels.begin[level + 1]};
  }

  bool touches(int v, int part) const {
    for (long p = graph_.begin[v]; p < graph_.begin[v + 1]; ++p)
      if (part_[graph_.neighbour[p]] == part) return true;
    return false;
  }

  // The next blocks: as few as the largest size allows, about equal.
  void emit(const std::vector<int>& vertices) {
    const int count = static_cast<int>(vertices.size());
    const int blocks = (count + largest_block_ - 1) / largest_block_;
    const int before = result_.begin.back();
    for (int b = 1; b <= blocks; ++b)
      result_.begin.push_back(before + static_cast<int>(static_cast<long>(count) * b / blocks));
    for (const int v : vertices) part_[v] = 0;
    result_.order.insert(result_.order.end(), vertices.begin(), vertices.end());
  }

  const Graph& graph_;
  int largest_block_;
  std::vector<int> part_;  // of each vertex; 0: in a block; negative: set aside for a moment
  int parts_ = 0;
  Dissection result_;
};

}  // namespace

Dissection dissect(const Graph& graph, int largest_block) {
  return Dissector(graph, largest_block).run();
}

}  // namespace jobs
