// The chain of worksharing constructs, and doacross bookkeeping that does not need to wait.
#include "omp/loops/work_share.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace xylem::omp {
namespace {

// Meets one construct; returns whether the member was the first.
bool meet(WorkShares& works, WorkCursor& cursor, uint64_t mark, uint32_t barriers = 0) {
  if (!works.arrive(cursor, barriers)) return false;
  cursor.making->loop.chunk = mark;
  works.publish(cursor);
  return true;
}

TEST(WorkShares, MembersMayRunAheadOfEachOther) {
  constexpr int kMembers = 5;
  constexpr uint64_t kConstructs = 300;
  WorkShares works;
  works.open(kMembers, 0);
  WorkCursor cursors[kMembers];
  for (WorkCursor& cursor : cursors) cursor.start(works.anchor());
  uint64_t met[kMembers] = {};
  int makers[kConstructs] = {};
  std::mt19937 random(3);
  for (uint64_t turn = 0; turn < kMembers * kConstructs;) {
    const auto who = random() % kMembers;
    if (met[who] == kConstructs) continue;
    const uint64_t number = met[who]++;
    makers[number] += meet(works, cursors[who], number + 1);
    EXPECT_EQ(cursors[who].current().loop.chunk, number + 1);
    EXPECT_EQ(cursors[who].current().number, number + 2);
    ++turn;
  }
  for (int made : makers) EXPECT_EQ(made, 1);
}

TEST(WorkShares, FewRecordsServeConstructsWithBarriers) {
  WorkShares works;
  works.open(3, 0);
  WorkCursor cursors[3];
  for (WorkCursor& cursor : cursors) cursor.start(works.anchor());
  std::set<WorkShare*> seen;
  for (uint32_t construct = 0; construct < 100; ++construct)
    for (WorkCursor& cursor : cursors) {
      meet(works, cursor, construct, construct);
      seen.insert(&cursor.current());
      EXPECT_LE(cursor.current().left.load(), 1U) << "nobody counts but who makes the next";
    }
  EXPECT_LE(seen.size(), 3U);
}

// Members that come late, barriers here and there: each record's content is still the construct's
// when the last one comes to it, and a record that all have left serves again.
void barriers_here_and_there(int members) {
  constexpr int kConstructs = 3000;
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    std::set<WorkShare*> seen;
    std::vector<uint32_t> barriers{0};  // before each construct
    for (int i = 1; i < kConstructs; ++i) barriers.push_back(barriers.back() + (random() % 3 == 0));
    WorkShares works;
    works.open(members, 0);
    std::vector<WorkCursor> cursors(static_cast<size_t>(members));
    for (WorkCursor& cursor : cursors) cursor.start(works.anchor());
    std::vector<int> met(static_cast<size_t>(members));
    const auto may_go_on = [&](size_t who) {
      const int next = met[who];
      if (next == kConstructs) return false;
      for (const int other : met)  // all came to a barrier before anybody passes it
        if (next > 0 && barriers[next] != barriers[next - 1] && other < next) return false;
      return true;
    };
    for (int left = members * kConstructs; left > 0;) {
      const size_t who = random() % cursors.size();
      if (!may_go_on(who)) continue;
      const int construct = met[who]++;
      const WorkStep* const before = cursors[who].at;
      meet(works, cursors[who], static_cast<uint64_t>(construct), barriers[construct]);
      ASSERT_NE(cursors[who].at, before);
      ASSERT_EQ(cursors[who].current().loop.chunk, static_cast<uint64_t>(construct));
      seen.insert(&cursors[who].current());
      --left;
    }
    EXPECT_LE(seen.size(), 30U);  // as long as the longest chain between two barriers, and batches
  }
}

TEST(WorkShares, BarriersHereAndThereTakeNoRecordFromAnybody) {
  for (const int members : {1, 2, 3}) {
    SCOPED_TRACE(members);
    barriers_here_and_there(members);
  }
}

TEST(WorkShares, FewRecordsServeConstructsWithoutBarriers) {
  WorkShares works;
  works.open(3, 0);
  WorkCursor cursors[3];
  for (WorkCursor& cursor : cursors) cursor.start(works.anchor());
  std::set<WorkShare*> seen;
  for (uint64_t construct = 0; construct < 1000; ++construct)
    for (WorkCursor& cursor : cursors) {
      meet(works, cursor, construct);
      cursor.nowait = true;
      seen.insert(&cursor.current());
    }
  EXPECT_LE(seen.size(), 40u);  // one in use, those that somebody has in hand, those to take
}

TEST(WorkShares, ConstructsOfRealThreadsAreMadeOnce) {
  constexpr int kMembers = 4;
  constexpr uint64_t kConstructs = 20000;
  WorkShares works;
  works.open(kMembers, 0);
  SingleClaims claims;
  std::atomic<uint64_t> made{0};
  std::atomic<uint64_t> singles{0};
  std::atomic<uint64_t> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kMembers; ++i)
    threads.emplace_back([&] {
      WorkCursor cursor;
      cursor.start(works.anchor());
      for (uint64_t construct = 1; construct <= kConstructs; ++construct) {
        made += meet(works, cursor, construct);
        cursor.nowait = construct / 100 % 3 != 0;  // batches of all lengths
        singles += claims.claim(cursor);
        wrong += cursor.current().loop.chunk != construct;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made.load(), kConstructs);
  EXPECT_EQ(singles.load(), kConstructs);
  EXPECT_EQ(wrong.load(), 0u);
}

// Many short regions one after the other, and several at the same time that share a shelf: what a
// region borrows is as new, its own while it lasts, and given back.
TEST(WorkShares, RegionsBorrowRecordsAndGiveThemBack) {
  constexpr int kTeams = 3;
  constexpr int kRegions = 5000;
  constexpr int kConstructs = 4;
  std::atomic<uint64_t> wrong{0};
  std::atomic<uint64_t> new_to_one{0};
  std::vector<std::thread> makers;
  for (int team = 0; team < kTeams; ++team)
    makers.emplace_back([&, team] {
      WorkShares works;
      std::set<WorkStep*> known;
      for (int region = 0; region < kRegions; ++region) {
        works.open(2, 7);
        WorkCursor ahead, behind;
        WorkStep* first = &works.anchor();
        if (region % 2 != 0) {
          WorkShare& share = works.open_with_construct();
          share.loop.chunk = 99;
          first = &share;
        }
        ahead.start(*first);
        behind.start(*first);
        if (region % 2 != 0) wrong += ahead.current().loop.chunk != 99;
        const auto mark = [&](int construct) {
          return static_cast<uint64_t>((team * kRegions + region) * kConstructs + construct + 1);
        };
        for (int i = 0; i < kConstructs; ++i) {
          wrong += !meet(works, ahead, mark(i));
          wrong += ahead.current().loop.others_may_wait || ahead.current().reductions != nullptr ||
                   ahead.current().memory != nullptr;
          ahead.current().loop.others_may_wait = true;
          ahead.current().make_memory(100);
          new_to_one += known.insert(ahead.at).second;
        }
        for (int i = 0; i < kConstructs; ++i) {
          wrong += meet(works, behind, mark(i));
          wrong += behind.current().loop.chunk != mark(i);
          wrong += behind.current().number != static_cast<uint32_t>(i + 2);
        }
        works.close();
      }
    });
  for (std::thread& maker : makers) maker.join();
  EXPECT_EQ(wrong.load(), 0u);
  // Of 60,000 constructs nearly all had a record that was there already.
  EXPECT_LT(new_to_one.load(), uint64_t{kTeams} * kRegions * kConstructs / 10);
}

TEST(WorkShares, WhoIsFarAheadIsToldSo) {
  WorkShares works;
  works.open(2, 0);
  WorkCursor ahead, behind;
  ahead.start(works.anchor());
  behind.start(works.anchor());
  int made = 0;
  while (!works.far_ahead(ahead)) {
    ASSERT_LT(made, 10000);
    meet(works, ahead, 1);
    ++made;
  }
  EXPECT_FALSE(works.far_ahead(behind));  // for it they are made already
  EXPECT_FALSE(works.caught_up());
  works.waited();  // in vain: as many again
  EXPECT_FALSE(works.far_ahead(ahead));
  for (int i = 0; i < made; ++i) meet(works, ahead, 1);
  EXPECT_TRUE(works.far_ahead(ahead));
  for (int i = 0; i < 2 * made; ++i) EXPECT_FALSE(meet(works, behind, 1));
  EXPECT_TRUE(works.caught_up());
  EXPECT_FALSE(works.far_ahead(ahead));
}

TEST(WorkShares, MemoryIsZeroedForEachConstruct) {
  WorkShare share;
  for (size_t bytes : {16u, 64u, 8u, 4096u, 32u}) {
    auto* memory = static_cast<unsigned char*>(share.make_memory(bytes));
    EXPECT_EQ(std::count(memory, memory + bytes, 0), static_cast<long>(bytes));
    std::fill(memory, memory + bytes, 0xff);
  }
}

TEST(Doacross, APostSatisfiesAllThatCameBeforeInItsBlock) {
  for (uint64_t inner : {uint64_t{4}, uint64_t{1} << 62}) {  // numbered, and element by element
    Doacross doacross;
    const uint64_t sizes[] = {6, inner, inner};
    doacross.open(3, sizes, {false, 2, 3});
    for (uint64_t outer = 0; outer < 6; ++outer)
      for (uint64_t j = 0; j < 4; ++j) {
        const uint64_t posted[] = {outer, j, inner - 1};
        doacross.post(posted);
        doacross.wait(posted);
        const uint64_t earlier[] = {outer, j, 0};
        doacross.wait(earlier);
        const uint64_t first[] = {outer / 2 * 2, 0, 0};
        doacross.wait(first);
      }
  }
}

TEST(Doacross, BlocksByMember) {
  Doacross doacross;
  const uint64_t sizes[] = {10};
  doacross.open(1, sizes, {true, 1, 4});
  for (uint64_t i = 0; i < 10; ++i) {
    doacross.post(&i);
    doacross.wait(&i);
  }
}

}  // namespace
}  // namespace xylem::omp
