// Who gets which processors: by hand, and laws over random claims.
#include "sched/share/division.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace xylem::sched {
namespace {

CpuMask range(int first, int end) {
  CpuMask mask;
  for (int cpu = first; cpu < end; ++cpu) mask.add(cpu);
  return mask;
}

std::string text_of(const CpuMask& mask) {
  std::string text;
  mask.each([&](int cpu) { text += (text.empty() ? "" : ",") + std::to_string(cpu); });
  return text;
}

std::vector<CpuMask> divided(const std::vector<Claim>& claims, uint64_t turn = 0) {
  std::vector<CpuMask> own(claims.size());
  divide(claims, turn, own);
  return own;
}

std::vector<std::string> texts(const std::vector<Claim>& claims, uint64_t turn = 0) {
  std::vector<std::string> out;
  for (const CpuMask& mask : divided(claims, turn)) out.push_back(text_of(mask));
  return out;
}

using Texts = std::vector<std::string>;

TEST(Division, OneAloneGetsAll) { EXPECT_EQ(texts({{range(0, 4), 1}}), (Texts{"0,1,2,3"})); }

TEST(Division, TwoThatNeedAllGetHalfEach) {
  EXPECT_EQ(texts({{range(0, 2), 2}, {range(0, 2), 2}}), (Texts{"0", "1"}));
  EXPECT_EQ(texts({{range(0, 8), 8}, {range(0, 8), 8}}), (Texts{"0,1,2,3", "4,5,6,7"}));
}

TEST(Division, WhatOneDoesNotNeedTheOtherGets) {
  EXPECT_EQ(texts({{range(0, 8), 1}, {range(0, 8), 7}}), (Texts{"0", "1,2,3,4,5,6,7"}));
}

TEST(Division, WhatNobodyNeedsGoesToWhoHasLeast) {
  EXPECT_EQ(texts({{range(0, 8), 1}, {range(0, 8), 3}}), (Texts{"0,1,2,3", "4,5,6,7"}));
  EXPECT_EQ(texts({{range(0, 8), 1}, {range(0, 8), 5}}), (Texts{"0,1,2", "3,4,5,6,7"}));
}

TEST(Division, WhoRestsGetsNone) {
  EXPECT_EQ(texts({{range(0, 4), 0}, {range(0, 4), 1}}), (Texts{"", "0,1,2,3"}));
}

TEST(Division, ARemainderGoesRound) {
  const std::vector<Claim> three(3, Claim{range(0, 4), 4});
  EXPECT_EQ(texts(three, 0), (Texts{"0,1", "2", "3"}));
  EXPECT_EQ(texts(three, 1), (Texts{"0", "1,2", "3"}));
  EXPECT_EQ(texts(three, 2), (Texts{"0", "1", "2,3"}));
  EXPECT_EQ(texts(three, 3), texts(three, 0));
}

TEST(Division, MoreThanProcessorsGoRound) {
  const std::vector<Claim> three(3, Claim{range(0, 2), 2});
  EXPECT_EQ(texts(three, 0), (Texts{"0", "1", ""}));
  EXPECT_EQ(texts(three, 1), (Texts{"", "0", "1"}));
}

TEST(Division, MasksAreKeptTo) {
  EXPECT_EQ(texts({{range(0, 2), 2}, {range(0, 1), 1}}), (Texts{"1", "0"}));
  EXPECT_EQ(texts({{range(0, 4), 4}, {range(4, 8), 4}}), (Texts{"0,1,2,3", "4,5,6,7"}));
  EXPECT_EQ(texts({{range(0, 0), 4}, {range(0, 2), 1}}), (Texts{"", "0,1"}));
}

struct Drawn {
  std::vector<Claim> claims;
  std::vector<CpuMask> own;
};

Drawn draw(std::mt19937& random, bool masks) {
  Drawn drawn;
  const int cpus = 1 + static_cast<int>(random() % 20);
  const int claims = 1 + static_cast<int>(random() % 9);
  for (int i = 0; i < claims; ++i) {
    Claim claim{range(0, cpus), static_cast<int>(random() % 12)};
    if (masks)
      for (int cpu = 0; cpu < cpus; ++cpu)
        if (random() % 3 == 0) claim.cpus.remove(cpu);
    drawn.claims.push_back(claim);
  }
  drawn.own = divided(drawn.claims, random() % 100);
  return drawn;
}

TEST(Division, NobodyGetsWhatIsAnothersAndNothingIsLeft) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    const Drawn drawn = draw(random, true);
    CpuMask wanted, given;
    int sum = 0;
    for (size_t i = 0; i < drawn.own.size(); ++i) {
      const CpuMask& mine = drawn.own[i];
      EXPECT_EQ((mine & drawn.claims[i].cpus), mine);
      if (drawn.claims[i].needs == 0) {
        EXPECT_EQ(mine.count(), 0);
        continue;
      }
      sum += mine.count();
      mine.each([&](int cpu) { given.add(cpu); });
      drawn.claims[i].cpus.each([&](int cpu) { wanted.add(cpu); });
    }
    ASSERT_EQ(sum, given.count()) << "round " << round;
    ASSERT_EQ(given, wanted) << "round " << round;
  }
}

// With one mask for all: nobody has two more than another one who needs more.
TEST(Division, IsFair) {
  std::mt19937 random(2);
  for (int round = 0; round < 3000; ++round) {
    const Drawn drawn = draw(random, false);
    for (size_t i = 0; i < drawn.own.size(); ++i)
      for (size_t j = 0; j < drawn.own.size(); ++j) {
        if (drawn.own[j].count() >= drawn.claims[j].needs) continue;
        ASSERT_LE(drawn.own[i].count(), drawn.own[j].count() + 1) << "round " << round;
      }
  }
}

TEST(Division, EachGetsTheSameOverAllTurns) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const size_t n = 1 + random() % 7;
    const int cpus = 1 + static_cast<int>(random() % 16);
    const std::vector<Claim> claims(n, Claim{range(0, cpus), cpus});
    std::vector<int> sums(n, 0);
    for (size_t turn = 0; turn < n; ++turn) {
      const std::vector<CpuMask> own = divided(claims, turn);
      for (size_t i = 0; i < n; ++i) sums[i] += own[i].count();
    }
    ASSERT_TRUE(std::ranges::all_of(sums, [&](int sum) { return sum == cpus; }));
  }
}

TEST(Division, ManyProcessesOnALargeMachine) {
  const std::vector<Claim> claims(most_rows, Claim{range(0, CpuMask::most), CpuMask::most});
  for (const CpuMask& mine : divided(claims, 7)) EXPECT_EQ(mine.count(), CpuMask::most / most_rows);
}

}  // namespace
}  // namespace xylem::sched
