// Distributed arrays: which part has which page, in one dimension and several, with edges that are
// no pages'.
#include "mem/move/distribution.hpp"

#include <gtest/gtest.h>

#include "plan/random.hpp"

namespace xylem::mem {
namespace {

constexpr std::size_t page = 4096;
constexpr auto whole = DimensionKind::whole, block = DimensionKind::block,
               cyclic = DimensionKind::cyclic;

Distribution array_of(std::size_t element_bytes, std::initializer_list<Dimension> dims, int parts) {
  Distribution made{.element_bytes = element_bytes, .parts = parts};
  for (const Dimension& dimension : dims)
    made.dims[static_cast<std::size_t>(made.count++)] = dimension;
  return made;
}

using Parts = std::vector<int>;

TEST(Distribution, BlocksOfOneDimension) {
  const Distribution eight = array_of(page, {{8, block}}, 4);
  EXPECT_EQ(parts_of_pages(0x10000, eight, page), (Parts{0, 0, 1, 1, 2, 2, 3, 3}));
  // As schedule(static): the longer blocks first.
  EXPECT_EQ(parts_of_pages(0x10000, array_of(page, {{6, block}}, 4), page),
            (Parts{0, 0, 1, 1, 2, 3}));
}

TEST(Distribution, InTurn) {
  EXPECT_EQ(parts_of_pages(0x10000, array_of(page, {{7, cyclic}}, 3), page),
            (Parts{0, 1, 2, 0, 1, 2, 0}));
  EXPECT_EQ(parts_of_pages(0x10000, array_of(page, {{7, cyclic, 2}}, 3), page),
            (Parts{0, 0, 1, 1, 2, 2, 0}));
}

// DISTRIBUTE a(*, CYCLIC): whole columns.
TEST(Distribution, ColumnsOfAMatrix) {
  const Distribution columns = array_of(8, {{1024, whole}, {5, cyclic}}, 2);
  EXPECT_EQ(parts_of_pages(0x10000, columns, page), (Parts{0, 0, 1, 1, 0, 0, 1, 1, 0, 0}));
  const Distribution rows = array_of(8, {{1024, block}, {3, whole}}, 2);
  EXPECT_EQ(parts_of_pages(0x10000, rows, page), (Parts{0, 1, 0, 1, 0, 1}));
}

TEST(Distribution, SharedPagesGoWhereMostOfTheirBytesBelong) {
  // Columns of 300 words: a page has 512.
  EXPECT_EQ(parts_of_pages(0x10000, array_of(8, {{300, whole}, {4, block}}, 4), page),
            (Parts{0, 2, 3}));
  // An array that begins in the middle of a page.
  EXPECT_EQ(parts_of_pages(0x10000 + page / 2, array_of(1, {{3 * page, block}}, 3), page),
            (Parts{0, 0, 1, 2}));
}

TEST(Distribution, PartsAreDividedAmongDimensions) {
  const auto grid = [](std::initializer_list<Dimension> dims, int parts) {
    const auto all = grid_of(array_of(1, dims, parts));
    return Parts(all.begin(), all.begin() + static_cast<long>(dims.size()));
  };
  EXPECT_EQ(grid({{9, block}, {9, block}}, 16), (Parts{4, 4}));
  EXPECT_EQ(grid({{9, block}, {9, whole}, {9, cyclic}}, 8), (Parts{2, 1, 4}));
  EXPECT_EQ(grid({{9, block}, {9, block}}, 7), (Parts{1, 7}));
  EXPECT_EQ(grid({{9, block}, {9, block}, {9, block}}, 64), (Parts{4, 4, 4}));
  EXPECT_EQ(grid({{9, whole}, {9, whole}}, 8), (Parts{1, 1}));
}

// Compared with the definition, element by element.
int part_by_definition(const Distribution& array, std::size_t element) {
  const auto grid = grid_of(array);
  int part = 0, stride = 1;
  for (std::size_t d = 0; d < static_cast<std::size_t>(array.count); ++d) {
    const Dimension& dimension = array.dims[d];
    const std::size_t index = element % dimension.extent;
    element /= dimension.extent;
    const auto n = static_cast<std::size_t>(grid[d]);
    std::size_t here = 0;
    if (dimension.kind == cyclic) here = index / dimension.chunk % n;
    if (dimension.kind == block)
      for (std::size_t p = 0, begin = 0; p < n; ++p) {
        begin += dimension.extent / n + (p < dimension.extent % n ? 1 : 0);
        if (index < begin) {
          here = p;
          break;
        }
      }
    part += static_cast<int>(here) * stride;
    stride *= grid[d];
  }
  return part;
}

TEST(Distribution, AgreesWithTheDefinition) {
  plan::Random random(5);
  for (int drawn = 0; drawn < 400; ++drawn) {
    Distribution array{.element_bytes = static_cast<std::size_t>(1 + random.below(12)),
                       .count = 1 + random.below(3),
                       .parts = 1 + random.below(9)};
    for (int d = 0; d < array.count; ++d)
      array.dims[static_cast<std::size_t>(d)] = {static_cast<uint64_t>(1 + random.below(14)),
                                                 static_cast<DimensionKind>(random.below(3)),
                                                 static_cast<uint64_t>(1 + random.below(4))};
    constexpr std::size_t small_page = 16;
    const auto start = static_cast<uintptr_t>(4096 + random.below(16));
    const Parts parts = parts_of_pages(start, array, small_page);
    ASSERT_EQ(parts.size(), (start % small_page + array.bytes() + small_page - 1) / small_page);
    std::vector<std::vector<int>> shares(parts.size(),
                                         std::vector<int>(static_cast<std::size_t>(array.parts)));
    for (std::size_t byte = 0; byte < array.bytes(); ++byte)
      ++shares[(start % small_page + byte) / small_page]
              [static_cast<std::size_t>(part_by_definition(array, byte / array.element_bytes))];
    for (std::size_t i = 0; i < parts.size(); ++i)
      ASSERT_EQ(shares[i][static_cast<std::size_t>(parts[i])],
                *std::max_element(shares[i].begin(), shares[i].end()))
          << "drawn " << drawn << " page " << i;
  }
}

}  // namespace
}  // namespace xylem::mem
