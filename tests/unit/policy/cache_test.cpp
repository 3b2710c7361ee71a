// What `cache` promises in figures: what a flat team costs, how even it is, how near teammates are.
#include <gtest/gtest.h>

#include <algorithm>

#include "../../policy/drawing.hpp"
#include "counted_new.hpp"
#include "plan/check.hpp"
#include "policy/policy.hpp"
#include "policy/room.hpp"

namespace {

namespace plan = xylem::plan;
namespace policy = xylem::policy;

TEST(EvenCut, PartsSumUpAndDifferByOne) {
  for (int things = 0; things < 40; ++things) {
    policy::EvenCut cut(things, 7, 7);
    int sum = 0, least = 1000, most = 0;
    for (int i = 0; i < 7; ++i) {
      int part = cut.next(1);
      sum += part;
      least = std::min(least, part);
      most = std::max(most, part);
    }
    EXPECT_EQ(sum, things);
    EXPECT_LE(most - least, 1);
  }
}

plan::Plan place_flat(const drawing::Machine& m, int members, int maker) {
  std::array<plan::Entity, 2> memory;
  plan::View view = plan::flat_team(m.levels(), memory, members, maker);
  plan::Plan answer;
  plan::Random random(1);
  policy::cache.place(view, random, answer);
  plan::Fault fault = plan::check(answer, view);
  EXPECT_FALSE(fault) << fault.what;
  return answer;
}

TEST(Cache, AFlatTeamIsEvenContiguousAndAMoveAPu) {
  drawing::Machine m("node*4(core*8(pu*2))");
  for (int members : {64, 65, 127, 1000, 100000}) {
    plan::Plan answer = place_flat(m, members, 0);
    ASSERT_EQ(answer.moves().size(), 65U);
    int next = 0;
    for (const plan::Move& move : answer.moves().subspan(1)) {
      EXPECT_EQ(move.first, next);
      EXPECT_GE(move.count, members / 64);
      EXPECT_LE(move.count, (members + 63) / 64);
      next += move.count;
    }
    EXPECT_EQ(next, members);
  }
}

TEST(Cache, TheFirstMemberIsWhereTheMakerIs) {
  drawing::Machine m("node*4(pu*4)");
  for (int members : {2, 4, 7, 16, 40})
    for (int maker = 0; maker < 16; ++maker) {
      plan::Plan answer = place_flat(m, members, maker);
      for (const plan::Move& move : answer.moves())
        EXPECT_TRUE(move.burst || move.first > 0 || move.level == m.pu_level(maker));
    }
}

TEST(Cache, AFlatTeamTakesNoMemoryOnceThePlanHasGrown) {
  drawing::Machine m("node*4(core*8(pu*2))");
  std::array<plan::Entity, 2> memory;
  plan::Plan answer;
  plan::Random random(1);
  answer.reserve(65);
  std::size_t before = allocations_so_far();
  for (int members : {1, 3, 30, 64, 10000}) {
    answer.clear();
    policy::cache.place(plan::flat_team(m.levels(), memory, members, 0), random, answer);
  }
  EXPECT_EQ(allocations_so_far(), before);
}

// Levels of the PUs on which the members of a run may run.
int common_level_of_run(const plan::View& view, const plan::Plan& answer, int run) {
  int common = -1;
  for (const plan::Holding& holding : plan::apply(answer, view)) {
    bool its_bubble = holding.entity == view.entity(run).parent && !holding.burst;
    if ((holding.entity != run && !its_bubble) || holding.level < 0) continue;
    common = common < 0 ? holding.level : plan::common_level(view.levels, common, holding.level);
  }
  return common;
}

TEST(Cache, InnermostTeamsStayOnANode) {
  for (const char* shape : {"node*4(pu*4)", "node*8(pu*8)", "node*16(core*8(pu*2))"}) {
    drawing::Machine m(shape);
    int nodes = m.levels()[0].child_count;
    std::string text = "O{";
    for (int team = 0; team < 4 * nodes; ++team) text += " T{ t*4 }";
    drawing::Tree tree(text + " }", m);
    plan::View view = tree.view();
    plan::Plan answer;
    plan::Random random(1);
    policy::cache.place(view, random, answer);
    for (int i = 0; i < static_cast<int>(view.entities.size()); ++i) {
      if (view.entity(i).kind != plan::EntityKind::run) continue;
      EXPECT_GT(common_level_of_run(view, answer, i), 0) << shape << ", entity " << i;
    }
  }
}

TEST(Registry, CacheIsTheDefaultAndNamesAreFound) {
  EXPECT_EQ(policy::registry()[0], &policy::cache);
  EXPECT_EQ(policy::find("places"), &policy::places);
  EXPECT_EQ(policy::find("no such policy"), nullptr);
}

}  // namespace
