// Copies near processors: when they are made, what they are when others write, and what all costs.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "fake_device.hpp"
#include "hetero/data/piece.hpp"

namespace {

namespace hetero = xylem::hetero;
using hetero::Access;

constexpr size_t ints = 2048;  // of a piece
constexpr size_t piece_bytes = ints * sizeof(int);

// Memory of a node, as the kernel would give it.
struct Near {
  std::map<void*, size_t> blocks;

  hetero::MemoryDriver driver() {
    hetero::MemoryDriver driver;
    driver.device = this;
    driver.allocate = [](void* raw, size_t bytes) {
      void* memory = std::calloc(1, bytes);
      static_cast<Near*>(raw)->blocks[memory] = bytes;
      return memory;
    };
    driver.release = [](void* raw, void* memory) {
      static_cast<Near*>(raw)->blocks.erase(memory);
      std::free(memory);
    };
    return driver;
  }
};

// On whose node the program's data lies, and how often that was asked.
int home_node = 0;
int asked = 0;
int locate(const void*, size_t) { return ++asked, home_node; }
// Near which node the caller's processor is.
int caller_near = 0;
int here() { return caller_near; }

// A byte read from another node takes 2 ns, from the own one 1, and so does one that is written. So
// a use from afar costs 1 ns a byte, a copy 3 and 0.4 for fresh pages: the fourth use makes it.
struct Machine {
  Machine(int nodes, int devices, size_t capacity = SIZE_MAX)
      : near(static_cast<size_t>(nodes)), device(static_cast<size_t>(devices)) {
    home_node = asked = 0;
    costs.nodes = nodes;
    const auto pairs = static_cast<size_t>(nodes * nodes);
    costs.read_latency_ns.assign(pairs, 0);
    costs.write_latency_ns.assign(pairs, 0);
    costs.read_ns_per_byte.assign(pairs, 2);
    costs.write_ns_per_byte.assign(pairs, 2);
    for (int node = 0; node < nodes; ++node)
      costs.read_ns_per_byte[costs.at(node, node)] = costs.write_ns_per_byte[costs.at(node, node)] =
          1;
    for (fake::Device& each : device) memories.add(each.driver(), capacity, {true, 1000, 1});
    for (int node = 0; node < nodes; ++node)
      memories.add_near(near[static_cast<size_t>(node)].driver(), node, capacity,
                        {&costs, locate, here});
  }
  // The memory node that is the machine's node.
  int number(int node) const { return static_cast<int>(device.size()) + 1 + node; }

  xylem::plan::Costs costs;
  std::vector<Near> near;
  std::vector<fake::Device> device;
  hetero::Memories memories;
};

hetero::Shape vector_of(size_t count) {
  return {hetero::Kind::vector, sizeof(int), {count, 1, 1}, {}};
}

hetero::Layout home(int* data) {
  hetero::Layout layout;
  layout.arrays[0] = {data, 0};
  layout.row_step = ints;
  return layout;
}

int& first(hetero::Piece& piece, int node) {
  const hetero::Location& at = piece.layout(node).arrays[0];
  return *reinterpret_cast<int*>(static_cast<std::byte*>(at.memory) + at.offset);
}

// The memory node on which a processor's access was served; what it read is `expected`.
int use(hetero::Piece& piece, int near, Access access, int expected, int written = 0) {
  int node = -1;
  caller_near = near;
  EXPECT_EQ(piece.acquire_near(access, node), 0);
  if (reads(access)) {
    EXPECT_EQ(first(piece, node), expected);
  }
  if (writes(access)) first(piece, node) = written;
  piece.release(node, access);
  EXPECT_EQ(piece.check(), nullptr);
  return node;
}

TEST(NearPieces, ACopyIsMadeOnceUsesFromAfarHaveCostAsMuch) {
  Machine machine(2, 0);
  std::vector<int> data(ints, 7);
  hetero::Piece piece(machine.memories, vector_of(ints), home(data.data()));
  const int far = machine.number(1);
  for (int turn = 0; turn < 3; ++turn) EXPECT_EQ(use(piece, far, Access::read, 7), 0) << turn;
  EXPECT_TRUE(machine.near[1].blocks.empty());
  for (int turn = 0; turn < 3; ++turn) EXPECT_EQ(use(piece, far, Access::read, 7), far);
  EXPECT_EQ(machine.near[1].blocks.size(), 1u);
  EXPECT_EQ(use(piece, machine.number(0), Access::read, 7), 0) << "it lies there";
  EXPECT_EQ(asked, 1);
}

TEST(NearPieces, FreshPagesAreAPartOfTheCopysCost) {
  const Machine machine(2, 0);
  const hetero::NearAccess& access = machine.memories.near_access();
  EXPECT_EQ(access.away_ns(0, 1, piece_bytes), 1.0 * piece_bytes);
  EXPECT_EQ(access.copy_ns(0, 1, piece_bytes, false), 3.0 * piece_bytes);
  EXPECT_EQ(access.copy_ns(0, 1, piece_bytes, true),
            3.0 * piece_bytes + piece_bytes / 4096 * hetero::NearAccess::fresh_page_ns);
}

TEST(NearPieces, AWriteElsewhereMakesCopiesOldAndCountingBeginsAnew) {
  Machine machine(2, 0);
  std::vector<int> data(ints, 7);
  hetero::Piece piece(machine.memories, vector_of(ints), home(data.data()));
  const int own = machine.number(0);
  const int far = machine.number(1);
  for (int turn = 0; turn < 4; ++turn) use(piece, far, Access::read, 7);
  EXPECT_TRUE(piece.valid_on(far));
  EXPECT_EQ(use(piece, own, Access::read_write, 7, 8), 0);
  EXPECT_FALSE(piece.valid_on(far));
  for (int turn = 0; turn < 3; ++turn) EXPECT_EQ(use(piece, far, Access::read, 8), 0);
  EXPECT_EQ(use(piece, far, Access::read, 8), far);
}

// Data that one node alone works on moves there, and comes home when the program wants it.
TEST(NearPieces, WhatOneNodeWritesMovesThere) {
  Machine machine(2, 0);
  std::vector<int> data(ints, 0);
  hetero::Piece piece(machine.memories, vector_of(ints), home(data.data()));
  const int far = machine.number(1);
  for (int turn = 0; turn < 6; ++turn)
    EXPECT_EQ(use(piece, far, Access::read_write, turn, turn + 1), turn < 3 ? 0 : far);
  EXPECT_EQ(data[0], 3);
  ASSERT_EQ(piece.acquire(0, Access::read), 0);
  piece.release(0, Access::read);
  EXPECT_EQ(data[0], 6);
}

TEST(NearPieces, DataWithoutAHomeLiesWhereItIsFirstWritten) {
  Machine machine(2, 0);
  hetero::Piece piece(machine.memories, vector_of(ints));
  EXPECT_EQ(use(piece, machine.number(1), Access::write, 0, 5), machine.number(1));
  EXPECT_EQ(use(piece, machine.number(0), Access::read, 5), machine.number(1));
  EXPECT_EQ(use(piece, machine.number(1), Access::read, 5), machine.number(1));
}

TEST(NearPieces, SmallDataStaysWhereItIs) {
  Machine machine(2, 0);
  std::vector<int> data(16, 7);
  hetero::Piece piece(machine.memories, vector_of(16), home(data.data()));
  for (int turn = 0; turn < 20; ++turn)
    EXPECT_EQ(use(piece, machine.number(1), Access::read, 7), 0);
  EXPECT_EQ(asked, 0);
}

// It may have addresses of itself inside.
TEST(NearPieces, WhatTheProgramMadeStaysWhereItIs) {
  Machine machine(2, 0);
  std::vector<int> data(ints, 7);
  const hetero::Shape made{hetero::Kind::user, piece_bytes, {}, {}};
  hetero::Piece piece(machine.memories, made, home(data.data()));
  for (int turn = 0; turn < 20; ++turn)
    EXPECT_EQ(use(piece, machine.number(1), Access::read, 7), 0);
}

TEST(NearPieces, WhatLiesNobodyKnowsWhereStaysThere) {
  Machine machine(2, 0);
  home_node = hetero::unknown_node;
  std::vector<int> data(ints, 7);
  hetero::Piece piece(machine.memories, vector_of(ints), home(data.data()));
  for (int turn = 0; turn < 20; ++turn)
    EXPECT_EQ(use(piece, machine.number(1), Access::read, 7), 0);
  EXPECT_LE(asked, 4);
}

TEST(NearPieces, AFullNodesProcessorsUseWhatIsElsewhere) {
  Machine machine(2, 0, piece_bytes - 1);
  std::vector<int> data(ints, 0);
  hetero::Piece piece(machine.memories, vector_of(ints), home(data.data()));
  hetero::Piece made(machine.memories, vector_of(ints));
  for (int turn = 0; turn < 10; ++turn)
    EXPECT_EQ(use(piece, machine.number(1), Access::read_write, turn, turn + 1), 0);
  EXPECT_EQ(use(made, machine.number(1), Access::write, 0, 1), 0) << "in main memory instead";
}

// A copy that nobody uses leaves for one that somebody needs.
TEST(NearPieces, OldCopiesMakeRoom) {
  Machine machine(2, 0, piece_bytes);
  std::vector<int> data(2 * ints, 7);
  hetero::Piece one(machine.memories, vector_of(ints), home(data.data()));
  hetero::Piece other(machine.memories, vector_of(ints), home(data.data() + ints));
  const int far = machine.number(1);
  for (int turn = 0; turn < 4; ++turn) use(one, far, Access::read_write, turn ? 8 : 7, 8);
  for (int turn = 0; turn < 4; ++turn) use(other, far, Access::read, 7);
  EXPECT_FALSE(one.valid_on(far));
  EXPECT_TRUE(other.valid_on(far));
  EXPECT_EQ(data[0], 8) << "the only value was brought home before";
}

TEST(NearPieces, DevicesCopyToAndFromThem) {
  Machine machine(2, 1);
  hetero::Piece piece(machine.memories, vector_of(ints));
  EXPECT_EQ(use(piece, machine.number(1), Access::write, 0, 5), machine.number(1));
  ASSERT_EQ(piece.acquire(1, Access::read_write), 0);
  EXPECT_EQ(first(piece, 1), 5);
  first(piece, 1) = 6;
  piece.release(1, Access::read_write);
  EXPECT_EQ(use(piece, machine.number(0), Access::read, 6), machine.number(0));
  EXPECT_EQ(machine.device[0].writes, 1);
  EXPECT_EQ(machine.device[0].reads, 1);
}

TEST(NearPieces, APolicyIsToldTheCheaperOfUseAndCopy) {
  Machine machine(2, 0);
  std::vector<int> data(ints, 7);
  hetero::Piece piece(machine.memories, vector_of(ints), home(data.data()));
  EXPECT_EQ(piece.fetch_cost(machine.number(0)), 0);
  EXPECT_EQ(piece.fetch_cost(machine.number(1)), piece_bytes) << "a use from afar";
  for (int turn = 0; turn < 4; ++turn) use(piece, machine.number(1), Access::read, 7);
  EXPECT_EQ(piece.fetch_cost(machine.number(1)), 0);
}

// Between two writes, nodes read in any order: what copies and uses from afar cost is at most twice
// what the better of both costs for each node.
TEST(NearPieces, CostsAtMostTwiceTheBest) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    Machine machine(4, 0);
    const double copy =
        machine.memories.near_access().copy_ns(0, 1, piece_bytes, true) / piece_bytes;
    std::vector<int> data(ints, 7);
    hetero::Piece piece(machine.memories, vector_of(ints), home(data.data()));
    double costs = 0;
    double best = 0;
    for (int node = 1; node < 4; ++node) {
      const int uses = static_cast<int>(random() % 12);
      for (int turn = 0; turn < uses; ++turn) {
        const bool had = piece.valid_on(machine.number(node));
        const int at = use(piece, machine.number(node), Access::read, 7);
        costs += at == 0 ? 1 : had ? 0 : copy;
      }
      best += std::min(1.0 * uses, copy);
    }
    EXPECT_LE(costs, 2 * best);
  }
}

// Accesses by processors of all nodes and by devices, where memory is short, beside an array that
// is always right.
TEST(NearPieces, EachReadFindsTheLastWrite) {
  std::mt19937 random(22);
  for (int round = 0; round < 30; ++round) {
    constexpr size_t count = 6;
    Machine machine(3, 2, piece_bytes * (1 + random() % 4));
    std::vector<int> data(ints * count);
    std::vector<std::unique_ptr<hetero::Piece>> pieces;
    std::vector<int> right(count);
    std::vector<bool> has_value(count);
    for (size_t i = 0; i < count; ++i) {
      has_value[i] = i % 2 == 0;
      if (has_value[i])
        pieces.push_back(std::make_unique<hetero::Piece>(machine.memories, vector_of(ints),
                                                         home(data.data() + ints * i)));
      else
        pieces.push_back(std::make_unique<hetero::Piece>(machine.memories, vector_of(ints)));
    }
    for (int turn = 1; turn < 400; ++turn) {
      const size_t i = random() % count;
      hetero::Piece& piece = *pieces[i];
      const auto access = static_cast<Access>(1 + random() % 3);
      caller_near = machine.number(static_cast<int>(random() % 3));
      int node = static_cast<int>(random() % 3);
      if (random() % 16 == 0) {
        EXPECT_EQ(piece.evict(caller_near), 0);
      }
      const int error =
          random() % 4 != 0 ? piece.acquire_near(access, node) : piece.acquire(node, access);
      if (reads(access) && !has_value[i]) {
        EXPECT_EQ(error, ENODATA);
        continue;
      }
      ASSERT_EQ(error, 0);
      if (reads(access)) {
        EXPECT_EQ(first(piece, node), right[i]);
      }
      if (writes(access)) {
        first(piece, node) = right[i] = turn;
        has_value[i] = true;
      }
      piece.release(node, access);
      ASSERT_EQ(piece.check(), nullptr);
    }
  }
}

}  // namespace
