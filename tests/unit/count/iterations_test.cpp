// Iterations in sequences of regions: where they begin, how long they are, and when they change.
#include "count/iteration/iterations.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plan/random.hpp"

namespace xylem::count {
namespace {

// Hears a letter a region, one every 10 ns.
class Listener {
 public:
  // A mark for each region: '^' begins an iteration, '!' changes the phase, 'X' both, '.' neither.
  std::string hear(const std::string& regions) {
    std::string marks;
    for (const char region : regions) {
      const Heard heard = iterations.hear(static_cast<uint64_t>(region), now_ += 10);
      marks += heard.begins_iteration ? (heard.phase_changed ? 'X' : '^')
                                      : (heard.phase_changed ? '!' : '.');
    }
    return marks;
  }
  Heard tell() { return iterations.tell(now_ += 10); }

  Iterations iterations;

 private:
  int64_t now_ = 0;
};

std::string times(int count, const std::string& text) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

TEST(Iterations, AreFoundWhenTheyCameThreeTimes) {
  Listener listener;
  EXPECT_EQ(listener.hear("abc"
                          "abc"
                          "abc"),
            ".........");  // the last region tells that it is one
  EXPECT_EQ(listener.iterations.period(), 3);
  EXPECT_EQ(listener.iterations.repeats(), 2u);
  EXPECT_EQ(listener.hear("abcabc"), "^..^..");
  EXPECT_EQ(listener.iterations.last_ns(), 30);
  EXPECT_EQ(listener.iterations.repeats(), 4u);
  EXPECT_DOUBLE_EQ(listener.iterations.confidence(), 0.8);
  EXPECT_EQ(listener.iterations.phase_changes(), 0u);
}

TEST(Iterations, BeginWhereTheLoopBegan) {
  Listener listener;
  listener.hear(
      "init"
      "abcd"
      "abcd"
      "abcd");  // what comes before it is no part of it
  EXPECT_EQ(listener.hear("abcdabcd"), "^...^...");
}

TEST(Iterations, AreNotInWhatDoesNotRepeat) {
  Listener listener;
  EXPECT_EQ(listener.hear("abcdefghijklmnopqrstuvwxyz"), std::string(26, '.'));
  EXPECT_EQ(listener.iterations.period(), 0);
  EXPECT_EQ(listener.iterations.confidence(), 0);
  EXPECT_EQ(listener.iterations.last_ns(), 0);
}

TEST(Iterations, OfOneRegion) {
  Listener listener;
  EXPECT_EQ(listener.hear("aaaaaa"), "..^^^^");
  EXPECT_EQ(listener.iterations.period(), 1);
}

// Twenty sweeps inside of an iteration are a period of their own at first, until the outer one is
// seen: then the sweeps' beginning and end change nothing any more.
TEST(Iterations, AreTheOuterLoopsWhereLoopsAreNested) {
  Listener listener;
  const std::string outer = "a" + std::string(20, 's') + "bc";
  listener.hear(times(3, outer));
  EXPECT_EQ(listener.iterations.period(), 23);
  const uint64_t changes = listener.iterations.phase_changes();
  EXPECT_EQ(listener.hear(times(3, outer)), times(3, "^" + std::string(22, '.')));
  EXPECT_EQ(listener.iterations.period(), 23);
  EXPECT_EQ(listener.iterations.phase_changes(), changes);
}

TEST(Iterations, ChangeThePhase) {
  Listener listener;
  listener.hear(times(10, "abc"));
  EXPECT_EQ(listener.hear("x"), "!");
  EXPECT_EQ(listener.iterations.period(), 0);
  EXPECT_EQ(listener.iterations.last_ns(), 0);
  listener.hear(
      "de"
      "de"
      "de");
  EXPECT_EQ(listener.iterations.period(), 2);
  EXPECT_EQ(listener.hear("dede"), "^.^.");
  EXPECT_EQ(listener.iterations.phase_changes(), 1u);
  EXPECT_EQ(listener.iterations.last_ns(), 20);
}

TEST(Iterations, AsLongAsTheLongestPeriod) {
  for (const int regions : {Iterations::most_regions, Iterations::most_regions + 1}) {
    Iterations iterations;
    for (int i = 0; i < 4 * regions; ++i)
      iterations.hear(static_cast<uint64_t>(i % regions) + 1, i);
    EXPECT_EQ(iterations.period(), regions <= Iterations::most_regions ? regions : 0);
  }
}

// Against the definition: the longest suffix that repeats with a period, for each region heard.
TEST(Iterations, AgreeWithTheDefinition) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    plan::Random random(seed);
    std::string regions;
    while (regions.size() < 400) {
      std::string part;
      for (int length = 1 + random.below(6); length > 0; --length)
        part += static_cast<char>('a' + random.below(3));
      regions += times(1 + random.below(6), part);
    }
    Iterations iterations;
    for (std::size_t heard = 1; heard <= regions.size(); ++heard) {
      iterations.hear(static_cast<uint64_t>(regions[heard - 1]), static_cast<int64_t>(heard));
      std::size_t best = 0, best_matched = 0;
      for (std::size_t period = 1; period < heard; ++period) {
        std::size_t matched = 0;
        while (matched + period < heard &&
               regions[heard - 1 - matched] == regions[heard - 1 - matched - period])
          ++matched;
        if (matched >= 2 * period && matched > best_matched) best = period, best_matched = matched;
      }
      ASSERT_EQ(iterations.period(), static_cast<int>(best)) << seed << ": " << heard;
      if (best > 0) {
        ASSERT_EQ(iterations.repeats(), best_matched / best);
      }
    }
  }
}

// Through long steady times, in which only one period is counted, and their ends: as if all were.
TEST(Iterations, AreTheSameWhereOnlyOnePeriodIsCounted) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    plan::Random random(seed);
    Iterations iterations;
    std::vector<uint64_t> regions;
    std::vector<uint64_t> matched(Iterations::most_regions + 1);
    const auto hear = [&](uint64_t region) {
      regions.push_back(region);
      iterations.hear(region, static_cast<int64_t>(regions.size()));
      std::size_t best = 0;
      for (std::size_t period = 1; period < matched.size() && period < regions.size(); ++period) {
        const bool same = regions[regions.size() - 1 - period] == region;
        matched[period] = same ? matched[period] + 1 : 0;
        if (matched[period] >= 2 * period && (best == 0 || matched[period] > matched[best]))
          best = period;
      }
      ASSERT_EQ(iterations.period(), static_cast<int>(best)) << seed << ": " << regions.size();
    };
    for (int phase = 0; phase < 6; ++phase) {
      std::vector<uint64_t> part;
      const int alphabet = 1 + random.below(3);
      for (int length = 1 + random.below(40); length > 0; --length)
        part.push_back(static_cast<uint64_t>(1 + random.below(alphabet)));
      for (int i = random.below(1500); i > 0; --i)
        hear(part[static_cast<std::size_t>(i) % part.size()]);
    }
  }
}

TEST(Iterations, ThatTheProgramTellsAreNotGuessed) {
  Listener listener;
  listener.hear(times(5, "ab"));
  EXPECT_TRUE(listener.tell().begins_iteration);
  EXPECT_EQ(listener.iterations.confidence(), 1);
  EXPECT_EQ(listener.iterations.period(), 0);
  EXPECT_EQ(listener.hear("abab"), "....");
  EXPECT_FALSE(listener.tell().phase_changed);
  EXPECT_EQ(listener.iterations.period(), 4);
  EXPECT_EQ(listener.iterations.last_ns(), 50);
  listener.hear("wxyz");  // other regions, but as many
  EXPECT_FALSE(listener.tell().phase_changed);
  listener.hear("wx");
  EXPECT_TRUE(listener.tell().phase_changed);
  EXPECT_EQ(listener.iterations.period(), 2);
  EXPECT_EQ(listener.iterations.repeats(), 3u);
  EXPECT_EQ(listener.iterations.phase_changes(), 1u);
}

}  // namespace
}  // namespace xylem::count
