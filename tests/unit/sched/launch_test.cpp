// A launch, whole: which producer places a team, and in which queue each member then stands, on a
// clock that the test turns and without kernel threads.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "sched/fake_kernel.hpp"
#include "sched/group/groups.hpp"
#include "sched/place/engine.hpp"
#include "sched/place/placing.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {
namespace {

using plan::Onto;
using plan::Placement;
using plan::Why;

const topo::Machine& two_nodes() {
  static const auto loaded = topo::load_machine("node:2 core:2 pu:1", true);
  return *loaded.value();
}

PoolSettings settings() {
  PoolSettings made;
  made.stack_bytes = 64 << 10;
  made.find = [](Worker&, Order) { return Work{}; };
  made.anything_to_steal = [](Worker&) { return false; };
  return made;
}

int one_for_each(const Bubble&, int member) { return member; }
int all_on_the_last(const Bubble&, int) { return two_nodes().pu_count() - 1; }
void region(void*) {}

// A team of the external thread that holds PU 0's slot.
struct TestTeam : Bubble {
  explicit TestTeam(int n, ExternalThread& external) : storage(static_cast<size_t>(n)) {
    seed_ranges = storage.data();
    members = n;
    initial = &external;
  }
  std::vector<SeedRange> storage;
};

class Launches : public testing::Test {
 protected:
  Launches() {
    Engine::install(&engine_);
    external_.worker.pool = &pool_;
    external_.worker.external = &external_;
    external_.worker.serve(0);
    external_.fiber.external = external_.fiber.initial = &external_;
    external_.fiber.worker = &external_.worker;
    external_.group = &group_;
    external_.has_slot = pool_.take_slot(external_.worker);
  }
  ~Launches() override { Engine::install(nullptr); }

  Why start(TestTeam& team, const Launch& wishes) {
    Launching launching{team, external_.fiber, wishes, 0, {}};
    const Placement& placement = place(launching);
    launch(team, placement, external_.worker);
    return placement.why;
  }
  // Members by the level in whose queue they stand, each queue from its front.
  std::map<int, std::vector<int>> queued() {
    std::map<int, std::vector<int>> members;
    for (int level = 0; level < static_cast<int>(two_nodes().levels().size()); ++level)
      for (RunQueue& queue = pool_.level_queue(level); queue.count() > 0;) {
        Worker worker;  // of that level
        worker.pool = &pool_;
        worker.pu = two_nodes().levels()[static_cast<size_t>(level)].first_pu;
        members[level].push_back(queue.take(worker, Order::fresh_first).index);
      }
    return members;
  }
  static int pu(int number) { return two_nodes().pu_level(number); }

  test::FakeKernel kernel_;
  Engine engine_{two_nodes(), policy::cache};
  Pool pool_{two_nodes(), settings()};
  ExternalThread external_;
  ContentionGroup group_{external_, 0};
  Bubble outer_;
};

TEST_F(Launches, BoundMembersStandOnTheirPusPinned) {
  TestTeam team(4, external_);
  EXPECT_EQ(start(team, {.pu_of = one_for_each, .outer = &outer_}), Why::bound);
  for (const SeedRange& seeds : team.storage)
    if (seeds.bubble) {
      EXPECT_TRUE(seeds.pinned);
    }
  EXPECT_EQ(queued(), (std::map<int, std::vector<int>>{{pu(1), {1}}, {pu(2), {2}}, {pu(3), {3}}}));
}

TEST_F(Launches, TheYoungestStandsFirst) {
  TestTeam team(4, external_);
  start(team, {.pu_of = all_on_the_last, .by_hints = true, .outer = &outer_});
  EXPECT_EQ(queued(), (std::map<int, std::vector<int>>{{pu(3), {3, 2, 1}}}));
}

TEST_F(Launches, AnOutermostTeamGoesByThePolicy) {
  TestTeam team(4, external_);
  team.opened_region = true;
  EXPECT_EQ(start(team, {.outer = &outer_, .function = region}), Why::policy);
  EXPECT_EQ(queued(), (std::map<int, std::vector<int>>{{pu(1), {1}}, {pu(2), {2}}, {pu(3), {3}}}));
}

TEST_F(Launches, ToldLoadsGoBeforeThePolicy) {
  TestTeam team(3, external_);
  team.opened_region = true;
  group_.told.tell(std::vector{2}, 1000);
  EXPECT_EQ(start(team, {.outer = &outer_, .function = region}), Why::told_loads);
}

TEST_F(Launches, ANestedTeamStaysOnItsMakersQueueAsOneRange) {
  TestTeam team(4, external_);
  EXPECT_EQ(start(team, {.outer = &outer_}), Why::local);
  ASSERT_NE(team.local_seeds, nullptr);
  EXPECT_EQ(team.seed_ranges_used.load(), 1);
  EXPECT_EQ(queued(), (std::map<int, std::vector<int>>{{pu(0), {1, 2, 3}}}));
}

TEST_F(Launches, ANestedTeamOfAKnownTreeGoesWhereTheTreeHasIt) {
  KnownTree tree(2);
  KnownTeam* known = tree.top().opened_by(1, 3);
  Placement there;
  there.why = Why::measured_loads;
  there.n = 3;
  there.ranges = {{1, 2, pu(2)}, {2, 3, pu(3)}};
  known->set_placement(there, two_nodes().levels()[0]);
  TestTeam team(3, external_);
  team.known = known;
  EXPECT_EQ(start(team, {.outer = &outer_}), Why::measured_loads);
  EXPECT_EQ(team.local_seeds, nullptr);
  EXPECT_EQ(queued(), (std::map<int, std::vector<int>>{{pu(2), {1}}, {pu(3), {2}}}));
}

TEST_F(Launches, ATeamOfAGroupStandsInTheGroupsQueue) {
  Group& gang = make_scheduled_group(GroupKind::team, nullptr);
  TestTeam team(3, external_);
  team.group = &gang;
  EXPECT_EQ(start(team, {.outer = &outer_}), Why::group);
  EXPECT_TRUE(queued().empty());
  EXPECT_EQ(gang.queue.waiting(10), 2);
  while (gang.queue.take(external_.worker, Order::fresh_first)) {
  }
  free_group(gang);
}

TEST_F(Launches, NobodyIsStartedForWhatIsPinnedElsewhereThanNeeded) {
  TestTeam team(2, external_);
  start(team, {.pu_of = one_for_each, .outer = &outer_});
  EXPECT_EQ(kernel_.started.load(), 1);  // PU 1's worker
  queued();
}

}  // namespace
}  // namespace xylem::sched
