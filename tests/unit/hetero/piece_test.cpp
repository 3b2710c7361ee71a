// Pieces of data on memory nodes: fetched, written back, reclaimed; against a serial model.
#include "hetero/data/piece.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <random>
#include <vector>

#include "fake_device.hpp"

namespace {

namespace hetero = xylem::hetero;
using hetero::Access;

hetero::Shape matrix(size_t x, size_t y) {
  return {hetero::Kind::matrix, sizeof(int), {x, y, 1}, {}};
}

hetero::Layout home(std::vector<int>& data, size_t row_step) {
  hetero::Layout layout;
  layout.arrays[0] = {data.data(), 0};
  layout.row_step = row_step;
  return layout;
}

// The piece's first element on a node that it is acquired on.
int& first(hetero::Piece& piece, int node) {
  const hetero::Location& at = piece.layout(node).arrays[0];
  return *reinterpret_cast<int*>(static_cast<std::byte*>(at.memory) + at.offset);
}

struct Machine {
  explicit Machine(int devices, size_t capacity = SIZE_MAX) : device(static_cast<size_t>(devices)) {
    for (fake::Device& each : device) memories.add(each.driver(), capacity, {true, 1000, 1});
  }
  std::vector<fake::Device> device;
  hetero::Memories memories;
};

TEST(Pieces, RowsWithGapsComeBackInPlace) {
  Machine machine(1);
  std::vector<int> data(10 * 4, -1);
  hetero::Piece piece(machine.memories, matrix(7, 4), home(data, 10));
  ASSERT_EQ(piece.acquire(1, Access::write), 0);
  const hetero::Layout& there = piece.layout(1);
  EXPECT_EQ(there.row_step, 7u);
  for (int i = 0; i < 28; ++i) (&first(piece, 1))[i] = i;
  piece.release(1, Access::write);
  EXPECT_EQ(machine.device[0].writes, 0) << "what is only written needs no old contents";
  ASSERT_EQ(piece.acquire(0, Access::read), 0);
  piece.release(0, Access::read);
  EXPECT_EQ(machine.device[0].reads, 1) << "all rows at once";
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 10; ++x)
      EXPECT_EQ(data[static_cast<size_t>(10 * y + x)], x < 7 ? 7 * y + x : -1);
  EXPECT_EQ(piece.check(), nullptr);
}

// Memory as kernels expect it, and a way to shift what lies there.
struct Aligned {
  alignas(hetero::kernel_alignment) std::array<int, 64> ints{};

  hetero::Layout at(size_t first, size_t row_step) {
    hetero::Layout layout;
    layout.arrays[0] = {ints.data(), first * sizeof(int)};
    layout.row_step = row_step;
    return layout;
  }
};

TEST(ZeroCopy, ADeviceUsesWhereItLiesWhatKernelsMayWorkOn) {
  Machine machine(2);
  machine.memories.node(1).shares_main = true;
  Aligned data;
  const auto node_of = [&](size_t first, size_t row_step) {
    const hetero::Piece piece(machine.memories, matrix(8, 3), data.at(first, row_step));
    EXPECT_EQ(piece.node_for(2), 2) << "a device with a memory of its own";
    EXPECT_EQ(piece.node_for(0), 0);
    return piece.node_for(1);
  };
  EXPECT_EQ(node_of(0, 8), 0);
  EXPECT_EQ(node_of(32, 8), 0);
  EXPECT_EQ(node_of(16, 8), 1) << "64 bytes beside the boundary";
  EXPECT_EQ(node_of(0, 9), 1) << "gaps between rows";
}

TEST(ZeroCopy, DataWithoutAnAddressGetsMemoryThatFits) {
  Machine machine(1);
  machine.memories.node(1).shares_main = true;
  for (const size_t ints : {size_t{1}, size_t{3}, size_t{100}}) {
    hetero::Piece piece(machine.memories, matrix(ints, 1));
    const int node = piece.node_for(1);
    EXPECT_EQ(node, 0);
    ASSERT_EQ(piece.acquire(node, Access::write), 0);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(&first(piece, node)) % hetero::kernel_alignment, 0u);
    piece.release(node, Access::write);
  }
  EXPECT_EQ(machine.device[0].most_held, 0u);
}

TEST(ZeroCopy, NothingIsBroughtThere) {
  Machine machine(2);
  machine.memories.node(1).shares_main = true;
  Aligned data;
  hetero::Piece piece(machine.memories, matrix(8, 1), data.at(0, 8));
  EXPECT_EQ(piece.fetch_cost(1), 0);
  EXPECT_GT(piece.fetch_cost(2), 0);
  EXPECT_EQ(piece.prefetch(1), 0);
  EXPECT_FALSE(piece.valid_on(1));
  ASSERT_EQ(piece.acquire(2, Access::write), 0);
  piece.release(2, Access::write);
  EXPECT_GT(piece.fetch_cost(1), 0) << "its value is on the other device";
  EXPECT_EQ(piece.prefetch(1), 0);
  EXPECT_TRUE(piece.valid_on(0));
  EXPECT_EQ(machine.device[0].writes, 0);
}

TEST(ZeroCopy, WhatADeviceHasLostInPlaceIsElsewhereOrNowhere) {
  Machine machine(2);
  machine.memories.node(1).shares_main = true;
  Aligned data;
  hetero::Piece piece(machine.memories, matrix(8, 1), data.at(0, 8));
  ASSERT_EQ(piece.prefetch(2), 0);
  ASSERT_EQ(piece.acquire(0, Access::read_write), 0);
  data.ints[0] = 7;  // by the kernel that was under way
  piece.lose_in_place(1);
  ASSERT_EQ(piece.acquire(0, Access::read_write), 0) << "the other device has a copy";
  EXPECT_EQ(data.ints[0], 0);
  piece.release(0, Access::read_write);
  ASSERT_EQ(piece.acquire(0, Access::read_write), 0);
  piece.lose_in_place(1);
  EXPECT_EQ(piece.acquire(0, Access::read), EIO);
  EXPECT_EQ(piece.check(), nullptr);
}

TEST(Pieces, WhatHasNoValueCannotBeRead) {
  Machine machine(1);
  hetero::Piece piece(machine.memories, matrix(4, 1));
  EXPECT_EQ(piece.acquire(0, Access::read), ENODATA);
  ASSERT_EQ(piece.acquire(1, Access::write), 0);
  first(piece, 1) = 5;
  piece.release(1, Access::write);
  ASSERT_EQ(piece.acquire(0, Access::read), 0);
  EXPECT_EQ(first(piece, 0), 5);
  piece.release(0, Access::read);
  piece.invalidate();
  EXPECT_EQ(piece.acquire(0, Access::read), ENODATA);
  EXPECT_EQ(piece.check(), nullptr);
}

TEST(Pieces, AReadOfAValidCopyMovesNothing) {
  Machine machine(2);
  std::vector<int> data(4, 3);
  hetero::Piece piece(machine.memories, matrix(4, 1), home(data, 4));
  for (int turn = 0; turn < 3; ++turn)
    for (int node = 0; node < 3; ++node) {
      ASSERT_EQ(piece.acquire(node, Access::read), 0);
      EXPECT_EQ(first(piece, node), 3);
      piece.release(node, Access::read);
    }
  EXPECT_EQ(machine.device[0].writes + machine.device[1].writes, 2);
  EXPECT_EQ(machine.device[0].reads + machine.device[1].reads, 0);
}

// The device's copy leaves while a processor writes: the old value must not come over the new one.
TEST(Pieces, AnOldValueIsNotWrittenBackOverWhatIsBeingWritten) {
  Machine machine(1, 64);
  std::vector<int> data(16, 1);
  std::vector<int> other(16, 2);
  hetero::Piece piece(machine.memories, matrix(16, 1), home(data, 16));
  hetero::Piece fills(machine.memories, matrix(16, 1), home(other, 16));
  ASSERT_EQ(piece.acquire(1, Access::write), 0);
  first(piece, 1) = 5;
  piece.release(1, Access::write);
  ASSERT_EQ(piece.acquire(0, Access::write), 0);
  data[0] = 7;
  ASSERT_EQ(fills.acquire(1, Access::read), 0);
  fills.release(1, Access::read);
  piece.release(0, Access::write);
  EXPECT_EQ(data[0], 7);
  EXPECT_EQ(piece.check(), nullptr);
  EXPECT_EQ(machine.device[0].reads, 0);
}

TEST(Pieces, AFullNodeGivesUpTheCleanBeforeTheDirty) {
  Machine machine(1, 3 * 64);
  std::vector<int> data(64, 1);
  std::vector<std::unique_ptr<hetero::Piece>> pieces;
  for (size_t i = 0; i < 4; ++i) {
    hetero::Layout at;
    at.arrays[0] = {data.data() + 16 * i, 0};
    pieces.push_back(std::make_unique<hetero::Piece>(machine.memories, matrix(16, 1), at));
  }
  const auto use = [&](size_t i, Access access) {
    ASSERT_EQ(pieces[i]->acquire(1, access), 0);
    if (writes(access)) first(*pieces[i], 1) = 100 + static_cast<int>(i);
    pieces[i]->release(1, access);
  };
  use(0, Access::read_write);
  use(1, Access::read);
  use(2, Access::read);
  use(3, Access::read);
  EXPECT_TRUE(pieces[0]->valid_on(1)) << "dirty, though used longest ago";
  EXPECT_FALSE(pieces[1]->valid_on(1)) << "clean, and used before 2";
  EXPECT_TRUE(pieces[2]->valid_on(1));
  EXPECT_EQ(machine.device[0].reads, 0);
  use(2, Access::read_write);
  use(3, Access::read_write);
  use(1, Access::read);
  EXPECT_FALSE(pieces[0]->valid_on(1)) << "all are dirty: the least recently used";
  EXPECT_EQ(data[0], 100);
  EXPECT_LE(machine.device[0].most_held, 3u * 64);
}

TEST(Pieces, WhatIsInUseIsNotReclaimed) {
  Machine machine(1, 64);
  std::vector<int> data(32, 1);
  hetero::Piece one(machine.memories, matrix(16, 1), home(data, 16));
  hetero::Piece other(machine.memories, matrix(16, 1));
  ASSERT_EQ(one.acquire(1, Access::read), 0);
  EXPECT_EQ(other.acquire(1, Access::write), ENOMEM);
  EXPECT_EQ(one.evict(1), EBUSY);
  one.release(1, Access::read);
  ASSERT_EQ(other.acquire(1, Access::write), 0);
  other.release(1, Access::write);
  hetero::Piece large(machine.memories, matrix(17, 1));
  EXPECT_EQ(large.acquire(1, Access::write), ENOMEM);
}

TEST(Pieces, ADeviceWithLessThanItSaidIsFullEarlier) {
  Machine machine(1);
  machine.device[0].refuses_beyond = 64;
  std::vector<int> data(32, 1);
  hetero::Piece one(machine.memories, matrix(16, 1), home(data, 16));
  hetero::Piece other(machine.memories, matrix(16, 1));
  ASSERT_EQ(one.prefetch(1), 0);
  ASSERT_EQ(other.acquire(1, Access::write), 0);
  other.release(1, Access::write);
  EXPECT_FALSE(one.valid_on(1));
}

TEST(Pieces, AFailedCopyLeavesTheOldOneValid) {
  Machine machine(1);
  std::vector<int> data(16, 1);
  hetero::Piece piece(machine.memories, matrix(16, 1), home(data, 16));
  machine.device[0].fails = 1;
  EXPECT_EQ(piece.acquire(1, Access::read_write), EIO);
  EXPECT_TRUE(piece.valid_on(0));
  EXPECT_FALSE(piece.valid_on(1));
  EXPECT_EQ(piece.check(), nullptr);
  ASSERT_EQ(piece.acquire(1, Access::read_write), 0);
  EXPECT_EQ(first(piece, 1), 1);
  piece.release(1, Access::read_write);
}

TEST(Pieces, WhatIsWrittenIsTheValueOnceItIsReleased) {
  Machine machine(1);
  std::vector<int> data(16, 1);
  hetero::Piece piece(machine.memories, matrix(16, 1), home(data, 16));
  ASSERT_EQ(piece.acquire(1, Access::read_write), 0);
  first(piece, 1) = 2;
  EXPECT_TRUE(piece.valid_on(0));
  piece.give_up(1);
  EXPECT_TRUE(piece.valid_on(0)) << "nothing was written";
  ASSERT_EQ(piece.acquire(1, Access::read_write), 0);
  piece.release(1, Access::read_write);
  EXPECT_FALSE(piece.valid_on(0));
}

TEST(Pieces, WhatIsSpoiledIsNoCopy) {
  Machine machine(1);
  std::vector<int> data(4, 3);
  hetero::Piece piece(machine.memories, matrix(4, 1), home(data, 4));
  ASSERT_EQ(piece.acquire(1, Access::read_write), 0);
  first(piece, 1) = 8;
  piece.spoil(1);
  ASSERT_EQ(piece.acquire(1, Access::read_write), 0);
  EXPECT_EQ(first(piece, 1), 3) << "main memory's copy is brought anew";
  piece.release(1, Access::read_write);
  ASSERT_EQ(piece.acquire(1, Access::read_write), 0);
  piece.spoil(1);
  EXPECT_FALSE(piece.has_value()) << "the only copy was spoiled";
  EXPECT_EQ(piece.acquire(0, Access::read), ENODATA);
  EXPECT_EQ(piece.check(), nullptr);
}

TEST(Pieces, DevicesWithALinkCopyDirectly) {
  Machine machine(2);
  machine.memories.connect(1, 2, {true, 100, 0.1});
  std::vector<int> data(7 * 4, 1);
  hetero::Piece piece(machine.memories, matrix(7, 4), home(data, 7));
  ASSERT_EQ(piece.acquire(1, Access::write), 0);
  first(piece, 1) = 9;
  piece.release(1, Access::write);
  ASSERT_EQ(piece.acquire(2, Access::read), 0);
  EXPECT_EQ(first(piece, 2), 9);
  piece.release(2, Access::read);
  EXPECT_EQ(machine.device[0].reads, 0);
  EXPECT_EQ(machine.device[1].copies, 1);
}

TEST(Pieces, WithADeviceItsOnlyCopiesAreLost) {
  Machine machine(2);
  std::vector<int> data(16, 1);
  hetero::Piece kept(machine.memories, matrix(16, 1), home(data, 16));
  hetero::Piece lost(machine.memories, matrix(16, 1));
  ASSERT_EQ(kept.prefetch(1), 0);
  ASSERT_EQ(lost.acquire(1, Access::write), 0);
  lost.release(1, Access::write);
  machine.device[0].is_gone = true;
  EXPECT_EQ(lost.acquire(0, Access::read), EIO);
  EXPECT_TRUE(machine.memories.gone(1)) << "a copy showed it";
  EXPECT_EQ(lost.acquire(2, Access::read), EIO);
  EXPECT_EQ(kept.acquire(1, Access::read), ENODEV);
  ASSERT_EQ(kept.acquire(0, Access::read), 0);
  kept.release(0, Access::read);
  ASSERT_EQ(lost.acquire(0, Access::write), 0) << "a new value";
  lost.release(0, Access::write);
  EXPECT_EQ(lost.prefetch(2), 0);
  EXPECT_EQ(lost.check(), nullptr);
}

TEST(Pieces, AllMemoryIsGivenBack) {
  Machine machine(2);
  {
    hetero::Piece piece(machine.memories, matrix(16, 3));
    ASSERT_EQ(piece.acquire(1, Access::write), 0);
    piece.release(1, Access::write);
    ASSERT_EQ(piece.prefetch(2), 0);
  }
  EXPECT_TRUE(machine.device[0].blocks.empty());
  EXPECT_TRUE(machine.device[1].blocks.empty());
}

// Random accesses by nodes that hold a fraction of the data, beside an array that is always right.
TEST(Pieces, EachReadFindsTheLastWrite) {
  std::mt19937 random(21);
  for (int round = 0; round < 30; ++round) {
    const size_t count = 8;
    Machine machine(3, 64 * (1 + random() % 4));
    std::vector<int> data(16 * count);
    std::vector<std::unique_ptr<hetero::Piece>> pieces;
    std::vector<int> right(count);
    std::vector<bool> has_value(count, true);
    for (size_t i = 0; i < count; ++i) {
      hetero::Layout at;
      at.arrays[0] = {data.data() + 16 * i, 0};
      if (i % 2 == 0) {
        pieces.push_back(std::make_unique<hetero::Piece>(machine.memories, matrix(16, 1), at));
      } else {
        pieces.push_back(std::make_unique<hetero::Piece>(machine.memories, matrix(16, 1)));
        has_value[i] = false;
      }
    }
    for (int turn = 1; turn < 500; ++turn) {
      const size_t i = random() % count;
      const int node = static_cast<int>(random() % 4);
      hetero::Piece& piece = *pieces[i];
      const auto access = static_cast<Access>(1 + random() % 3);
      switch (random() % 8) {
        case 0:
          EXPECT_EQ(piece.prefetch(node), has_value[i] ? 0 : ENODATA);
          break;
        case 1:
          EXPECT_EQ(piece.evict(node), 0);
          break;
        case 2:
          if (random() % 8 != 0) break;
          piece.invalidate();
          has_value[i] = false;
          break;
        default: {
          const int got = piece.acquire(node, access);
          if (reads(access) && !has_value[i]) {
            ASSERT_EQ(got, ENODATA);
            break;
          }
          ASSERT_EQ(got, 0);
          if (reads(access)) {
            ASSERT_EQ(first(piece, node), right[i]);
          }
          if (writes(access)) first(piece, node) = right[i] = turn;
          if (writes(access)) has_value[i] = true;
          piece.release(node, access);
        }
      }
      ASSERT_EQ(piece.check(), nullptr);
    }
  }
}

}  // namespace
