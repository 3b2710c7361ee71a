// What policies for codelets answer: each gives every task back once, to who may run it.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <vector>

#include "hetero/policy/policy.hpp"

namespace {

namespace hetero = xylem::hetero;
using hetero::Entry;

// Three processors, and two devices of kind 1.
constexpr hetero::Executor five[] = {{}, {}, {}, {1, 1}, {1, 2}};
constexpr double speeds[] = {1, 1, 1, 4, 4};

std::span<const int> others(int executor) {
  static constexpr int order[5][4] = {
      {1, 2, 3, 4}, {0, 2, 3, 4}, {1, 0, 3, 4}, {4, 2, 1, 0}, {3, 2, 1, 0}};
  return order[executor];
}

// By kind of executor: nothing is known, or a device is four times as fast as a processor.
constexpr double unknown[] = {0, 0};
constexpr double known[] = {100, 25};

struct Drawn {
  explicit Drawn(const char* name) : policy(hetero::find_policy(name)->make(5)) {
    view.executors = five;
    view.random = &random;
    view.run_ns = unknown;
    view.fetch_ns = fetch;
    view.neighbours = others;
  }
  xylem::plan::Random random{1};
  std::array<double, 3> fetch{};
  hetero::View view;
  std::unique_ptr<hetero::Policy> policy;
};

TEST(Policies, EachTaskIsRunOnceByWhoMay) {
  for (const hetero::PolicyKind& kind : hetero::policy_kinds()) {
    SCOPED_TRACE(kind.name);
    Drawn drawn(kind.name);
    std::mt19937 random(3);
    std::vector<Entry> entries(500);
    std::set<Entry*> waiting;
    size_t pushed = 0;
    while (pushed < entries.size() || !waiting.empty()) {
      if (pushed < entries.size() && random() % 2 == 0) {
        Entry& entry = entries[pushed++];
        entry.kinds = 1 + random() % 3;
        entry.priority = static_cast<int>(random() % 60) - 30;
        drawn.view.maker = static_cast<int>(random() % 6) - 1;
        const int told = drawn.policy->push(entry, drawn.view);
        if (told != hetero::any_executor) {
          EXPECT_TRUE(hetero::may_run(entry, five[told]));
        }
        waiting.insert(&entry);
        continue;
      }
      const int executor = static_cast<int>(random() % 5);
      if (Entry* entry = drawn.policy->pop(executor, drawn.view)) {
        EXPECT_TRUE(hetero::may_run(*entry, five[executor]));
        EXPECT_EQ(waiting.erase(entry), 1u);
      }
    }
    for (int executor = 0; executor < 5; ++executor)
      EXPECT_EQ(drawn.policy->pop(executor, drawn.view), nullptr);
  }
}

TEST(Policies, EagerKeepsTheOrderAndPassesWhatAnExecutorCannotRun) {
  Drawn drawn("eager");
  std::array<Entry, 3> entries;
  entries[0].kinds = 2;
  for (Entry& entry : entries) drawn.policy->push(entry, drawn.view);
  EXPECT_EQ(drawn.policy->pop(0, drawn.view), &entries[1]);
  EXPECT_EQ(drawn.policy->pop(3, drawn.view), &entries[0]);
  EXPECT_EQ(drawn.policy->pop(3, drawn.view), nullptr);
  EXPECT_EQ(drawn.policy->pop(1, drawn.view), &entries[2]);
}

TEST(Policies, PriorityTakesTheHighestFirst) {
  Drawn drawn("priority");
  const int priorities[] = {0, 100, -5, 20, 100, -100, 3, 0, -60};
  std::array<Entry, 9> entries;
  for (size_t i = 0; i < entries.size(); ++i) {
    entries[i].priority = priorities[i];
    drawn.policy->push(entries[i], drawn.view);
  }
  for (const size_t expected : {1, 4, 3, 6, 0, 7, 2, 8, 5})
    EXPECT_EQ(drawn.policy->pop(0, drawn.view), &entries[expected]) << expected;
}

TEST(Policies, StealTakesItsOwnNewestAndOthersOldest) {
  Drawn drawn("steal");
  std::array<Entry, 4> entries;
  drawn.view.maker = 2;
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(drawn.policy->push(entries[i], drawn.view), 2);
  drawn.view.maker = 1;
  drawn.policy->push(entries[3], drawn.view);
  EXPECT_EQ(drawn.policy->pop(2, drawn.view), &entries[2]);
  EXPECT_EQ(drawn.policy->pop(0, drawn.view), &entries[3]) << "of the nearest";
  EXPECT_EQ(drawn.policy->pop(0, drawn.view), &entries[0]) << "then of the next";
}

TEST(Policies, RandomFollowsSpeeds) {
  Drawn drawn("random");
  std::vector<Entry> entries(22000);
  std::array<std::array<int, 5>, 2> got{};
  for (size_t i = 0; i < entries.size(); ++i) {
    const bool is_known = i < entries.size() / 2;
    drawn.view.run_ns = is_known ? known : unknown;
    entries[i].kinds = 3;
    ++got[is_known][static_cast<size_t>(drawn.policy->push(entries[i], drawn.view))];
  }
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(got[1][i], 1000 * speeds[i], 150) << i;
    EXPECT_NEAR(got[0][i], 2200, 150) << i;
  }
}

TEST(Policies, EarliestWeighsTheQueueAgainstTheSpeed) {
  Drawn drawn("earliest");
  drawn.view.run_ns = known;
  std::vector<Entry> entries(11);
  std::array<int, 5> got{};
  for (Entry& entry : entries) {
    entry.kinds = 3;
    ++got[static_cast<size_t>(drawn.policy->push(entry, drawn.view))];
  }
  EXPECT_EQ(got, (std::array<int, 5>{1, 1, 1, 4, 4}));
  // Each has 100 ns to do. Who has run its queue early is free at once.
  while (drawn.policy->pop(3, drawn.view)) {
  }
  const auto push_next = [&](Entry& next) {
    next.kinds = 3;
    return drawn.policy->push(next, drawn.view);
  };
  std::array<Entry, 3> next;
  EXPECT_EQ(push_next(next[0]), 3) << "125 on both devices; fewer wait there";
  EXPECT_EQ(push_next(next[1]), 4) << "125; 150 on the other";
  for (int i = 0; i < 4; ++i) drawn.policy->ended(3, 25, drawn.view);
  EXPECT_EQ(push_next(next[2]), 3) << "50";
}

TEST(Policies, EarliestCountsWhatIsUnderWayFromTheLastEnd) {
  Drawn drawn("earliest");
  drawn.view.run_ns = known;
  drawn.view.executors = std::span(five).last(2);  // the devices
  drawn.policy = hetero::find_policy("earliest")->make(2);
  std::array<Entry, 7> entries;
  const auto push = [&](size_t i) {
    entries[i].kinds = 2;
    return drawn.policy->push(entries[i], drawn.view);
  };
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(push(i), i % 2);
  for (const int device : {0, 0, 1, 1}) drawn.policy->pop(device, drawn.view);
  drawn.view.now_ns = 40;  // 25 were expected
  drawn.policy->ended(0, 25, drawn.view);
  EXPECT_EQ(push(4), 1) << "50 there; 65 on the other";
  drawn.policy->ended(0, 25, drawn.view);
  EXPECT_EQ(push(5), 0) << "free at once";
  drawn.view.now_ns = 200;
  EXPECT_EQ(push(6), 0) << "who is late may end at any moment";
}

TEST(Policies, WithoutAModelEarliestGivesEachExecutorSome) {
  Drawn drawn("earliest");
  std::vector<Entry> entries(10);
  std::array<int, 5> got{};
  for (Entry& entry : entries) {
    entry.kinds = 3;
    ++got[static_cast<size_t>(drawn.policy->push(entry, drawn.view))];
  }
  EXPECT_EQ(got, (std::array<int, 5>{2, 2, 2, 2, 2}));
}

TEST(Policies, DataCountsTransfersAndSortsByPriority) {
  Drawn drawn("data");
  drawn.view.run_ns = known;
  Entry far;
  far.kinds = 3;
  drawn.fetch = {0, 1000, 80};
  EXPECT_EQ(drawn.policy->push(far, drawn.view), 0) << "100 there, 105 and 1025 on the devices";
  drawn.fetch = {0, 1000, 70};
  Entry near;
  near.kinds = 3;
  EXPECT_EQ(drawn.policy->push(near, drawn.view), 4) << "95, with its data";
  // One processor alone: the higher priority goes first.
  Drawn alone("data");
  alone.policy = hetero::find_policy("data")->make(1);
  alone.view.run_ns = known;
  std::array<Entry, 3> entries;
  const int priorities[] = {1, 5, 2};
  for (size_t i = 0; i < 3; ++i) {
    entries[i].priority = priorities[i];
    EXPECT_EQ(alone.policy->push(entries[i], alone.view), 0);
  }
  for (const size_t expected : {1, 2, 0})
    EXPECT_EQ(alone.policy->pop(0, alone.view), &entries[expected]);
}

TEST(Policies, AreFoundByName) {
  EXPECT_NE(hetero::find_policy("steal"), nullptr);
  EXPECT_EQ(hetero::find_policy("stea"), nullptr);
}

}  // namespace
