// OpenMP allocators: traits, alignment, pools and fallbacks. Which traits are accepted is what
// libgomp 12 accepts, and pinned memory besides.
#include "omp/alloc/allocators.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace xylem::omp {
namespace {

enum : std::int32_t {
  sync_hint = 1,
  alignment,
  access,
  pool_size,
  fallback,
  fb_data,
  pinned,
  partition
};
constexpr std::uintptr_t default_value = ~std::uintptr_t{0}, default_mem_fb = 11, null_fb = 12,
                         abort_fb = 13, allocator_fb = 14;

AllocatorHandle make(std::vector<AllocatorTrait> traits, std::uintptr_t space = 0) {
  return make_allocator(space, static_cast<int>(traits.size()), traits.data());
}

void* get(AllocatorHandle allocator, std::size_t size, std::size_t wanted_alignment = 0) {
  return allocate({size, wanted_alignment, allocator, false}, 1);
}

bool aligned(const void* block, std::size_t to) {
  return reinterpret_cast<std::uintptr_t>(block) % to == 0;
}

bool accepted(std::int32_t key, std::uintptr_t value) {
  AllocatorHandle allocator = make({{key, value}});
  destroy_allocator(allocator);
  return allocator != 0;
}

TEST(Allocators, TraitValues) {
  auto range = [](std::int32_t key, std::uintptr_t low, std::uintptr_t high) {
    for (std::uintptr_t v = 0; v < 20; ++v)
      EXPECT_EQ(accepted(key, v), v >= low && v <= high) << key << " " << v;
    EXPECT_TRUE(accepted(key, default_value)) << key;
  };
  range(sync_hint, 3, 6);
  range(access, 7, 10);
  range(fallback, 11, 14);
  range(pinned, 0, 1);
  range(partition, 15, 18);
  range(pool_size, 0, 19);
  range(fb_data, 0, 19);
  for (std::uintptr_t v : {1u, 2u, 4u, 4096u}) EXPECT_TRUE(accepted(alignment, v));
  for (std::uintptr_t v : {0u, 3u, 24u}) EXPECT_FALSE(accepted(alignment, v));
  EXPECT_FALSE(accepted(9, 0));
  EXPECT_FALSE(accepted(0, 0));
}

TEST(Allocators, MemorySpaces) {
  for (std::uintptr_t space = 0; space < 7; ++space) {
    AllocatorHandle allocator = make({}, space);
    EXPECT_EQ(allocator != 0, space <= 4 && space != 3) << space;
    destroy_allocator(allocator);
  }
}

TEST(Allocators, PredefinedOnesGiveMemory) {
  for (AllocatorHandle allocator = 0; allocator <= 8; ++allocator) {
    void* block = get(allocator, 100);
    ASSERT_NE(block, nullptr);
    EXPECT_TRUE(aligned(block, alignof(std::max_align_t)));
    std::memset(block, 1, 100);
    deallocate(block);
  }
  EXPECT_EQ(get(1, 0), nullptr);
  EXPECT_EQ(get(1, SIZE_MAX), nullptr);
  EXPECT_EQ(get(1, SIZE_MAX - 100), nullptr);
  EXPECT_EQ(get(1, 16, 24), nullptr) << "not a power of two";
  deallocate(nullptr);
}

TEST(Allocators, Alignment) {
  AllocatorHandle allocator = make({{alignment, 256}});
  for (std::size_t wanted : {0u, 8u, 64u, 256u, 1024u, 65536u}) {
    void* block = get(allocator, 10, wanted);
    EXPECT_TRUE(aligned(block, std::max<std::size_t>(wanted, 256)));
    deallocate(block);
  }
  destroy_allocator(allocator);
}

TEST(Allocators, PoolsFillAndEmpty) {
  AllocatorHandle allocator = make({{pool_size, 1000}, {fallback, null_fb}});
  void* first = get(allocator, 600);
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(get(allocator, 600), nullptr);
  void* second = get(allocator, 400);
  EXPECT_NE(second, nullptr);
  EXPECT_EQ(get(allocator, 1), nullptr);
  EXPECT_EQ(get(allocator, SIZE_MAX), nullptr);
  deallocate(first);
  deallocate(second);
  void* whole = get(allocator, 1000);
  EXPECT_NE(whole, nullptr);
  deallocate(whole);
  destroy_allocator(allocator);
}

TEST(Allocators, Fallbacks) {
  AllocatorHandle last = make({{pool_size, 100}, {fallback, null_fb}});
  AllocatorHandle chained =
      make({{pool_size, 10}, {fallback, allocator_fb}, {fb_data, last}, {alignment, 128}});
  void* block = get(chained, 80);
  ASSERT_NE(block, nullptr);
  EXPECT_TRUE(aligned(block, 128)) << "a fallback keeps the alignment";
  EXPECT_EQ(get(chained, 80), nullptr) << "the pool of the fallback is charged";
  deallocate(block);
  AllocatorHandle usual = make({{pool_size, 10}});
  block = get(usual, 1000);
  EXPECT_NE(block, nullptr);
  deallocate(block);
  AllocatorHandle aborting = make({{pool_size, 10}, {fallback, abort_fb}});
  EXPECT_DEATH(get(aborting, 11), "cannot give 11 bytes");
  for (AllocatorHandle allocator : {last, chained, usual, aborting}) destroy_allocator(allocator);
}

TEST(Allocators, AFallbackWithoutAnAllocatorIsTheDefaultMemory) {
  AllocatorHandle first = make({{pool_size, 1}, {fallback, allocator_fb}});
  void* block = get(first, 2);
  EXPECT_NE(block, nullptr);
  deallocate(block);
  destroy_allocator(first);
}

TEST(Allocators, ZeroedMemory) {
  AllocatorHandle allocator = make({{alignment, 64}});
  for (int round = 0; round < 10; ++round) {
    auto* block = static_cast<unsigned char*>(allocate({5000, 0, allocator, true}, 1));
    for (int i = 0; i < 5000; ++i) ASSERT_EQ(block[i], 0);
    std::memset(block, 0xff, 5000);
    deallocate(block);
  }
  destroy_allocator(allocator);
}

TEST(Allocators, PinnedBlocksAreWholePages) {
  AllocatorHandle allocator = make({{pinned, 1}, {fallback, default_mem_fb}});
  void* block = get(allocator, 5000);
  ASSERT_NE(block, nullptr);  // pinned, or from the fallback where the limit forbids it
  std::memset(block, 1, 5000);
  deallocate(block);
  destroy_allocator(allocator);
}

TEST(Allocators, Reallocation) {
  AllocatorHandle small = make({{pool_size, 100}, {fallback, null_fb}});
  char* block = static_cast<char*>(reallocate(nullptr, {10, 0, small, false}, 1));
  std::strcpy(block, "xylem");
  block = static_cast<char*>(reallocate(block, {20, 0, 0, false}, 1));
  EXPECT_STREQ(block, "xylem");
  block = static_cast<char*>(reallocate(block, {90, 0, 0, false}, 1));
  EXPECT_STREQ(block, "xylem") << "only what is added is charged";
  EXPECT_EQ(reallocate(block, {101, 0, 0, false}, 1), nullptr) << "more than the pool has";
  EXPECT_STREQ(block, "xylem") << "the old block stays";
  block = static_cast<char*>(reallocate(block, {30, 0, 0, false}, 1));
  void* rest = get(small, 70);
  EXPECT_NE(rest, nullptr) << "a smaller block gives the difference back";
  deallocate(rest);
  block = static_cast<char*>(reallocate(block, {5000, 0, 1, false}, 1));
  EXPECT_STREQ(block, "xylem");
  EXPECT_EQ(reallocate(block, {0, 0, 0, false}, 1), nullptr);
  void* whole = get(small, 100);
  EXPECT_NE(whole, nullptr) << "all was given back";
  deallocate(whole);
  destroy_allocator(small);
}

}  // namespace
}  // namespace xylem::omp
