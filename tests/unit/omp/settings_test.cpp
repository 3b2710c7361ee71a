// The settings table: what each variable may be, what wrong values do, how variables combine, and
// what OMP_DISPLAY_ENV prints. Expected values are libgomp 12's.
#include "omp/env/settings.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "omp/env/places.hpp"
#include "omp/env/settings_values.hpp"
#include "synthetic_machine.hpp"

namespace xylem::omp {
namespace {

std::map<std::string, std::string> environment;

const char* fake_lookup(const char* name) {
  auto found = environment.find(name);
  return found != environment.end() ? found->second.c_str() : nullptr;
}

class Settings : public testing::Test {
 protected:
  // Reads the variables given; the warnings are in warnings_.
  void read(std::map<std::string, std::string> variables, int usable = 6) {
    environment = std::move(variables);
    testing::internal::CaptureStderr();
    initialize_settings(*machine_, usable, fake_lookup);
    warnings_ = testing::internal::GetCapturedStderr();
  }
  // Reads variables that are all right.
  void read_well(std::map<std::string, std::string> variables) {
    read(std::move(variables));
    EXPECT_EQ(warnings_, "");
  }
  bool warned(std::string_view part) const { return warnings_.find(part) != std::string::npos; }

  std::unique_ptr<topo::Machine> machine_ = test::draw(test::two_packages);
  std::string warnings_;
};

TEST_F(Settings, Defaults) {
  read_well({});
  Icvs icvs = initial_icvs();
  EXPECT_EQ(icvs.nthreads_var, 6);
  EXPECT_EQ(icvs.thread_limit_var, unlimited_threads);
  EXPECT_EQ(icvs.max_active_levels_var, 1);
  EXPECT_EQ(icvs.run_sched_kind, ScheduleKind::dynamic_schedule);
  EXPECT_EQ(icvs.run_sched_chunk, 1);
  EXPECT_FALSE(icvs.run_sched_monotonic);
  EXPECT_EQ(icvs.bind_var, ProcBind::none);
  EXPECT_EQ(icvs.place_count, 0);
  EXPECT_EQ(icvs.default_allocator, 1u);
  EXPECT_FALSE(icvs.dyn_var);
  EXPECT_EQ(globals().places, nullptr);
  EXPECT_EQ(globals().usable_threads, 6);
  EXPECT_EQ(globals().spin_count, 300000u);
  EXPECT_EQ(globals().throttled_spin_count, 100u);
  EXPECT_STREQ(globals().affinity_format, "level %L thread %i affinity %A");
}

TEST(Environment, EachRowsVariableIsFound) {
  for (const Setting& setting : settings_table()) {
    ASSERT_EQ(setenv(setting.name, "its text", 1), 0);
    EXPECT_STREQ(environment_lookup(setting.name), "its text") << setting.name;
    ASSERT_EQ(setenv(setting.name, "", 1), 0);
    EXPECT_STREQ(environment_lookup(setting.name), "") << setting.name;
    ASSERT_EQ(unsetenv(setting.name), 0);
    EXPECT_EQ(environment_lookup(setting.name), nullptr) << setting.name;
  }
}

TEST(Environment, WhatOnlyBeginsLikeARowIsNone) {
  ASSERT_EQ(setenv("OMP_NUM_THREADSX", "2", 1), 0);
  ASSERT_EQ(setenv("OMP_NUM", "2", 1), 0);
  EXPECT_EQ(environment_lookup("OMP_NUM_THREADS"), nullptr);
  EXPECT_EQ(environment_lookup("OMP_NUM"), nullptr);
  ASSERT_EQ(unsetenv("OMP_NUM_THREADSX"), 0);
  ASSERT_EQ(unsetenv("OMP_NUM"), 0);
}

TEST(Environment, OfTwoWithOneNameTheFirstCounts) {
  char first[] = "OMP_SCHEDULE=static", second[] = "OMP_SCHEDULE=guided", alone[] = "OMP_SCHEDULE";
  char* variables[] = {alone, first, second, nullptr};
  char** const before = std::exchange(environ, variables);
  const char* found = environment_lookup("OMP_SCHEDULE");
  environ = before;
  EXPECT_STREQ(found, "static");
}

TEST_F(Settings, NumThreadsOneAndMany) {
  read_well({{"OMP_NUM_THREADS", "3"}});
  EXPECT_EQ(initial_icvs().nthreads_var, 3);
  EXPECT_EQ(child_icvs(initial_icvs(), 1).nthreads_var, 3);
  EXPECT_EQ(initial_icvs().max_active_levels_var, 1);
  read_well({{"OMP_NUM_THREADS", " 2 , 3,4 "}});
  Icvs icvs = initial_icvs();
  EXPECT_EQ(icvs.nthreads_var, 2);
  EXPECT_EQ(child_icvs(icvs, 1).nthreads_var, 3);
  EXPECT_EQ(child_icvs(icvs, 2).nthreads_var, 4);
  icvs.nthreads_var = 9;
  EXPECT_EQ(child_icvs(icvs, 3).nthreads_var, 9) << "levels past the list inherit";
  EXPECT_EQ(icvs.max_active_levels_var, supported_active_levels);
}

TEST_F(Settings, ActiveLevels) {
  read_well({{"OMP_MAX_ACTIVE_LEVELS", "4"}, {"OMP_NESTED", "false"}});
  EXPECT_EQ(initial_icvs().max_active_levels_var, 4);
  read_well({{"OMP_MAX_ACTIVE_LEVELS", "4"}, {"OMP_NESTED", "x"}});
  EXPECT_EQ(initial_icvs().max_active_levels_var, 4) << "nobody looks at OMP_NESTED then";
  read_well({{"OMP_MAX_ACTIVE_LEVELS", "0"}});
  EXPECT_EQ(initial_icvs().max_active_levels_var, 0);
  read_well({{"OMP_MAX_ACTIVE_LEVELS", "9999"}});
  EXPECT_EQ(initial_icvs().max_active_levels_var, 255);
  read_well({{"OMP_NESTED", "TRUE"}});
  EXPECT_EQ(initial_icvs().max_active_levels_var, 255);
  read_well({{"OMP_NESTED", "false"}, {"OMP_NUM_THREADS", "2,2"}});
  EXPECT_EQ(initial_icvs().max_active_levels_var, 1);
}

struct ScheduleCase {
  const char* text;
  ScheduleKind kind;
  int chunk;
  bool monotonic;
};

TEST_F(Settings, Schedules) {
  using enum ScheduleKind;
  const ScheduleCase cases[] = {
      {"static", static_schedule, 0, true},
      {"static,4", static_schedule, 4, true},
      {"Static , 2 ", static_schedule, 2, true},
      {"static,0", static_schedule, 0, true},
      {"nonmonotonic:static", static_schedule, 0, false},
      {"dynamic, 3", dynamic_schedule, 3, false},
      {"dynamic,0", dynamic_schedule, 1, false},
      {"monotonic:dynamic", dynamic_schedule, 1, true},
      {"monotonic : guided , 3", guided_schedule, 3, true},
      {"nonmonotonic: guided,3", guided_schedule, 3, false},
      {"auto", auto_schedule, 1, false},
      {"auto,4", auto_schedule, 4, false},
  };
  for (const ScheduleCase& c : cases) {
    read_well({{"OMP_SCHEDULE", c.text}});
    EXPECT_EQ(initial_icvs().run_sched_kind, c.kind) << c.text;
    EXPECT_EQ(initial_icvs().run_sched_chunk, c.chunk) << c.text;
    EXPECT_EQ(initial_icvs().run_sched_monotonic, c.monotonic) << c.text;
    EXPECT_EQ(initial_icvs().run_sched_nonmonotonic, c.text[0] == 'n') << c.text;
  }
}

TEST_F(Settings, Binding) {
  read_well({{"OMP_PROC_BIND", "true"}});
  EXPECT_EQ(initial_icvs().bind_var, ProcBind::any);
  EXPECT_EQ(initial_icvs().place_count, 16) << "one place a hardware thread";
  read_well({{"OMP_PROC_BIND", "spread,close"}, {"OMP_PLACES", "cores"}});
  EXPECT_EQ(initial_icvs().bind_var, ProcBind::spread);
  EXPECT_EQ(child_icvs(initial_icvs(), 1).bind_var, ProcBind::close);
  EXPECT_EQ(globals().places->size(), 8);
  EXPECT_EQ(initial_icvs().max_active_levels_var, 255);
  read_well({{"OMP_PLACES", "sockets"}});
  EXPECT_EQ(initial_icvs().bind_var, ProcBind::any) << "places bind";
  read_well({{"OMP_PLACES", "sockets"}, {"OMP_PROC_BIND", "false"}});
  EXPECT_EQ(globals().places, nullptr);
  read_well({{"OMP_PROC_BIND", "master"}, {"GOMP_CPU_AFFINITY", "3 1"}});
  EXPECT_EQ(initial_icvs().bind_var, ProcBind::primary);
  EXPECT_EQ(globals().places->size(), 2);
  EXPECT_EQ(globals().places->place(0)[0], 3);
  read_well({{"OMP_PLACES", "cores"}, {"GOMP_CPU_AFFINITY", "1"}});
  EXPECT_EQ(globals().places->size(), 8) << "OMP_PLACES comes first";
}

TEST_F(Settings, PlacesOfOtherMachines) {
  read({{"OMP_PLACES", "{0},{99}"}});
  EXPECT_EQ(globals().places->size(), 1);
  EXPECT_TRUE(
      warned("OMP_PLACES='{0},{99}': this process may use no processor of some places; "
             "using the other places\n"));
  read({{"OMP_PLACES", "{99}"}});
  EXPECT_EQ(globals().places, nullptr);
  EXPECT_TRUE(warned("OMP_PLACES='{99}'"));
  read({{"OMP_PLACES", "zzz"}, {"GOMP_CPU_AFFINITY", "1"}});
  EXPECT_EQ(globals().places->size(), 1);
  read_well({{"OMP_PLACES", "{99}"}, {"OMP_PROC_BIND", "false"}});
  read({{"OMP_PLACES", "{99"}, {"OMP_PROC_BIND", "false"}});
  EXPECT_TRUE(warned("OMP_PLACES='{99'")) << "how it is written is looked at all the same";
}

TEST_F(Settings, Waiting) {
  read_well({{"OMP_WAIT_POLICY", "active"}});
  EXPECT_EQ(globals().spin_count, 30'000'000'000u);
  EXPECT_EQ(globals().throttled_spin_count, 1000u);
  read_well({{"OMP_WAIT_POLICY", "PASSIVE"}});
  EXPECT_EQ(globals().spin_count, 0u);
  read_well({{"GOMP_SPINCOUNT", "50"}, {"OMP_WAIT_POLICY", "passive"}});
  EXPECT_EQ(globals().spin_count, 50u);
  read_well({{"GOMP_SPINCOUNT", "10k"}});
  EXPECT_EQ(globals().spin_count, 10'000u);
  read_well({{"GOMP_SPINCOUNT", " 1 T"}});
  EXPECT_EQ(globals().spin_count, 1'000'000'000'000u);
  read_well({{"GOMP_SPINCOUNT", "18446745T"}});
  EXPECT_EQ(globals().spin_count, UINT64_MAX);
  read({{"GOMP_SPINCOUNT", "1b"}});
  EXPECT_TRUE(warned("using the default (300000)"));
  read_well({{"GOMP_SPINCOUNT", "Infinite"}});
  EXPECT_EQ(globals().spin_count, UINT64_MAX);
}

TEST_F(Settings, StackSizes) {
  const std::pair<const char*, std::size_t> cases[] = {{"48", 48u << 10},
                                                       {"512k", 512u << 10},
                                                       {"3M", 3u << 20},
                                                       {" 1 G ", 1u << 30},
                                                       {"65536B", 65536}};
  for (auto [text, bytes] : cases) {
    read_well({{"OMP_STACKSIZE", text}});
    EXPECT_EQ(globals().stack_size, bytes) << text;
  }
  read_well({{"OMP_STACKSIZE", "1M"}, {"GOMP_STACKSIZE", "2M"}});
  EXPECT_EQ(globals().stack_size, 1u << 20);
  read_well({{"GOMP_STACKSIZE", "2M"}});
  EXPECT_EQ(globals().stack_size, 2u << 20);
  read_well({{"OMP_STACKSIZE", "1M"}, {"GOMP_STACKSIZE", "x"}});
  read({{"OMP_STACKSIZE", "x"}, {"GOMP_STACKSIZE", "2M"}});
  EXPECT_EQ(globals().stack_size, 2u << 20);
  for (const char* text : {"0", "15", "16383b", "2048G", "17179869183G", "18446744073709551615b"}) {
    read({{"OMP_STACKSIZE", text}, {"GOMP_STACKSIZE", text}});
    EXPECT_TRUE(warned("using the default (the stack limit of the process)")) << text;
    EXPECT_EQ(globals().stack_size, 0u) << text;
  }
}

TEST_F(Settings, Others) {
  read_well({{"OMP_DYNAMIC", "true"},
             {"OMP_THREAD_LIMIT", "7"},
             {"OMP_CANCELLATION", "true"},
             {"OMP_DEFAULT_DEVICE", "2"},
             {"OMP_MAX_TASK_PRIORITY", "9"},
             {"OMP_DISPLAY_AFFINITY", "true"},
             {"OMP_AFFINITY_FORMAT", "T%n"},
             {"OMP_ALLOCATOR", "omp_thread_mem_alloc"},
             {"OMP_TARGET_OFFLOAD", "mandatory"},
             {"OMP_NUM_TEAMS", "5"},
             {"OMP_TEAMS_THREAD_LIMIT", "6"},
             {"OMP_TOOL", "disabled"},
             {"OMP_TOOL_LIBRARIES", "/x.so"}});
  Icvs icvs = initial_icvs();
  EXPECT_TRUE(icvs.dyn_var);
  EXPECT_EQ(icvs.thread_limit_var, 7);
  EXPECT_EQ(icvs.default_device_var, 2);
  EXPECT_EQ(icvs.default_allocator, 8u);
  EXPECT_TRUE(globals().cancellation);
  EXPECT_EQ(globals().max_task_priority, 9);
  EXPECT_TRUE(globals().display_affinity);
  EXPECT_STREQ(globals().affinity_format, "T%n");
  EXPECT_EQ(globals().target_offload, TargetOffload::mandatory);
  EXPECT_EQ(num_teams_var(), 5);
  EXPECT_EQ(teams_thread_limit_var(), 6);
  EXPECT_FALSE(globals().tool);
  EXPECT_STREQ(globals().tool_libraries, "/x.so");
}

// There is neither an OMPD library nor a plugin for devices.
TEST_F(Settings, WhatNothingHereWouldObeyIsNotRead) {
  read_well({{"OMP_DEBUG", "fish"}, {"GOMP_DEBUG", "7"}});
}

TEST_F(Settings, WrongValuesWarnOnceEachAndChangeNothing) {
  const std::map<std::string, std::string> wrong{{"OMP_DYNAMIC", "fish"},
                                                 {"OMP_NESTED", "2"},
                                                 {"OMP_NUM_THREADS", "1,,2"},
                                                 {"OMP_SCHEDULE", "runtime"},
                                                 {"OMP_PROC_BIND", "true,close"},
                                                 {"OMP_PLACES", "{0"},
                                                 {"OMP_STACKSIZE", "3x"},
                                                 {"OMP_WAIT_POLICY", "lazy"},
                                                 {"OMP_THREAD_LIMIT", "0"},
                                                 {"OMP_MAX_ACTIVE_LEVELS", "-3"},
                                                 {"OMP_NUM_TEAMS", "0"},
                                                 {"OMP_TEAMS_THREAD_LIMIT", "-1"},
                                                 {"OMP_CANCELLATION", "1"},
                                                 {"OMP_DEFAULT_DEVICE", "x"},
                                                 {"OMP_MAX_TASK_PRIORITY", ""},
                                                 {"OMP_DISPLAY_AFFINITY", "yes"},
                                                 {"OMP_AFFINITY_FORMAT", "%x"},
                                                 {"OMP_ALLOCATOR", "omp_default"},
                                                 {"OMP_TARGET_OFFLOAD", "no"},
                                                 {"OMP_DISPLAY_ENV", "loud"},
                                                 {"OMP_TOOL", "on"},
                                                 {"GOMP_CPU_AFFINITY", "0-"},
                                                 {"GOMP_STACKSIZE", "99999999999999999999G"},
                                                 {"GOMP_SPINCOUNT", "10ki"}};
  read(wrong);
  std::string warnings = warnings_;
  for (const auto& [name, text] : wrong) {
    std::string start = "xylem: warning: " + name + "='" + text + "': ";
    auto found = warnings.find(start);
    EXPECT_NE(found, std::string::npos) << start;
    EXPECT_EQ(warnings.find(start, found + 1), std::string::npos) << name << " warned twice";
  }
  EXPECT_EQ(static_cast<std::size_t>(std::count(warnings.begin(), warnings.end(), '\n')),
            wrong.size());
  testing::internal::CaptureStderr();
  display_environment(stderr, true);
  std::string shown = testing::internal::GetCapturedStderr();
  read_well({});
  testing::internal::CaptureStderr();
  display_environment(stderr, true);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), shown);
}

TEST_F(Settings, MoreWrongSchedulesAndLists) {
  for (const char* text :
       {"", "monotonic dynamic", "monotonic:", "monotonic:nonmonotonic:static", "stat,1"}) {
    read({{"OMP_SCHEDULE", text}});
    EXPECT_TRUE(warned("using the default (dynamic)")) << text;
    EXPECT_EQ(initial_icvs().run_sched_kind, ScheduleKind::dynamic_schedule);
  }
  for (const char* text : {"static,", "static,99999999999", "static 3", "static,1x", "staticx"}) {
    read({{"OMP_SCHEDULE", text}});
    EXPECT_TRUE(warned("using static,1\n")) << text;
    EXPECT_EQ(initial_icvs().run_sched_kind, ScheduleKind::static_schedule) << "as libgomp";
    EXPECT_EQ(initial_icvs().run_sched_chunk, 1) << text;
  }
  read({{"OMP_SCHEDULE", "guided,-1"}});
  EXPECT_TRUE(warned("using guided\n"));
  for (const char* text : {"", "0", "-1", "2,0", "2,", ",2", "2147483648", "2 3", "0x2"}) {
    read({{"OMP_NUM_THREADS", text}});
    EXPECT_TRUE(warned("OMP_NUM_THREADS")) << text;
    EXPECT_EQ(initial_icvs().nthreads_var, 6);
  }
  for (const char* text : {"", "close,", "false,true", "spread,true", "primary close", "closely"}) {
    read({{"OMP_PROC_BIND", text}});
    EXPECT_TRUE(warned("OMP_PROC_BIND")) << text;
    EXPECT_EQ(initial_icvs().bind_var, ProcBind::none);
  }
  std::string long_list = "1";
  for (int i = 0; i < 300; ++i) long_list += ",1";
  read_well({{"OMP_NUM_THREADS", long_list}});
  EXPECT_EQ(globals().nthreads_list.size(), 301u);
}

TEST_F(Settings, WhatFollowsABooleanIsWrongButChangesNothing) {
  read({{"OMP_DYNAMIC", "truex"}, {"OMP_CANCELLATION", "true false"}, {"OMP_NESTED", "truex"}});
  EXPECT_TRUE(warned("OMP_DYNAMIC='truex': something follows true or false; using true\n"));
  EXPECT_TRUE(initial_icvs().dyn_var);
  EXPECT_TRUE(globals().cancellation);
  EXPECT_TRUE(warned("OMP_NESTED='truex': something follows true or false; using the default"));
  EXPECT_EQ(initial_icvs().max_active_levels_var, 1);
  read({{"OMP_DISPLAY_ENV", "verbose x"}});
  EXPECT_TRUE(warned("; using verbose\n"));
  EXPECT_TRUE(warned("XYLEM_POLICY"));
}

TEST_F(Settings, LargeLimitsAreNoLimits) {
  for (const char* text : {"2147483648", "9223372036854775807"}) {
    read_well({{"OMP_THREAD_LIMIT", text}, {"OMP_MAX_ACTIVE_LEVELS", text}});
    EXPECT_EQ(initial_icvs().thread_limit_var, unlimited_threads);
    EXPECT_EQ(initial_icvs().max_active_levels_var, supported_active_levels);
  }
}

TEST_F(Settings, DisplayEnvironment) {
  read({{"OMP_DISPLAY_ENV", "true"},
        {"OMP_NUM_THREADS", "2,3"},
        {"OMP_SCHEDULE", "nonmonotonic:dynamic,4"},
        {"OMP_PLACES", "{0:4},{4,6,8},{9}"},
        {"OMP_PROC_BIND", "primary,spread"},
        {"OMP_STACKSIZE", "3m"}});
  EXPECT_EQ(warnings_, R"(
OPENMP DISPLAY ENVIRONMENT BEGIN
  _OPENMP = '201511'
  OMP_DYNAMIC = 'FALSE'
  OMP_NESTED = 'TRUE'
  OMP_NUM_THREADS = '2,3'
  OMP_SCHEDULE = 'DYNAMIC,4'
  OMP_PROC_BIND = 'MASTER,SPREAD'
  OMP_PLACES = '{0:4},{4,6,8},{9}'
  OMP_STACKSIZE = '3145728'
  OMP_WAIT_POLICY = 'PASSIVE'
  OMP_THREAD_LIMIT = '4294967295'
  OMP_MAX_ACTIVE_LEVELS = '255'
  OMP_NUM_TEAMS = '0'
  OMP_TEAMS_THREAD_LIMIT = '0'
  OMP_CANCELLATION = 'FALSE'
  OMP_DEFAULT_DEVICE = '0'
  OMP_MAX_TASK_PRIORITY = '0'
  OMP_DISPLAY_AFFINITY = 'FALSE'
  OMP_AFFINITY_FORMAT = 'level %L thread %i affinity %A'
  OMP_ALLOCATOR = 'omp_default_mem_alloc'
  OMP_TARGET_OFFLOAD = 'DEFAULT'
OPENMP DISPLAY ENVIRONMENT END
)");
  read({{"OMP_DISPLAY_ENV", "verbose"}, {"OMP_SCHEDULE", "nonmonotonic:static"}});
  EXPECT_TRUE(warned("  OMP_SCHEDULE = 'NONMONOTONIC:STATIC'\n"));
  EXPECT_TRUE(warned("  GOMP_SPINCOUNT = '300000'\n"));
  EXPECT_TRUE(warned("  XYLEM_POLICY = 'cache'\n"));
}

TEST_F(Settings, RuntimeSettingsParse) {
  SettingsValues values;
  auto set = [&values](std::string_view name, const char* text) {
    for (const Setting& setting : settings_table())
      if (name == setting.name) apply_setting(setting, text, values);
  };
  testing::internal::CaptureStderr();
  set("XYLEM_MACHINE", "pack:2 core:2");
  set("XYLEM_POLICY", "spread");
  set("XYLEM_CHECK", "1");
  set("XYLEM_WATCHDOG", "30");
  set("XYLEM_DUMP_AFTER", "40");
  set("XYLEM_TIME_SLICE", "5");
  set("XYLEM_STEAL_PATIENCE", "70");
  set("XYLEM_SHORT_REGION", "7");
  set("XYLEM_NONMONOTONIC", "true");
  set("XYLEM_SPIN", "1000");
  EXPECT_STREQ(values.runtime.machine, "pack:2 core:2");
  EXPECT_STREQ(values.runtime.policy, "spread");
  EXPECT_TRUE(values.runtime.check);
  EXPECT_EQ(values.runtime.watchdog_seconds, 30);
  EXPECT_EQ(values.runtime.dump_after_seconds, 40);
  EXPECT_EQ(values.runtime.time_slice_us, 5000) << "milliseconds, as ever";
  set("XYLEM_TIME_SLICE", "200us");
  EXPECT_EQ(values.runtime.time_slice_us, 200);
  set("XYLEM_TIME_SLICE", "3 ms");
  EXPECT_EQ(values.runtime.time_slice_us, 3000);
  EXPECT_EQ(values.runtime.short_region_us, 7);
  EXPECT_TRUE(values.runtime.nonmonotonic);
  EXPECT_EQ(values.runtime.steal_patience_us, 70);
  EXPECT_EQ(values.runtime.spin, 1000);
  const std::pair<const char*, TlsChoice> choices[] = {{"auto", TlsChoice::automatic},
                                                       {"1", TlsChoice::tier1},
                                                       {"2", TlsChoice::tier2},
                                                       {"3", TlsChoice::tier3},
                                                       {"Thread", TlsChoice::thread}};
  for (auto [text, choice] : choices) {
    set("XYLEM_TLS", text);
    EXPECT_EQ(values.runtime.tls, choice);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  for (const char* wrong : {"0", "0us", "us", "5 s", "1.5", "-1"}) set("XYLEM_TIME_SLICE", wrong);
  set("XYLEM_TLS", "4");
  EXPECT_EQ(values.runtime.time_slice_us, 3000);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("XYLEM_TLS='4'"), std::string::npos);
}

TEST_F(Settings, LoopsWithOwners) {
  SettingsValues values;
  auto set = [&values](const char* text) {
    testing::internal::CaptureStderr();
    for (const Setting& setting : settings_table())
      if (std::string_view(setting.name) == "XYLEM_SCHEDULE") apply_setting(setting, text, values);
    return testing::internal::GetCapturedStderr();
  };
  using count::LoopsAllowed;
  EXPECT_EQ(values.runtime.loops, LoopsAllowed::off);
  const struct {
    const char* text;
    LoopsAllowed loops;
    int chunk;
    bool begin;
  } right[] = {{"affinity", LoopsAllowed::automatic, 0, false},
               {"affinity:block", LoopsAllowed::block, 0, false},
               {"Affinity:cyclic,16", LoopsAllowed::cyclic, 16, false},
               {" affinity : auto , 3 ", LoopsAllowed::automatic, 3, false},
               {"affinity,2,begin", LoopsAllowed::automatic, 2, true},
               {"affinity:block,begin", LoopsAllowed::block, 0, true},
               {"affinity:block,end", LoopsAllowed::block, 0, false},
               {"off", LoopsAllowed::off, 0, false}};
  for (const auto& [text, loops, chunk, begin] : right) {
    EXPECT_EQ(set(text), "") << text;
    EXPECT_EQ(values.runtime.loops, loops) << text;
    EXPECT_EQ(values.runtime.loop_chunk, chunk) << text;
    EXPECT_EQ(values.runtime.loops_begin_alike, begin) << text;
  }
  set("affinity:block,7");
  for (const char* wrong :
       {"", "block", "affinity:", "affinity:both", "affinity:block,0", "affinity:block,x",
        "affinity,1,2", "affinity,begin,2", "off,3", "affinity:cyclic 4"}) {
    EXPECT_NE(set(wrong).find("XYLEM_SCHEDULE"), std::string::npos) << wrong;
    EXPECT_EQ(values.runtime.loops, LoopsAllowed::block) << wrong;
    EXPECT_EQ(values.runtime.loop_chunk, 7) << wrong;
  }
}

TEST_F(Settings, TheTableIsWhole) {
  std::map<std::string, int> seen;
  for (const Setting& setting : settings_table()) {
    EXPECT_EQ(++seen[setting.name], 1) << setting.name;
    EXPECT_NE(setting.parse, nullptr);
    EXPECT_GT(std::strlen(setting.help), 10u) << setting.name;
    EXPECT_EQ(setting.print == nullptr, setting.shown == Setting::Shown::never) << setting.name;
    EXPECT_NE(type_name(setting.type)[0], '\0');
  }
}

}  // namespace
}  // namespace xylem::omp
