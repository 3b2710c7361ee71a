// The choice between engines: whoever makes all iterations that are left cheapest, threads only for
// a clear gain; and PUs for threads that were given nodes.
#include "count/engine/arbiter.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace xylem::count {
namespace {

constexpr int nodes = 4;

// Local memory takes 100 ns, other nodes' 200; a page's move 11 us.
plan::Costs costs() {
  plan::Costs made;
  made.nodes = nodes;
  made.move_start_ns = 120e3;
  made.move_page_ns = 11e3;
  for (int pair = 0; pair < nodes * nodes; ++pair) {
    made.read_latency_ns.push_back(pair / nodes == pair % nodes ? 100 : 200);
    made.write_latency_ns.push_back(made.read_latency_ns.back());
  }
  return made;
}

// A thread a node, `pages` pages each, which lie on the node that `home` says for the thread's.
struct World {
  World(int pages_each, int (*home)(int node), uint64_t reads) : pages(pages_each) {
    for (int thread = 0; thread < nodes; ++thread)
      for (int i = 0; i < pages; ++i) {
        const auto page = static_cast<uint64_t>(thread * pages + i);
        accesses.add(page, thread, reads, 0);
        homes.push_back({page, home(thread)});
      }
  }
  Choice choose_with(bool pages_may_move, bool threads_may_move, double left = 100) {
    return choose({.accesses = accesses,
                   .homes = homes,
                   .node_of = node_of,
                   .room = room,
                   .costs = world_costs,
                   .iterations_left = left,
                   .pages_may_move = pages_may_move,
                   .threads_may_move = threads_may_move});
  }
  Choice choose_iterations() {
    return choose({.accesses = accesses,
                   .homes = homes,
                   .node_of = node_of,
                   .room = room,
                   .costs = world_costs,
                   .iterations_left = 100,
                   .iterations_may_move = true});
  }

  const int pages;
  Counts accesses{Rows::pages_by_threads, nodes, 4096};
  std::vector<PageHome> homes;
  std::vector<int> node_of{0, 1, 2, 3}, room{1, 1, 1, 1};
  plan::Costs world_costs = costs();
};

int opposite(int node) { return nodes - 1 - node; }
int same(int node) { return node; }

TEST(Arbiter, LeavesWhatIsLocal) {
  World world(8, same, 1000);
  const Choice choice = world.choose_with(true, true);
  EXPECT_TRUE(choice.threads.empty());
  EXPECT_TRUE(choice.pages.moves.empty());
  EXPECT_DOUBLE_EQ(choice.local_before, 1);
  EXPECT_DOUBLE_EQ(choice.before_ns, choice.after_ns);
}

TEST(Arbiter, MovesOnlyWhatMayMove) {
  World world(8, opposite, 1000);
  const Choice pages = world.choose_with(true, false), threads = world.choose_with(false, true);
  EXPECT_EQ(pages.pages.moves.size(), 32u);
  EXPECT_TRUE(pages.threads.empty());
  EXPECT_TRUE(threads.pages.moves.empty());
  EXPECT_EQ(threads.threads, (Mapping{3, 2, 1, 0}));
  for (const Choice& choice : {pages, threads}) {
    EXPECT_DOUBLE_EQ(choice.local_before, 0);
    EXPECT_DOUBLE_EQ(choice.local_after, 1);
    EXPECT_DOUBLE_EQ(choice.before_ns, 32 * 1000 * 200.0);
    EXPECT_DOUBLE_EQ(choice.after_ns, 32 * 1000 * 100.0);
  }
}

// Four threads cost 10 us, 4,000 pages 44 ms, of which 4 iterations of 40 ms win 160.
TEST(Arbiter, TakesTheCheaperOfTwoRemedies) {
  World world(1000, opposite, 100);
  const Choice choice = world.choose_with(true, true, 4);
  EXPECT_EQ(choice.threads, (Mapping{3, 2, 1, 0}));
  EXPECT_TRUE(choice.pages.moves.empty());
  // Where pages' moves are nothing beside what is left, threads are not worth the trial.
  EXPECT_TRUE(world.choose_with(true, true, 1e6).threads.empty());
}

TEST(Arbiter, MovesNoThreadForLittle) {
  World world(8, same, 1000);
  for (int thread = 0; thread < nodes; ++thread) {  // 4% of the accesses would become local
    const auto page = static_cast<uint64_t>(1000 + thread);
    world.accesses.add(page, thread, 8200, 0);
    world.homes.push_back({page, opposite(thread)});
  }
  EXPECT_TRUE(world.choose_with(false, true).threads.empty());
}

TEST(Arbiter, MovesThreadsAndThePagesThatStayBehind) {
  World world(1000, opposite, 100);
  world.accesses.add(5000, 0, 50'000, 0);  // the one page that is near before
  world.homes.push_back({5000, 0});
  const Choice choice = world.choose_with(true, true, 4);
  EXPECT_EQ(choice.threads, (Mapping{3, 2, 1, 0}));
  ASSERT_EQ(choice.pages.moves.size(), 1u);
  EXPECT_EQ(choice.pages.moves[0].page, 5000u);
  EXPECT_EQ(choice.pages.moves[0].to, 3);
  EXPECT_DOUBLE_EQ(choice.local_after, 1);
}

int with_next(int node) { return node ^ 1; }
int swapped_at_first(int node) { return node < 2 ? 1 - node : node; }

TEST(Arbiter, GivesIterationsToThreadsNearTheirPages) {
  World world(8, opposite, 1000);
  const Choice choice = world.choose_iterations();
  EXPECT_TRUE(choice.threads.empty());
  EXPECT_TRUE(choice.pages.moves.empty());
  EXPECT_EQ(choice.iterations_of, (std::vector{3, 2, 1, 0}));
  EXPECT_EQ(with_other_iterations(choice), 4u);
  EXPECT_DOUBLE_EQ(choice.local_after, 1);
}

TEST(Arbiter, LeavesIterationsThatAreNear) {
  const Choice choice = World(8, swapped_at_first, 1000).choose_iterations();
  EXPECT_EQ(choice.iterations_of, (std::vector{1, 0, 2, 3}));
  EXPECT_EQ(with_other_iterations(choice), 2u);
  EXPECT_TRUE(World(8, same, 1000).choose_iterations().iterations_of.empty());
}

// Two threads on each of two nodes, of which one each has its pages on the other node.
TEST(Arbiter, SwapsIterationsOfThreadsOnOneNodeEach) {
  World world(8, with_next, 1000);
  world.node_of = {0, 0, 1, 1};
  for (PageHome& home : world.homes) home.node = home.page / 8 == 1 || home.page / 8 == 3 ? 1 : 0;
  const Choice choice = world.choose_iterations();
  EXPECT_EQ(choice.iterations_of, (std::vector{0, 2, 1, 3}));
  EXPECT_DOUBLE_EQ(choice.local_after, 1);
}

TEST(Arbiter, MovesThreadsRatherThanTheirIterations) {
  World world(8, opposite, 1000);
  const Choice choice = choose({.accesses = world.accesses,
                                .homes = world.homes,
                                .node_of = world.node_of,
                                .room = world.room,
                                .costs = world.world_costs,
                                .iterations_left = 100,
                                .threads_may_move = true,
                                .iterations_may_move = true});
  EXPECT_EQ(choice.threads, (Mapping{3, 2, 1, 0}));
  EXPECT_TRUE(choice.iterations_of.empty());
}

TEST(PusOfMapping, KeepsThreadsThatStayAndSharesEvenly) {
  const std::vector<int> node_of_pu{0, 0, 1, 1};
  EXPECT_EQ(pus_of_mapping({0, 0, 1, 1}, std::vector{1, 0, 3, 2}, node_of_pu),
            (std::vector{1, 0, 3, 2}));
  // Thread 0 goes to the PU of node 1 that thread 2 does not keep.
  EXPECT_EQ(pus_of_mapping({1, 0, 1, 0}, std::vector{0, 1, 2, 3}, node_of_pu),
            (std::vector{3, 1, 2, 0}));
  EXPECT_EQ(pus_of_mapping({1, 1, 1, 1}, std::vector{0, 0, 0, 0}, node_of_pu),
            (std::vector{2, 3, 2, 3}));
}

}  // namespace
}  // namespace xylem::count
