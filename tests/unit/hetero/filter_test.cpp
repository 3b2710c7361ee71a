// Parts cover their piece, each element once.
#include "hetero/data/filter.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

namespace hetero = xylem::hetero;

hetero::Shape box(size_t x, size_t y, size_t z) {
  return {hetero::Kind::block, sizeof(int), {x, y, z}, {}};
}

// Marks each element of each part in an array with gaps between rows and planes.
void expect_covered(size_t x, size_t y, size_t z, const hetero::Cut& cut) {
  const size_t row = x + 3;
  const size_t plane = row * (y + 2);
  std::vector<int> marks(plane * z, 0);
  hetero::Layout home;
  home.arrays[0] = {marks.data(), 0};
  home.row_step = row;
  home.plane_step = plane;
  const hetero::Shape whole = box(x, y, z);
  ASSERT_TRUE(hetero::can_cut(whole, cut));
  for (int number = 0; number < cut.parts(); ++number) {
    const hetero::Part part = hetero::part_of(whole, home, cut, number);
    auto* at = reinterpret_cast<int*>(static_cast<std::byte*>(part.layout.arrays[0].memory) +
                                      part.layout.arrays[0].offset);
    const hetero::Extents& extents = part.shape.extents;
    for (size_t k = 0; k < extents.z; ++k)
      for (size_t j = 0; j < extents.y; ++j)
        for (size_t i = 0; i < extents.x; ++i)
          ++at[k * part.layout.plane_step + j * part.layout.row_step + i];
  }
  for (size_t k = 0; k < z; ++k)
    for (size_t j = 0; j < y + 2; ++j)
      for (size_t i = 0; i < row; ++i) {
        const int expected = i < x && j < y ? 1 : 0;
        ASSERT_EQ(marks[k * plane + j * row + i], expected) << i << " " << j << " " << k;
      }
}

TEST(Filters, PartsCoverTheirPieceOnce) {
  expect_covered(17, 1, 1, {.x = 5});
  expect_covered(12, 9, 1, {.y = 4});
  expect_covered(13, 11, 1, {.x = 3, .y = 4});
  expect_covered(7, 5, 6, {.x = 2, .y = 5, .z = 4});
}

TEST(Filters, PartsDifferByOneAtMost) {
  for (int number = 0; number < 7; ++number) {
    const hetero::Run run = hetero::run_of(23, 7, number);
    EXPECT_TRUE(run.count == 3 || run.count == 4);
  }
}

TEST(Filters, AnEmptyPartIsRefused) {
  EXPECT_FALSE(hetero::can_cut(box(4, 1, 1), {.x = 5}));
  EXPECT_FALSE(hetero::can_cut(box(4, 1, 1), {.x = 0}));
  EXPECT_TRUE(hetero::can_cut(box(4, 1, 1), {.x = 4}));
}

TEST(Filters, SparseMatricesAreCutByRows) {
  std::vector<double> values(7);
  std::vector<uint32_t> columns(7);
  std::vector<uint32_t> starts = {0, 2, 2, 5, 7};
  hetero::Shape whole{hetero::Kind::csr, sizeof(double), {}, {7, 4, 0}};
  hetero::Layout home;
  home.arrays = {hetero::Location{values.data(), 0}, {columns.data(), 0}, {starts.data(), 0}};
  const hetero::Part second = hetero::part_of(whole, home, {.y = 2}, 1);
  EXPECT_EQ(second.shape.csr.entries, 5u);
  EXPECT_EQ(second.shape.csr.rows, 2u);
  EXPECT_EQ(second.shape.csr.first_entry, 2u);
  EXPECT_EQ(second.layout.arrays[0].offset, 2 * sizeof(double));
  EXPECT_EQ(second.layout.arrays[1].offset, 2 * sizeof(uint32_t));
  // A part of the part.
  const hetero::Part last = hetero::part_of(second.shape, second.layout, {.y = 2}, 1);
  EXPECT_EQ(last.shape.csr.entries, 2u);
  EXPECT_EQ(last.shape.csr.first_entry, 5u);
  EXPECT_EQ(last.layout.arrays[0].offset, 5 * sizeof(double));
  EXPECT_EQ(last.layout.arrays[2].offset, 3 * sizeof(uint32_t));
}

}  // namespace
