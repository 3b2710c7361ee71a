// `gang` shares a machine fairly (paper 002, figure 2.3), in virtual time.
//
// The simulation: one unit of time after the other, each PU runs the fiber at the head of the queue
// that it looks at, which then goes to the queue's end. A gang's fibers lie where the gang lies;
// who is held back does not run. At the end of each slice the gang that has the turn gets its tick.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "../../policy/drawing.hpp"
#include "plan/check.hpp"
#include "policy/policy.hpp"

namespace {

namespace plan = xylem::plan;
namespace policy = xylem::policy;

class Simulation {
 public:
  Simulation(const policy::Policy& chosen, const std::string& machine, const std::string& gangs)
      : chosen_(chosen), machine_(machine), tree_(gangs, machine_), scene_(tree_.view()) {
    carry_out(plan::Coverage::whole,
              [&](plan::Plan& answer) { chosen_.place(scene_.view(), random_, answer); });
    for (int top = 0; top < tops(); ++top)
      for (int fiber = 0; fiber < scene_.view().entity(top).threads; ++fiber)
        fibers_.push_back({top, fiber, 0});
  }

  // Slices of `length` units, or of lengths drawn from 1 .. 2 length - 1 if `jitter`.
  void run(int slices, int length, bool jitter) {
    plan::Random clock(3);
    for (int slice = 0; slice < slices; ++slice) {
      int units = jitter ? 1 + clock.below(2 * length - 1) : length;
      for (int unit = 0; unit < units; ++unit) run_one_unit();
      if (chosen_.tick != nullptr) end_slices();
      record_queues();
    }
  }

  // CPU time of each gang, as a share of all that the machine gave.
  std::vector<double> shares() const {
    std::vector<double> shares(static_cast<std::size_t>(tops()), 0);
    double all = 0;
    for (const Fiber& fiber : fibers_) all += fiber.time;
    for (const Fiber& fiber : fibers_)
      shares[static_cast<std::size_t>(fiber.gang)] += fiber.time / all;
    return shares;
  }
  // The least and the most CPU time of a fiber of the gang, as a quotient.
  double evenness(int gang) const {
    double least = 1e18, most = 0;
    for (const Fiber& fiber : fibers_)
      if (fiber.gang == gang)
        least = std::min(least, fiber.time), most = std::max(most, fiber.time);
    return least / most;
  }
  int most_gangs_at_once() const { return most_at_once_; }

 private:
  struct Fiber {
    int gang, number;
    double time;
  };

  int tops() const { return scene_.view().top_count; }

  template <typename Ask>
  void carry_out(plan::Coverage coverage, Ask ask) {
    plan::Plan answer;
    ask(answer);
    plan::Fault fault = plan::check(answer, scene_.view(), coverage);
    ASSERT_FALSE(fault) << fault.what;
    scene_.carry_out(answer);
    if (coverage == plan::Coverage::whole) record_queues();
  }

  // Of all queues where a gang lies, in the order of the queues: as if each had a clock.
  void end_slices() {
    std::vector<std::pair<int, int>> running;
    for (int top = 0; top < tops(); ++top)
      if (lies_on_queue_[static_cast<std::size_t>(top)])
        running.emplace_back(scene_.view().entity(top).level, top);
    std::sort(running.begin(), running.end());
    for (const auto& [level, top] : running)  // clang 14 captures no structured bindings by name
      carry_out(plan::Coverage::part, [this, top = top](plan::Plan& answer) {
        chosen_.tick(scene_.view(), top, random_, answer);
      });
  }

  void record_queues() {
    lies_on_queue_.assign(static_cast<std::size_t>(tops()), false);
    for (int top = 0; top < tops(); ++top)
      lies_on_queue_[static_cast<std::size_t>(top)] = scene_.view().entity(top).level >= 0;
    int running = static_cast<int>(std::count(lies_on_queue_.begin(), lies_on_queue_.end(), true));
    most_at_once_ = std::max(most_at_once_, running);
  }

  void run_one_unit() {
    std::vector<Fiber> ran, waits;
    std::vector<bool> busy(static_cast<std::size_t>(machine_.pu_count()), false);
    for (Fiber& fiber : fibers_) {
      int level = scene_.view().entity(fiber.gang).level;
      int pu = level < 0 ? -1 : free_pu(level, busy);
      if (pu >= 0) busy[static_cast<std::size_t>(pu)] = true, fiber.time += 1;
      (pu >= 0 ? ran : waits).push_back(fiber);
    }
    waits.insert(waits.end(), ran.begin(), ran.end());
    fibers_.assign(waits.begin(), waits.end());
  }

  int free_pu(int level, const std::vector<bool>& busy) const {
    const xylem::topo::Level& l = scene_.view().level(level);
    for (int pu = l.first_pu; pu < l.first_pu + l.pu_count; ++pu)
      if (!busy[static_cast<std::size_t>(pu)]) return pu;
    return -1;
  }

  const policy::Policy& chosen_;
  drawing::Machine machine_;
  drawing::Tree tree_;
  drawing::Scene scene_;
  plan::Random random_{1};
  std::deque<Fiber> fibers_;  // in the order in which they wait
  std::vector<bool> lies_on_queue_;
  int most_at_once_ = 0;
};

constexpr const char* three_gangs = "G0{ a*5 } G1{ b*6 } G2{ c*7 }";

TEST(Gang, ThreeGangsGetAThirdEach) {
  for (const char* machine : {"pu*4", "node*2(pu*2)", "package*2(core*2(pu))"})
    for (bool jitter : {false, true}) {
      Simulation simulation(policy::gang, machine, three_gangs);
      simulation.run(3000, 20, jitter);
      std::vector<double> shares = simulation.shares();
      for (std::size_t gang = 0; gang < 3; ++gang) {
        EXPECT_NEAR(shares[gang], 1.0 / 3, 0.05 / 3) << machine << ", gang " << gang;
        EXPECT_GT(simulation.evenness(static_cast<int>(gang)), 0.95) << "threads of one gang";
      }
      EXPECT_EQ(simulation.most_gangs_at_once(), 1);
      std::printf("gang on %s, slices %s: %.4f %.4f %.4f\n", machine, jitter ? "drawn" : "equal",
                  shares[0], shares[1], shares[2]);
    }
}

TEST(Gang, WithoutItTheLargerGangGetsMore) {
  Simulation simulation(policy::null, "pu*4", three_gangs);
  simulation.run(1, 60000, false);
  EXPECT_NEAR(simulation.shares()[2], 7.0 / 18, 0.01);
}

TEST(GangPerNode, GangsThatFitShareTheNodesEvenly) {
  Simulation simulation(policy::gang_per_node, "node*2(pu*2)", "A{ a*2 } B{ b*2 } C{ c*2 }");
  simulation.run(3000, 20, true);
  for (double share : simulation.shares()) EXPECT_NEAR(share, 1.0 / 3, 0.05 / 3);
  EXPECT_EQ(simulation.most_gangs_at_once(), 2);
}

// The paper's point (figure 2.7(b)): small jobs leave half a machine idle under one scheduler.
TEST(GangPerNode, KeepsTheMachineBusyWithSmallGangs) {
  const char* jobs = "A{ a*2 } B{ b*2 } C{ c*2 } D{ d*2 }";
  auto at_once = [&](const policy::Policy& chosen) {
    Simulation simulation(chosen, "node*2(pu*2)", jobs);
    simulation.run(100, 5, false);
    return simulation.most_gangs_at_once();
  };
  EXPECT_EQ(at_once(policy::gang), 1);
  EXPECT_EQ(at_once(policy::gang_per_node), 2);
}

plan::Plan ask(const plan::View& view, int ended) {
  plan::Plan answer;
  plan::Random random(1);
  policy::gang.tick(view, ended, random, answer);
  return answer;
}

TEST(Gang, AGangWhoseThreadsEndedHandsOnTheTurn) {
  drawing::Machine machine("pu*4");
  drawing::Tree tree("A{} B{ b*2 } C{ c*2 }", machine);
  tree.entities()[0].level = 0;
  tree.entities()[1].level = plan::held_back;
  tree.entities()[2].level = plan::held_back;
  plan::Plan answer = ask(tree.view(), 0);
  ASSERT_EQ(answer.moves().size(), 2U);
  EXPECT_EQ(answer.moves()[1].entity, 1);
  tree.entities()[2].level = 0;  // C has the turn: the end of A changes nothing
  EXPECT_TRUE(ask(tree.view(), 0).empty());
}

TEST(Gang, WhoIsNewWaitsAndWhoRunsGoesOn) {
  drawing::Machine machine("pu*4");
  drawing::Tree tree("A{ a*2 } B{ b*2 } C{ c*2 }", machine);
  tree.entities()[1].level = 0;
  tree.entities()[0].level = plan::held_back;
  plan::Plan answer;
  plan::Random random(1);
  policy::gang.place(tree.view(), random, answer);
  ASSERT_EQ(answer.moves().size(), 3U);
  EXPECT_EQ(answer.moves()[0].level, plan::held_back);
  EXPECT_EQ(answer.moves()[1].level, 0);
  EXPECT_EQ(answer.moves()[2].level, plan::held_back);
}

// Two gangs on nodes and one on the machine: this has half of the time, they the other half, both
// at once.
TEST(Gang, ThatIsWiderTakesTurnsWithThoseInside) {
  Simulation simulation(policy::gang, "node*2(pu*2)",
                        "W{ a*4 } A[gang=node0]{ b*2 } B[gang=node0]{ c*2 }");
  simulation.run(3000, 4, false);
  const std::vector<double> shares = simulation.shares();
  EXPECT_NEAR(shares[0], 0.5, 0.02);
  EXPECT_NEAR(shares[1], 0.25, 0.02);
  EXPECT_NEAR(shares[2], 0.25, 0.02);
  EXPECT_EQ(simulation.most_gangs_at_once(), 2);
}

// Three for two nodes: of three slices the wide one has one, and in one a node is idle.
TEST(Gang, ThatIsWiderIsNotPassedBy) {
  for (const bool jitter : {false, true}) {
    Simulation simulation(
        policy::gang, "node*2(pu*2)",
        "A[gang=node0]{ a*2 } B[gang=node0]{ b*2 } C[gang=node0]{ c*2 } W{ d*4 }");
    simulation.run(3000, 4, jitter);
    const std::vector<double> shares = simulation.shares();
    EXPECT_NEAR(shares[3], 0.4, 0.02);
    for (const std::size_t narrow : {0, 1, 2}) EXPECT_NEAR(shares[narrow], 0.2, 0.02) << narrow;
  }
}

TEST(Gang, ThatAsksForAnotherLevelHasItFromTheNextTurnOn) {
  drawing::Machine machine("node*2(pu*2)");
  drawing::Tree tree("A[gang=node0]{ a*2 } B[gang=node0]{ b*2 }", machine);
  tree.entities()[0].level = 0;  // from when it had turns on the machine
  tree.entities()[1].level = plan::held_back;
  plan::Plan answer = ask(tree.view(), 0);
  ASSERT_EQ(answer.moves().size(), 2U);
  EXPECT_EQ(answer.moves()[0].level, plan::held_back);
  EXPECT_EQ(answer.moves()[1].entity, 1);
  EXPECT_EQ(tree.view().level(answer.moves()[1].level).kind, xylem::topo::LevelKind::node);
}

}  // namespace
