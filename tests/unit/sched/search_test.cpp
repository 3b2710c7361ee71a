// In what order a worker looks, without kernel threads.
#include "sched/place/search.hpp"

#include <gtest/gtest.h>

#include "policy/policy.hpp"
#include "sched/queue/fiber.hpp"

namespace {

using xylem::sched::Bubble;
using xylem::sched::Fiber;
using xylem::sched::Order;
using xylem::sched::Pool;
using xylem::sched::Search;
using xylem::sched::SeedRange;
using xylem::sched::Worker;

const xylem::topo::Machine& two_nodes() {
  static const auto loaded = xylem::topo::load_machine("node:2 core:2 pu:1", true);
  return *loaded.value();
}

class SearchOrder : public testing::Test {
 protected:
  SearchOrder() {
    worker_.pool = &pool_;
    worker_.serve(0);
    pool_.pu_queue(0).push_ready(own_);
  }
  int level_above() const {
    const auto levels = two_nodes().levels();
    return levels[static_cast<size_t>(two_nodes().pu_level(0))].parent;
  }
  Fiber* found(Order order) { return search_.find(worker_, order).fiber; }

  Pool pool_{two_nodes(), {}};
  Search search_{two_nodes(), xylem::policy::cache.steal, 0};
  Worker worker_;
  Fiber own_;
};

TEST_F(SearchOrder, OnesOwnQueueGoesFirst) {
  Fiber above, beside;
  pool_.level_queue(level_above()).push_ready(above);
  pool_.pu_queue(1).push_ready(beside);
  EXPECT_EQ(found(Order::ready_first), &own_);
  EXPECT_EQ(found(Order::ready_first), &above);
  EXPECT_EQ(found(Order::ready_first), &beside);
}

TEST_F(SearchOrder, ElsewhereIsAboveAndThenBeside) {
  Fiber above, beside, far;
  pool_.level_queue(level_above()).push_ready(above);
  pool_.pu_queue(1).push_ready(beside);
  pool_.pu_queue(2).push_ready(far);
  EXPECT_EQ(found(Order::elsewhere_first), &above);
  EXPECT_EQ(found(Order::elsewhere_first), &beside);
  EXPECT_EQ(found(Order::elsewhere_first), &own_) << "before what is on another node";
}

TEST_F(SearchOrder, ElsewhereASeedGoesBeforeAFiber) {
  Bubble bubble;
  SeedRange seed_ranges[2];
  bubble.seed_ranges = seed_ranges;
  bubble.members = 2;
  Fiber above;
  pool_.level_queue(level_above()).push_ready(above);
  pool_.level_queue(level_above()).push_fresh(bubble.new_seed_range(1, 2));
  EXPECT_EQ(search_.find(worker_, Order::elsewhere_first).bubble, &bubble);
  EXPECT_EQ(found(Order::elsewhere_first), &above);
}

// All idle workers see at once that something is there.
TEST(IdleSearch, WhoIsFartherAwayComesSomeLooksLater) {
  const auto loaded = xylem::topo::load_machine("node:1 core:64 pu:1", true);
  const xylem::topo::Machine& machine = *loaded.value();
  Pool pool{machine, {}};
  const Search search{machine, xylem::policy::cache.steal, 0};
  const auto polls_until_found = [&](int pu, bool idle) {
    Worker worker;
    worker.pool = &pool;
    worker.serve(pu);
    if (idle) worker.left_to_nearer = 0;
    Fiber fiber;
    pool.pu_queue(0).push_ready(fiber);
    for (int polls = 1; polls <= 100; ++polls)
      if (search.find(worker, Order::ready_first).fiber == &fiber) return polls;
    return 0;
  };
  EXPECT_EQ(polls_until_found(1, true), 1);
  EXPECT_EQ(polls_until_found(2, true), 2);
  EXPECT_EQ(polls_until_found(9, true), 9);
  EXPECT_EQ(polls_until_found(63, true), 33) << "not for ever";
  EXPECT_EQ(polls_until_found(63, false), 1)
      << "who is about to sleep, or has worked, leaves nothing";
}

}  // namespace
