// KMP_* settings: what they say, which places KMP_AFFINITY means, which PUs KMP_HW_SUBSET leaves,
// and that OMP_* and GOMP_* settings come first. The orders of places are those of libomp 19.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "omp/env/kmp_affinity.hpp"
#include "omp/env/settings.hpp"
#include "omp/team/spin_time.hpp"
#include "synthetic_machine.hpp"

namespace xylem::omp {
namespace {

std::map<std::string, std::string> environment;

const char* fake_lookup(const char* name) {
  auto found = environment.find(name);
  return found != environment.end() ? found->second.c_str() : nullptr;
}

class KmpSettings : public testing::Test {
 protected:
  std::string read(std::map<std::string, std::string> variables) {
    environment = std::move(variables);
    testing::internal::CaptureStderr();
    initialize_settings(*machine_, 16, fake_lookup);
    return testing::internal::GetCapturedStderr();
  }
  // The places in force, such as "0 1|2 3".
  static std::string places() {
    std::string text;
    const PlaceList* list = globals().places;
    for (int i = 0; list != nullptr && i < list->size(); ++i) {
      if (i > 0) text += "|";
      for (const int pu : list->place(i))
        text += (text.empty() || text.back() == '|' ? "" : " ") + std::to_string(pu);
    }
    return text;
  }
  std::unique_ptr<topo::Machine> machine_ = test::draw("pack:2 [numa] core:2 pu:2");
};

TEST_F(KmpSettings, CompactFollowsTheMachine) {
  EXPECT_EQ(read({{"KMP_AFFINITY", "granularity=fine,compact"}}), "");
  EXPECT_EQ(places(), "0|1|2|3|4|5|6|7");
  EXPECT_EQ(initial_icvs().bind_var, ProcBind::close);
  read({{"KMP_AFFINITY", "compact"}});
  EXPECT_EQ(places(), "0 1|0 1|2 3|2 3|4 5|4 5|6 7|6 7") << "a core is the default granularity";
  read({{"KMP_AFFINITY", "verbose,granularity=socket,compact"}});
  EXPECT_EQ(places(), "0 1 2 3|0 1 2 3|0 1 2 3|0 1 2 3|4 5 6 7|4 5 6 7|4 5 6 7|4 5 6 7");
  EXPECT_TRUE(globals().display_affinity);
}

TEST_F(KmpSettings, PermutationAndOffset) {
  read({{"KMP_AFFINITY", "granularity=fine,compact,1,0"}});
  EXPECT_EQ(places(), "0|2|4|6|1|3|5|7") << "one thread of each core first";
  read({{"KMP_AFFINITY", "granularity=fine,logical,3"}});
  EXPECT_EQ(places(), "3|4|5|6|7|0|1|2") << "the one number is the offset";
  read({{"KMP_AFFINITY", "granularity=fine,compact,0,3"}});
  EXPECT_EQ(places(), "3|4|5|6|7|0|1|2");
}

TEST_F(KmpSettings, ScatterGoesRoundTheMachine) {
  read({{"KMP_AFFINITY", "granularity=fine,scatter"}});
  EXPECT_EQ(places(), "0|4|2|6|1|5|3|7");
  read({{"KMP_AFFINITY", "granularity=core,scatter"}});
  EXPECT_EQ(places(), "0 1|4 5|2 3|6 7|0 1|4 5|2 3|6 7");
}

TEST_F(KmpSettings, ExplicitListsAndBalanced) {
  EXPECT_EQ(read({{"KMP_AFFINITY", "proclist=[3,{0,1},4-7:2],explicit,granularity=fine"}}), "");
  EXPECT_EQ(places(), "3|0 1|4|6");
  read({{"KMP_AFFINITY", "balanced"}});
  EXPECT_EQ(initial_icvs().bind_var, ProcBind::spread);
  for (const char* unbound : {"none", "disabled", "respect,none", "verbose"}) {
    EXPECT_EQ(read({{"KMP_AFFINITY", unbound}}), "") << unbound;
    EXPECT_EQ(places(), "") << unbound;
    EXPECT_EQ(initial_icvs().bind_var, ProcBind::none) << unbound;
  }
}

TEST_F(KmpSettings, WrongAffinitiesAreNamed) {
  for (const char* wrong : {"compactly", "explicit", "proclist=[0", "granularity=fin,compact",
                            "compact,1,2,3", "1,compact", "compact scatter", ""}) {
    EXPECT_NE(read({{"KMP_AFFINITY", wrong}}).find("KMP_AFFINITY"), std::string::npos) << wrong;
    EXPECT_EQ(places(), "") << wrong;
  }
}

TEST_F(KmpSettings, OthersComeFirst) {
  read({{"KMP_AFFINITY", "compact"}, {"OMP_PLACES", "sockets"}});
  EXPECT_EQ(places(), "0 1 2 3|4 5 6 7");
  read({{"KMP_AFFINITY", "compact"}, {"OMP_PROC_BIND", "false"}});
  EXPECT_EQ(places(), "");
  read({{"KMP_AFFINITY", "compact"}, {"GOMP_CPU_AFFINITY", "2"}});
  EXPECT_EQ(places(), "2");
  read({{"KMP_STACKSIZE", "1M"}, {"OMP_STACKSIZE", "2M"}});
  EXPECT_EQ(globals().stack_size, 2u << 20);
  read({{"KMP_LIBRARY", "turnaround"}, {"OMP_WAIT_POLICY", "passive"}});
  EXPECT_EQ(globals().wait_policy, WaitPolicy::passive);
}

// The first six as libomp 19, which reports no limit of its own.
TEST_F(KmpSettings, OfSeveralLimitsNoneIsExceeded) {
  const auto limit = [&](std::map<std::string, std::string> variables) {
    read(std::move(variables));
    return initial_icvs().thread_limit_var;
  };
  EXPECT_EQ(limit({{"KMP_DEVICE_THREAD_LIMIT", "4"}, {"OMP_THREAD_LIMIT", "7"}}), 4);
  EXPECT_EQ(limit({{"KMP_DEVICE_THREAD_LIMIT", "7"}, {"OMP_THREAD_LIMIT", "4"}}), 4);
  EXPECT_EQ(limit({{"KMP_ALL_THREADS", "3"}, {"OMP_THREAD_LIMIT", "7"}}), 3);
  EXPECT_EQ(limit({{"KMP_ALL_THREADS", "3"}, {"KMP_DEVICE_THREAD_LIMIT", "7"}}), 7);
  read({{"KMP_TEAMS_THREAD_LIMIT", "4"}, {"OMP_TEAMS_THREAD_LIMIT", "7"}});
  EXPECT_EQ(globals().league_threads, 4);
  EXPECT_EQ(teams_thread_limit_var(), 7);
}

TEST_F(KmpSettings, NumbersAndWords) {
  EXPECT_EQ(read({{"KMP_STACKSIZE", "65536"}, {"KMP_ALL_THREADS", "5"}}), "");
  EXPECT_EQ(globals().stack_size, 65536u) << "bytes";
  EXPECT_EQ(initial_icvs().thread_limit_var, 5);
  read({{"KMP_DEVICE_THREAD_LIMIT", "all"}, {"KMP_TEAMS_THREAD_LIMIT", "3"}});
  EXPECT_EQ(initial_icvs().thread_limit_var, 8);
  EXPECT_EQ(globals().league_threads, 3);
  EXPECT_EQ(teams_thread_limit_var(), 0);
  read({{"KMP_LIBRARY", "turnaround"}});
  EXPECT_EQ(globals().wait_policy, WaitPolicy::active);
  read({{"KMP_LIBRARY", "throughput"}});
  EXPECT_EQ(globals().wait_policy, WaitPolicy::passive);
  EXPECT_EQ(read({{"KMP_STACKSIZE", "2mb"}}), "");
  EXPECT_EQ(globals().stack_size, 2u << 20);
  read({{"KMP_LIBRARY", "serial"}});
  EXPECT_EQ(initial_icvs().nthreads_var, 1);
  EXPECT_EQ(initial_icvs().max_active_levels_var, 0);
  EXPECT_NE(read({{"KMP_LIBRARY", "parallel"}}).find("serial, turnaround"), std::string::npos);
}

TEST_F(KmpSettings, BlockTimeIsSpinning) {
  const auto spin = [&](const char* text) {
    read({{"KMP_BLOCKTIME", text}});
    return spin_time_ns(globals(), -1, false);
  };
  EXPECT_EQ(spin("0"), 0);
  EXPECT_EQ(spin("3"), 3'000'000);
  EXPECT_EQ(spin("3ms"), 3'000'000);
  EXPECT_EQ(spin("1500us"), 2'000'000);
  EXPECT_EQ(spin("infinite"), 10'000'000) << "none spins for longer";
  EXPECT_EQ(globals().block_time_ms, endless_block_time);
  EXPECT_NE(read({{"KMP_BLOCKTIME", "soon"}}).find("KMP_BLOCKTIME"), std::string::npos);
  EXPECT_EQ(globals().block_time_ms, -1);
}

TEST_F(KmpSettings, WarningsAndDisplay) {
  EXPECT_EQ(read({{"KMP_WARNINGS", "off"}, {"OMP_NUM_THREADS", "many"}}), "");
  EXPECT_NE(read({{"KMP_WARNINGS", "1"}, {"OMP_NUM_THREADS", "many"}}), "");
  EXPECT_NE(read({{"KMP_SETTINGS", "yes"}}).find("GOMP_SPINCOUNT"), std::string::npos);
}

TEST_F(KmpSettings, WhatIsNotObeyedIsNamed) {
  const char* const some[] = {"KMP_TASKING=1",     "HOME=x",
                              "KMP_AFFINITY=none", "KMP_DUPLICATE_LIB_OK=TRUE",
                              "KMP_VERSION=1",     nullptr};
  testing::internal::CaptureStderr();
  name_ignored_settings(some);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find(": KMP_TASKING, KMP_VERSION: not obeyed"), std::string::npos) << said;
}

using Pus = std::vector<int>;

TEST(KmpHwSubset, PartsOfAMachine) {
  auto machine = test::draw(test::two_packages);  // 2 packages, 4 cores each, 2 PUs a core
  const auto left = [&](const char* text) {
    auto parsed = parse_hw_subset(text, *machine);
    EXPECT_TRUE(parsed.ok()) << text;
    return parsed.ok() ? parsed.value() : Pus{};
  };
  EXPECT_EQ(left("1s"), (Pus{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(left("2s,1c,1t"), (Pus{0, 8}));
  EXPECT_EQ(left("1T, 2S, 1C"), (Pus{0, 8}));
  EXPECT_EQ(left("1s@1,2c@1,1t@1"), (Pus{11, 13}));
  EXPECT_EQ(left("1core"), (Pus{0, 1, 8, 9})) << "in each package";
  EXPECT_EQ(left("1s,1t"), (Pus{0, 2, 4, 6})) << "in each core";
  EXPECT_EQ(left(":1s,1t"), (Pus{0})) << "cores are not named";
  EXPECT_EQ(left(":3t@5"), (Pus{5, 6, 7})) << "of the machine";
  EXPECT_EQ(left("1t@1"), (Pus{1, 3, 5, 7, 9, 11, 13, 15}));
  EXPECT_EQ(left("1l3x1c@3"), (Pus{6, 7, 14, 15}));
  EXPECT_EQ(left("1s@1,1n,4c,1t"), (Pus{8, 10, 12, 14}));
  EXPECT_EQ(left("1s,*c,1t"), (Pus{0, 2, 4, 6})) << "all cores";
  EXPECT_EQ(left("s,1c"), (Pus{0, 1, 8, 9})) << "all packages";
  EXPECT_EQ(left("1s,*c@2"), (Pus{4, 5, 6, 7})) << "all from there on";
}

TEST(KmpHwSubset, WhatCannotBeHad) {
  auto machine = test::draw(test::two_packages);
  for (const char* wrong : {"3s", "2s,5c", "1c@8", "1l2", "0s", "*", "4", "2s,", "2q", ""})
    EXPECT_FALSE(parse_hw_subset(wrong, *machine).ok()) << wrong;
}

}  // namespace
}  // namespace xylem::omp
