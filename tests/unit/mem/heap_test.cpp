// Heaps on nodes: alignment, sizes, whose block an address is, blocks that other threads free, what
// is kept afterwards, fork(). Where the library of pools is missing or a sanitizer is there, blocks
// are pages of their own, and the same must hold but for what only heaps know.
#include "mem/heap/heap.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "mem/fork_lines.hpp"
#include "mem/heap/heap_chunks.hpp"
#include "mem/heap/pool_library.hpp"
#include "mem/map/memory.hpp"
#include "mem/map/nodes.hpp"
#include "os/tls.hpp"
#include "topo/machine.hpp"

namespace xylem::mem {
namespace {

constexpr int nodes = 4;

class Heaps : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const topo::Machine* drawn =
        topo::load_machine("node:4 core:2 pu:1", true).value();  // lives as long as the layer
    start(*drawn);
  }
  static bool with_pools() { return pool_library() != nullptr; }
};

int64_t all_heap_bytes() {
  int64_t sum = 0;
  for (int node = 0; node < nodes; ++node) sum += heap_bytes(node);
  return sum;
}

bool aligned(const void* block, std::size_t to) {
  return reinterpret_cast<std::uintptr_t>(block) % to == 0;
}

TEST_F(Heaps, BlocksHaveTheirSizeAlignmentAndNode) {
  for (const std::size_t alignment : {0u, 1u, 8u, 16u, 64u, 256u, 4096u, 65536u}) {
    for (const std::size_t bytes : {0u, 1u, 15u, 16u, 17u, 1000u, 9000u, 70000u, 300000u}) {
      const int node = static_cast<int>(bytes % nodes);
      void* block = heap_allocate(node, bytes, alignment, false);
      ASSERT_NE(block, nullptr) << bytes << " " << alignment;
      EXPECT_TRUE(aligned(block, std::max<std::size_t>(alignment, 16)))
          << bytes << " " << alignment;
      EXPECT_GE(heap_block_bytes(block), bytes);
      std::memset(block, 0xa5, bytes);
      if (with_pools() && bytes < large_block_bytes && alignment <= 4096) {
        EXPECT_EQ(heap_node(block), node);
        EXPECT_EQ(heap_block_bytes(block), bytes);
        EXPECT_EQ(heap_bytes(node), static_cast<int64_t>(bytes));
      } else {
        EXPECT_EQ(heap_node(block), -1);
        EXPECT_GT(mapped_bytes(block), 0u);
      }
      EXPECT_TRUE(heap_free(block));
      EXPECT_EQ(all_heap_bytes(), 0);
    }
  }
}

TEST_F(Heaps, BlocksDoNotOverlap) {
  std::vector<std::pair<unsigned char*, std::size_t>> blocks;
  for (std::size_t i = 0; i < 3000; ++i) {
    const std::size_t bytes = i * 37 % 2000 + 1;
    auto* block = static_cast<unsigned char*>(
        heap_allocate(static_cast<int>(i % nodes), bytes, i % 3 ? 0 : 128, false));
    ASSERT_NE(block, nullptr);
    std::memset(block, static_cast<int>(i % 251), bytes);
    blocks.emplace_back(block, bytes);
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto [block, bytes] = blocks[i];
    EXPECT_TRUE(std::all_of(block, block + bytes, [&](unsigned char c) { return c == i % 251; }))
        << i;
    EXPECT_TRUE(heap_free(block));
  }
  EXPECT_EQ(all_heap_bytes(), 0);
}

TEST_F(Heaps, AnAddressThatIsNoBlockIsRecognised) {
  int on_stack = 0;
  static int in_data = 0;
  auto* of_malloc = static_cast<char*>(std::malloc(100));
  auto* block = static_cast<char*>(heap_allocate(1, 1000, 0, false));
  const auto odd = reinterpret_cast<void*>(std::uintptr_t{0xffff'ffff'ffff'fff0});
  for (void* address : {static_cast<void*>(&on_stack), static_cast<void*>(&in_data),
                        static_cast<void*>(of_malloc), static_cast<void*>(block + 16),
                        static_cast<void*>(block + 1), static_cast<void*>(block + 512),
                        reinterpret_cast<void*>(16), odd, static_cast<void*>(nullptr)}) {
    EXPECT_FALSE(heap_free(address)) << address;
    EXPECT_EQ(heap_node(address), -1) << address;
    EXPECT_EQ(heap_block_bytes(address), 0u) << address;
  }
  EXPECT_TRUE(heap_free(block));
  EXPECT_FALSE(heap_free(block)) << "freed twice";
  std::free(of_malloc);
}

TEST_F(Heaps, ResizedBlocksKeepBytesAndNode) {
  if (!with_pools()) GTEST_SKIP() << "no pools here";
  auto* block = static_cast<unsigned char*>(heap_allocate(2, 10, 64, false));
  for (int i = 0; i < 10; ++i) block[i] = static_cast<unsigned char>(i);
  for (const std::size_t bytes : {12u, 500u, 20000u, 100000u, 40u, 10u}) {
    block = static_cast<unsigned char*>(heap_resize(block, bytes, 64));
    ASSERT_NE(block, nullptr);
    EXPECT_TRUE(aligned(block, 64));
    EXPECT_EQ(heap_node(block), 2);
    EXPECT_EQ(heap_block_bytes(block), bytes);
    EXPECT_EQ(heap_bytes(2), static_cast<int64_t>(bytes));
    for (int i = 0; i < 10; ++i) EXPECT_EQ(block[i], i) << bytes;
    std::memset(block + 10, 0xff, bytes - 10);
  }
  EXPECT_TRUE(heap_free(block));
  EXPECT_EQ(all_heap_bytes(), 0);
}

TEST_F(Heaps, ThereIsNoMemoryOnNodesThatCannotBe) {
  EXPECT_EQ(heap_allocate(-2, 10, 0, false), nullptr);
  EXPECT_EQ(heap_allocate(1 << 20, 10, 0, false), nullptr);
  EXPECT_EQ(heap_bytes(-2), 0);
  EXPECT_EQ(heap_bytes(1 << 20), 0);
}

TEST_F(Heaps, OfTheProcess) {
  if (!with_pools()) GTEST_SKIP() << "no pools here";
  void* block = heap_allocate(process_heap, 100, 0, false);
  EXPECT_EQ(heap_node(block), -1);
  EXPECT_EQ(heap_block_bytes(block), 100u);
  EXPECT_EQ(heap_bytes(process_heap), 100);
  EXPECT_EQ(all_heap_bytes(), 0);
  EXPECT_TRUE(heap_free(block));
  EXPECT_EQ(heap_bytes(process_heap), 0);
}

// Slots through which threads pass blocks on, so that most are freed by another thread.
struct Exchange {
  static constexpr int slots = 1024;
  std::atomic<void*> slot[slots] = {};
};

// Each block begins with its node and size, and ends with a byte that follows from them.
void write_marks(char* block, std::uint32_t node, std::uint32_t bytes) {
  std::memcpy(block, &node, sizeof node);
  std::memcpy(block + 4, &bytes, sizeof bytes);
  block[bytes - 1] = static_cast<char>(bytes ^ node);
}

bool check_and_free(void* raw, bool with_pools) {
  auto* block = static_cast<char*>(raw);
  std::uint32_t node = 0, bytes = 0;
  std::memcpy(&node, block, sizeof node);
  std::memcpy(&bytes, block + 4, sizeof bytes);
  bool good = block[bytes - 1] == static_cast<char>(bytes ^ node);
  if (with_pools)
    good = good && heap_node(raw) == static_cast<int>(node) && heap_block_bytes(raw) == bytes;
  return heap_free(raw) && good;
}

int use_heaps(Exchange& exchange, unsigned seed, int count, bool with_pools) {
  std::minstd_rand random(seed);
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    const std::uint32_t node = random() % nodes;
    const std::uint32_t bytes = random() % 16 == 0 ? 9 + random() % 12000 : 9 + random() % 300;
    auto* block = static_cast<char*>(
        heap_allocate(static_cast<int>(node), bytes, random() % 8 == 0 ? 64 : 0, false));
    if (!block) return count;
    write_marks(block, node, bytes);
    void* other = exchange.slot[random() % Exchange::slots].exchange(block);
    if (other != nullptr) wrong += !check_and_free(other, with_pools);
  }
  return wrong;
}

TEST_F(Heaps, AMillionBlocksOfSixteenThreadsLeaveNothing) {
  static Exchange exchange;
  constexpr int threads = 16;
  const int each = with_pools() ? 65536 : 500;
  std::atomic<int> wrong{0};
  std::vector<std::thread> workers;
  for (unsigned t = 0; t < threads; ++t)
    workers.emplace_back([&, t] { wrong += use_heaps(exchange, t + 1, each, with_pools()); });
  for (std::thread& worker : workers) worker.join();
  for (auto& slot : exchange.slot)
    if (void* rest = slot.exchange(nullptr)) wrong += !check_and_free(rest, with_pools());
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(all_heap_bytes(), 0);
  // 1024 blocks lived at once, of some 500 bytes. A leak would be 500 MB.
  int64_t chunks = 0;
  for (int node = 0; node < nodes; ++node) chunks += heap_chunk_bytes(node);
  EXPECT_LE(chunks, int64_t{128} << 20);
}

TEST_F(Heaps, AChildOfForkKeepsItsBlocksAndHeaps) {
  if (os::sanitizer_loaded()) GTEST_SKIP() << "libasan's own locks are not taken around fork()";
  static Exchange exchange;
  std::atomic<bool> stop{false};
  std::vector<std::thread> workers;
  for (unsigned t = 0; t < 4; ++t)
    workers.emplace_back([&, t] {
      for (unsigned round = 0; !stop; ++round)
        use_heaps(exchange, 100 * round + t + 1, 200, with_pools());
    });
  auto* block = static_cast<char*>(heap_allocate(3, 200, 0, false));
  std::strcpy(block, "xylem");
  for (int round = 0; round < 20; ++round) {
    base::prepare_fork(fork_lines);  // as the runtime does
    const pid_t child = fork();
    base::release_after_fork(fork_lines, child == 0);
    if (child == 0) {
      static Exchange own;
      bool good = std::strcmp(block, "xylem") == 0 && heap_free(block);
      good = good && use_heaps(own, 7, 300, with_pools()) == 0;
      _exit(good ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << round;
  }
  stop = true;
  for (std::thread& worker : workers) worker.join();
  for (auto& slot : exchange.slot)
    if (void* rest = slot.exchange(nullptr)) {
      EXPECT_TRUE(check_and_free(rest, with_pools()));
    }
  EXPECT_STREQ(block, "xylem");
  EXPECT_TRUE(heap_free(block));
  EXPECT_EQ(all_heap_bytes(), 0);
}

TEST_F(Heaps, WhoForksMayUseHeapsMeanwhile) {
  lock_heaps();
  void* block = heap_allocate(0, 100, 0, false);
  EXPECT_NE(block, nullptr);
  EXPECT_TRUE(heap_free(block));
  unlock_heaps(false);
}

TEST(HeapChunks, AreKnownFromTheirFirstToTheirLastByte) {
  char* const start = reinterpret_cast<char*>(std::uintptr_t{0x1234'5670'0000});
  ASSERT_TRUE(record_chunks(start, 3 * chunk_bytes, 7));
  EXPECT_EQ(heap_number_of(start), 7);
  EXPECT_EQ(heap_number_of(start + 3 * chunk_bytes - 1), 7);
  EXPECT_EQ(heap_number_of(start - 1), 0);
  EXPECT_EQ(heap_number_of(start + 3 * chunk_bytes), 0);
  forget_chunks(start, 3 * chunk_bytes);
  EXPECT_EQ(heap_number_of(start), 0);
  EXPECT_FALSE(record_chunks(reinterpret_cast<char*>(std::uintptr_t{1} << 47), chunk_bytes, 7));
}

}  // namespace
}  // namespace xylem::mem
