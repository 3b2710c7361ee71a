#include "analysis.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace jobs {
namespace {

class Analyst {
 public:
  Analyst(const Matrix& matrix, int largest_block) {
    Dissection dissection = dissect(graph_of(matrix), largest_block);
    result_.matrix = permuted(matrix, dissection.order);
    result_.block_begin = std::move(dissection.begin);
    block_of_row_.resize(matrix.size);
    for (int b = 0; b < result_.blocks(); ++b)
      std::fill(block_of_row_.begin() + result_.block_begin[b],
                block_of_row_.begin() + result_.block_begin[b + 1], b);
  }

  Analysis run() {
    find_fill();
    make_tiles();
    make_slots();
    make_levels();
    return std::move(result_);
  }

 private:
  // Which tiles are not zero in the factors. What lies below a block, its parent in the elimination
  // tree (the first of them) has below it too.
  void find_fill() {
    const Matrix& m = result_.matrix;
    std::vector<std::set<int>> below(result_.blocks());
    for (int row = 0; row < m.size; ++row)
      for (long p = m.row_begin[row]; p < m.row_begin[row + 1]; ++p) {
        const int a = block_of_row_[row];
        const int b = block_of_row_[m.column[p]];
        if (a != b) below[std::min(a, b)].insert(std::max(a, b));
      }
    for (std::set<int>& mine : below) {
      result_.below.emplace_back(mine.begin(), mine.end());
      if (!mine.empty()) below[*mine.begin()].insert(std::next(mine.begin()), mine.end());
      mine.clear();
    }
  }

  void make_tiles() {
    result_.left_tiles.resize(result_.blocks());
    for (int b = 0; b < result_.blocks(); ++b) {
      result_.pivot_tile.push_back(add_tile(b, b));
      for (const int other : result_.below[b])
        result_.left_tiles[other].push_back(add_tile(other, b));
      for (const int other : result_.below[b]) add_tile(b, other);
    }
  }

  int add_tile(int row, int column) {
    result_.tiles.push_back({result_.memory, row, column});
    result_.memory += static_cast<long>(result_.width(row)) * result_.width(column);
    return static_cast<int>(result_.tiles.size()) - 1;
  }

  // The tile of these blocks, which is stored.
  int find_tile(int row, int column) const {
    const int first = std::min(row, column);
    if (row == column) return result_.pivot_tile[row];
    const std::vector<int>& below = result_.below[first];
    const auto found = std::lower_bound(below.begin(), below.end(), std::max(row, column));
    const int nth = static_cast<int>(found - below.begin());
    return column == first ? result_.below_tile(first, nth) : result_.right_tile(first, nth);
  }

  void make_slots() {
    const Matrix& m = result_.matrix;
    for (int row = 0; row < m.size; ++row)
      for (long p = m.row_begin[row]; p < m.row_begin[row + 1]; ++p) {
        const Tile& tile = result_.tiles[find_tile(block_of_row_[row], block_of_row_[m.column[p]])];
        const long in_row = row - result_.block_begin[tile.row];
        const long in_column = m.column[p] - result_.block_begin[tile.column];
        result_.slot.push_back(tile.place + in_row * result_.width(tile.column) + in_column);
      }
  }

  void make_levels() {
    std::vector<int> level_of(result_.blocks(), 0);
    for (int b = 0; b < result_.blocks(); ++b) {
      const int level = level_of[b];
      if (level >= static_cast<int>(result_.levels.size())) result_.levels.resize(level + 1);
      add_block(result_.levels[level], b);
      if (result_.below[b].empty()) continue;
      int& parent = level_of[result_.below[b].front()];
      parent = std::max(parent, level + 1);
    }
    for (Level& level : result_.levels) {
      group_by_target(level);
      result_.operations += level.operations;
    }
  }

  void add_block(Level& level, int block) {
    const std::vector<int>& below = result_.below[block];
    const int count = static_cast<int>(below.size());
    const double width = result_.width(block);
    level.pivots.push_back(block);
    level.operations += 2.0 / 3 * width * width * width;
    for (int i = 0; i < count; ++i) {
      level.panels.push_back(result_.below_tile(block, i));
      level.panels.push_back(result_.right_tile(block, i));
      level.operations += 2 * width * width * result_.width(below[i]);
      for (int j = 0; j < count; ++j) {
        level.products.push_back({find_tile(below[i], below[j]), result_.below_tile(block, i),
                                  result_.right_tile(block, j)});
        level.operations += 2 * width * result_.width(below[i]) * result_.width(below[j]);
      }
    }
  }

  static void group_by_target(Level& level) {
    std::sort(level.products.begin(), level.products.end(), [](const Product& a, const Product& b) {
      return std::tie(a.target, a.left) < std::tie(b.target, b.left);
    });
    for (std::size_t i = 0; i < level.products.size(); ++i)
      if (i == 0 || level.products[i].target != level.products[i - 1].target)
        level.update_begin.push_back(static_cast<long>(i));
    level.update_begin.push_back(static_cast<long>(level.products.size()));
  }

  Analysis result_;
  std::vector<int> block_of_row_;
};

}  // namespace

Analysis analyse(const Matrix& matrix, int largest_block) {
  return Analyst(matrix, largest_block).run();
}

}  // namespace jobs
