// GCC's arrays of task reductions, word by word as GCC 12 writes them (-fdump-tree-optimized).
#include "abi/gomp/reduction_decode.hpp"

#include <gtest/gtest.h>

namespace xylem {
namespace {

uintptr_t word(const void* address) { return reinterpret_cast<uintptr_t>(address); }

constexpr uintptr_t unset = 0xabababab;  // words that the compiled code leaves as they were
constexpr uintptr_t no_allocator = ~uintptr_t{0};

class ReductionArrays : public testing::Test {
 protected:
  ~ReductionArrays() override { omp::free_reductions(blocks_); }

  // taskgroup task_reduction(+: x, y) with int x; long y[5];
  int x_ = 0;
  long y_[5] = {};
  uintptr_t array_[13] = {2,         64, 64,    no_allocator, 0, unset, unset,
                          word(&x_), 0,  unset, word(&y_),    8, unset};
  double z_ = 0;
  uintptr_t other_[10] = {1, 128, 128, no_allocator, 0, unset, unset, word(&z_), 0, unset};
  omp::ReductionBlock* blocks_ = nullptr;
};

TEST_F(ReductionArrays, OneArrayIsOneBlock) {
  blocks_ = abi::decode_reductions(array_);
  EXPECT_EQ(blocks_->next, nullptr);
  EXPECT_EQ(blocks_->thread_bytes, 64u);
  EXPECT_EQ(blocks_->alignment, 64u);
  ASSERT_EQ(blocks_->items().size(), 2u);
  EXPECT_EQ(blocks_->items()[0].address, &x_);
  EXPECT_EQ(blocks_->items()[0].offset, 0u);
  EXPECT_EQ(blocks_->items()[1].address, &y_);
  EXPECT_EQ(blocks_->items()[1].offset, 8u);
}

TEST_F(ReductionArrays, ArraysOfOneConstructKeepTheirOrder) {
  array_[4] = word(other_);
  blocks_ = abi::decode_reductions(array_);
  EXPECT_EQ(blocks_->thread_bytes, 64u);
  ASSERT_NE(blocks_->next, nullptr);
  EXPECT_EQ(blocks_->next->thread_bytes, 128u);
  EXPECT_EQ(blocks_->next->items()[0].address, &z_);
  EXPECT_EQ(blocks_->next->next, nullptr);
}

TEST_F(ReductionArrays, TheAnswerIsWhereTheCopiesAre) {
  array_[4] = word(other_);
  blocks_ = abi::decode_reductions(array_);
  char copies[2][256];
  blocks_->copies = copies[0];
  blocks_->copies_end = copies[0] + 128;
  blocks_->next->copies = copies[1];
  blocks_->next->copies_end = copies[1] + 256;
  abi::answer_reductions(array_, blocks_);
  EXPECT_EQ(array_[2], word(copies[0]));
  EXPECT_EQ(array_[6], word(copies[0] + 128));
  EXPECT_EQ(other_[2], word(copies[1]));
  EXPECT_EQ(other_[6], word(copies[1] + 256));
  EXPECT_EQ(abi::blocks_of(array_), blocks_);
  for (auto* block = blocks_; block; block = block->next)
    block->copies = nullptr;  // not the heap's
}

TEST_F(ReductionArrays, TheAnswerLeavesTheRestAlone) {
  blocks_ = abi::decode_reductions(array_);
  abi::answer_reductions(array_, blocks_);
  const uintptr_t expected[13] = {2,         64, 0,     no_allocator, 0, word(blocks_), 0,
                                  word(&x_), 0,  unset, word(&y_),    8, unset};
  for (size_t i = 0; i < 13; ++i) EXPECT_EQ(array_[i], expected[i]) << "word " << i;
}

// The compiled code of a taskloop looks at this word to see whether there is anything to add up.
TEST_F(ReductionArrays, NoIterationsNoCopies) {
  abi::answer_no_reductions(array_);
  EXPECT_EQ(array_[2], 0u);
}

}  // namespace
}  // namespace xylem
