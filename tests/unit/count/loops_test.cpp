// The trial of blocks against turns: what it asks for, what counts, and what it keeps.
#include "count/engine/loops.hpp"

#include <gtest/gtest.h>

#include <string>

namespace xylem::count {
namespace {

// Runs the trial to its end; times(run, division) are nanoseconds an iteration. Returns the order
// of divisions asked for.
template <typename Times>
std::string run_trial(LoopTrial& trial, Times times) {
  std::string order;
  for (int run = 0; !trial.is_settled(); ++run) {
    const Division division = trial.next();
    order += division == Division::block ? 'b' : 'c';
    trial.took(times(run, division));
  }
  return order;
}

TEST(LoopTrial, AsksForBlocksThenTurnsThenBlocks) {
  LoopTrial trial;
  EXPECT_EQ(run_trial(trial, [](int, Division) { return 1.0; }),
            "bbbbb"
            "ccccccccc"
            "bbbbb");
}

TEST(LoopTrial, KeepsWhatIsFaster) {
  for (const Division better : {Division::block, Division::cyclic}) {
    LoopTrial trial;
    run_trial(trial, [=](int, Division division) { return division == better ? 10.0 : 20.0; });
    EXPECT_EQ(trial.next(), better);
    EXPECT_EQ(trial.mean_ns(better), 10.0);
  }
}

TEST(LoopTrial, KeepsBlocksIfTurnsAreHardlyFaster) {
  LoopTrial trial;
  run_trial(trial,
            [](int, Division division) { return division == Division::block ? 10.4 : 10.0; });
  EXPECT_EQ(trial.next(), Division::block);
}

// LU's runs get shorter: without the order b c c b what comes last would seem faster.
TEST(LoopTrial, IsFairToLoopsThatGetShorter) {
  LoopTrial trial;
  run_trial(trial, [](int run, Division) { return 1000.0 - 40.0 * run; });
  EXPECT_DOUBLE_EQ(trial.mean_ns(Division::block), trial.mean_ns(Division::cyclic));
  LoopTrial growing;
  run_trial(growing, [](int run, Division) { return 100.0 + 40.0 * run; });
  EXPECT_DOUBLE_EQ(growing.mean_ns(Division::block), growing.mean_ns(Division::cyclic));
}

TEST(LoopTrial, DoesNotCountRunsAfterAChangeNorTheSlowerHalf) {
  LoopTrial trial;
  run_trial(trial, [](int run, Division) {
    const bool first = run == 0 || run == 5 || run == 14;
    const bool disturbed = run == 3 || run == 4 || run == 7 || run == 13 || run == 15 || run == 16;
    return first || disturbed ? 1e6 : 5.0;
  });
  EXPECT_EQ(trial.mean_ns(Division::block), 5.0);
  EXPECT_EQ(trial.mean_ns(Division::cyclic), 5.0);
}

TEST(LoopTrial, EndsWithBlocksIfNothingCanBeTimed) {
  LoopTrial trial;
  for (int run = 0; run < LoopTrial::most_untimed - 1; ++run) trial.was_not_timed();
  trial.took(5.0);
  for (int run = 0; run < LoopTrial::most_untimed; ++run) {
    EXPECT_FALSE(trial.is_settled());
    trial.was_not_timed();
  }
  EXPECT_TRUE(trial.is_settled());
  EXPECT_EQ(trial.next(), Division::block);
}

}  // namespace
}  // namespace xylem::count
