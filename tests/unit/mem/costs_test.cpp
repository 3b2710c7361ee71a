// What access and moves cost: estimates, the line through measured moves, the file, measuring here.
#include "mem/cost/costs.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "mem/cost/costs_estimate.hpp"
#include "mem/cost/costs_file.hpp"
#include "mem/cost/costs_measure.hpp"
#include "os/kept_file.hpp"
#include "os/tls.hpp"

namespace xylem::mem {
namespace {

using MachineOwner = std::unique_ptr<topo::Machine>;

MachineOwner load(const char* description) {
  auto loaded = topo::load_machine(description, false);
  EXPECT_TRUE(loaded.ok()) << description;
  return MachineOwner(loaded.ok() ? loaded.value() : nullptr);
}

MachineOwner four_nodes_with_distances() {
  return load(XYLEM_SOURCE_DIR "/tests/unit/topo/data/four-nodes.xml");
}

class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "xylem-costs-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const char* name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  int files() const {
    int count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path_))
      count += entry.is_regular_file() ? 1 : 0;
    return count;
  }

 private:
  std::string path_;
};

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

Costs scaled(Costs costs, double scale) {
  for (auto* matrix : {&costs.read_latency_ns, &costs.write_latency_ns, &costs.read_ns_per_byte,
                       &costs.write_ns_per_byte})
    for (double& value : *matrix) value *= scale;
  return costs;
}

Costs measured_example(int nodes, double scale) {
  Costs costs = estimated_costs(*load(nodes == 4 ? "pack:4 [numa] pu:1" : "pack:2 [numa] pu:1"));
  costs = scaled(costs, scale);
  costs.measured = costs.moves_measured = true;
  costs.measured_pairs = nodes;
  costs.measured_at = 1'700'000'000;
  costs.streams.resize(static_cast<std::size_t>(nodes));
  for (plan::NodeStreams& node : costs.streams) {
    node.threads = 4;
    node.of(plan::Access::write, plan::Memory::elsewhere, plan::Others::busy) = {0.5, 1, 1.5};
  }
  return costs;
}

// --- estimates ----------------------------------------------------------------------------------

TEST(CostsEstimate, FollowsTheFirmwaresDistances) {
  const MachineOwner machine = four_nodes_with_distances();
  const Costs costs = estimated_costs(*machine);
  ASSERT_EQ(costs.nodes, 4);
  EXPECT_FALSE(costs.measured);
  for (int from = 0; from < 4; ++from) {
    for (int to = 0; to < 4; ++to) {
      const double times = static_cast<double>(machine->distance(from, to)) / 10;
      EXPECT_NEAR(costs.read_ns_per_byte[costs.at(from, to)],
                  times * costs.read_ns_per_byte[costs.at(from, from)], 1e-9);
    }
  }
  EXPECT_LT(costs.read_ns(0, 0, 1e6), costs.read_ns(0, 1, 1e6));
  EXPECT_LT(costs.read_ns(0, 1, 1e6), costs.read_ns(0, 3, 1e6));
}

TEST(CostsEstimate, KnowsPaper000sMoves) {
  const Costs costs = estimated_costs(*load("pack:2 [numa] pu:1"));
  EXPECT_DOUBLE_EQ(costs.move_ns(1), 131'000);  // 120 + 11 microseconds
  EXPECT_DOUBLE_EQ(costs.move_ns(1000), 11'120'000);
  EXPECT_DOUBLE_EQ(costs.move_ns(0), 0);
}

TEST(CostsEstimate, TellsNearFromFarWithoutDistances) {
  const Costs costs = estimated_costs(*load("pack:3 [numa] pu:1"));
  EXPECT_DOUBLE_EQ(costs.read_latency_ns[costs.at(1, 1)], 80);
  EXPECT_DOUBLE_EQ(costs.read_latency_ns[costs.at(1, 2)], 160);
}

TEST(CostsEstimate, GapsTakeTheScaleOfWhatWasMeasured) {
  std::vector<double> measured = {50, 0, 0, 60};
  const std::vector<double> estimate = {100, 200, 300, 120};
  fill_gaps(measured, estimate);
  EXPECT_EQ(measured, (std::vector<double>{50, 100, 150, 60}));
  std::vector<double> nothing(4, 0);
  fill_gaps(nothing, estimate);
  EXPECT_EQ(nothing, estimate);
}

// --- the line through moves ---------------------------------------------------------------------

TEST(CostsFit, FindsTheLineThatMadeTheSamples) {
  const MoveSample samples[] = {{1, 131e3}, {16, 296e3}, {256, 2936e3}, {1024, 11384e3}};
  const Line line = fit_moves(samples);
  EXPECT_NEAR(line.start, 120e3, 1);
  EXPECT_NEAR(line.slope, 11e3, 0.1);
}

TEST(CostsFit, StandsNoise) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> more(1, 1.1);
  std::vector<MoveSample> samples;
  for (int round = 0; round < 20; ++round)
    for (const double pages : {1.0, 4.0, 16.0, 64.0, 256.0, 1024.0})
      samples.push_back({pages, (5000 + 700 * pages) * more(random)});
  const Line line = fit_moves(samples);
  EXPECT_NEAR(line.start, 5250, 260);
  EXPECT_NEAR(line.slope, 735, 36);
}

TEST(CostsFit, NeverGivesTimeBack) {
  const MoveSample bent[] = {{1, 10}, {100, 2000}, {200, 4400}};
  EXPECT_GE(fit_moves(bent).start, 0);
  EXPECT_GT(fit_moves(bent).slope, 0);
  const MoveSample falling[] = {{1, 900}, {100, 300}, {200, 100}};
  EXPECT_GE(fit_moves(falling).start, 0);
  EXPECT_GT(fit_moves(falling).slope, 0);
  const MoveSample one[] = {{10, 500}};
  EXPECT_DOUBLE_EQ(fit_moves(one).slope, 50);
  EXPECT_EQ(fit_moves({}).slope, 0);
}

// --- the file -----------------------------------------------------------------------------------

TEST(CostsFile, GivesBackWhatWasWritten) {
  const Folder folder;
  const std::string path = folder / "a/b/costs";  // both folders are made
  const Costs costs = measured_example(4, 1.25);
  ASSERT_EQ(write_costs(path.c_str(), 77, costs), 0);
  EXPECT_EQ(folder.files(), 1);  // nothing beside it
  Costs read;
  ASSERT_TRUE(read_costs(path.c_str(), 77, read));
  EXPECT_EQ(read.nodes, 4);
  EXPECT_TRUE(read.measured);
  EXPECT_TRUE(read.moves_measured);
  EXPECT_EQ(read.measured_at, 1'700'000'000);
  EXPECT_EQ(read.measured_pairs, 4);
  EXPECT_DOUBLE_EQ(read.move_start_ns, costs.move_start_ns);
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_NEAR(read.read_latency_ns[i], costs.read_latency_ns[i], 1e-5);
    EXPECT_NEAR(read.write_ns_per_byte[i], costs.write_ns_per_byte[i], 1e-5);
  }
  ASSERT_EQ(read.streams.size(), 4u);
  EXPECT_EQ(read.streams[3].threads, 4);
  EXPECT_EQ(read.streams[3].ns_per_byte, costs.streams[3].ns_per_byte);
}

TEST(CostsFile, MayHaveNoStreams) {
  const Folder folder;
  const std::string path = folder / "costs";
  Costs costs = measured_example(2, 1);
  costs.streams.clear();
  ASSERT_EQ(write_costs(path.c_str(), 77, costs), 0);
  Costs read;
  ASSERT_TRUE(read_costs(path.c_str(), 77, read));
  EXPECT_TRUE(read.streams.empty());
}

// Times that no whole number of femtoseconds is, as a clock and a division give them: rounded, what
// is read again is the same to the last bit, and is shown the same.
TEST(CostsFile, GivesBackToTheLastBitWhatWasRounded) {
  const Folder folder;
  const std::string path = folder / "costs";
  std::mt19937 random(11);
  std::uniform_real_distribution<double> time(0.0001, 900);
  for (int round = 0; round < 50; ++round) {
    Costs costs = measured_example(4, 1);
    costs.move_start_ns = time(random) * 1000;
    costs.move_page_ns = time(random);
    for (auto* times : {&costs.read_latency_ns, &costs.write_latency_ns, &costs.read_ns_per_byte,
                        &costs.write_ns_per_byte})
      for (double& ns : *times) ns = time(random) / 3;
    const Costs exact = costs;
    round_as_kept(costs);
    ASSERT_EQ(write_costs(path.c_str(), 77, costs), 0);
    Costs read;
    ASSERT_TRUE(read_costs(path.c_str(), 77, read));
    EXPECT_EQ(read.move_start_ns, costs.move_start_ns);
    EXPECT_EQ(read.move_page_ns, costs.move_page_ns);
    EXPECT_EQ(read.read_latency_ns, costs.read_latency_ns);
    EXPECT_EQ(read.write_latency_ns, costs.write_latency_ns);
    EXPECT_EQ(read.read_ns_per_byte, costs.read_ns_per_byte);
    EXPECT_EQ(read.write_ns_per_byte, costs.write_ns_per_byte);
    EXPECT_NEAR(costs.read_latency_ns[5], exact.read_latency_ns[5], 1e-6);
  }
}

TEST(CostsFile, IsOfOneMachine) {
  const Folder folder;
  const std::string path = folder / "costs";
  ASSERT_EQ(write_costs(path.c_str(), 77, measured_example(2, 1)), 0);
  Costs read;
  EXPECT_FALSE(read_costs(path.c_str(), 78, read));
  EXPECT_EQ(read.nodes, 0);
}

// Every prefix, and every byte changed: it is the whole file or no file, and never a crash.
TEST(CostsFile, DamagedIsNoFile) {
  const Folder folder;
  const std::string path = folder / "costs";
  ASSERT_EQ(write_costs(path.c_str(), 77, measured_example(2, 1)), 0);
  const std::string whole = text_of(path);
  Costs read;
  ASSERT_TRUE(parse_costs(whole, 77, read));
  for (std::size_t size = 0; size + 1 < whole.size(); ++size)
    EXPECT_FALSE(parse_costs(whole.substr(0, size), 77, read)) << size;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const char letter : {'x', '-', '\0', '9', '\n'}) {
      std::string changed = whole;
      changed[i] = letter;
      Costs other;
      if (!parse_costs(changed, 77, other)) continue;
      ASSERT_GE(other.nodes, 1);
      EXPECT_EQ(other.read_latency_ns.size(),
                static_cast<std::size_t>(other.nodes) * static_cast<std::size_t>(other.nodes));
      for (const double value : other.write_ns_per_byte) EXPECT_GT(value, 0);
      EXPECT_GT(other.move_page_ns, 0);
    }
  }
  EXPECT_FALSE(parse_costs(whole + "more", 77, read));
  EXPECT_FALSE(parse_costs("xylem costs 1" + whole.substr(whole.find('\n')), 77, read));
  std::string huge = whole;
  huge.replace(huge.find("nodes 2"), 7, "nodes 1024");
  EXPECT_FALSE(parse_costs(huge, 77, read));
}

TEST(CostsFile, IsReplacedAsAWholeWhoeverWrites) {
  const Folder folder;
  const std::string path = folder / "costs";
  ASSERT_EQ(write_costs(path.c_str(), 5, measured_example(4, 1)), 0);
  const Costs of_two = measured_example(2, 1), of_four = measured_example(4, 1);
  std::atomic<int> broken{0}, writers{4};
  std::vector<std::thread> threads;
  for (int writer = 0; writer < 4; ++writer)
    threads.emplace_back([&, writer] {
      for (int i = 0; i < 200; ++i)
        if (write_costs(path.c_str(), 5, scaled(writer % 2 ? of_four : of_two, 1 + i)) != 0)
          ++broken;
      --writers;
    });
  while (writers > 0) {
    Costs read;
    if (!read_costs(path.c_str(), 5, read)) ++broken;
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(broken, 0);
  EXPECT_EQ(folder.files(), 1);
}

TEST(CostsFile, CannotBeWrittenEverywhere) {
  const Folder folder;
  EXPECT_LT(write_costs((folder / "costs/").c_str(), 5, measured_example(2, 1)), 0);
  ASSERT_EQ(mkdir((folder / "taken").c_str(), 0700), 0);
  EXPECT_LT(write_costs((folder / "taken").c_str(), 5, measured_example(2, 1)), 0);
  EXPECT_LT(write_costs("/proc/xylem/costs", 5, measured_example(2, 1)), 0);
  EXPECT_EQ(folder.files(), 0);
  Costs read;
  EXPECT_FALSE(read_costs((folder / "taken").c_str(), 5, read));
  EXPECT_FALSE(read_costs((folder / "none").c_str(), 5, read));
}

TEST(CostsFile, LiesWhereTheUserSays) {
  EXPECT_STREQ(costs_path("/a/file", "/cache", 1).c_str(), "/a/file");
  EXPECT_STREQ(costs_path("", "/cache", 0xab).c_str(), "/cache/xylem/costs-00000000000000ab");
  EXPECT_EQ(costs_path("", "", 1).size(), 0u);
}

TEST(CostsFile, KeysTellMachinesApart) {
  const MachineOwner machine = load("pack:2 [numa(memory=1GB)] pu:2");
  const uint64_t key = costs_key(*machine, "processor", "6.1");
  EXPECT_EQ(key, costs_key(*load("pack:2 [numa(memory=1GB)] pu:2"), "processor", "6.1"));
  EXPECT_NE(key, costs_key(*machine, "other", "6.1"));
  EXPECT_NE(key, costs_key(*machine, "processor", "6.2"));
  EXPECT_NE(key, costs_key(*machine, "processor6", ".1"));
  EXPECT_NE(key, costs_key(*load("pack:2 [numa(memory=2GB)] pu:2"), "processor", "6.1"));
  EXPECT_NE(key, costs_key(*load("pack:2 [numa(memory=1GB)] pu:3"), "processor", "6.1"));
  EXPECT_NE(key, costs_key(*load("pack:2 l3:1 [numa(memory=1GB)] pu:2"), "processor", "6.1"));
  EXPECT_NE(costs_key(*four_nodes_with_distances(), "", ""),
            costs_key(*load("pack:4 [numa] pu:2"), "", ""));
}

// --- measuring ----------------------------------------------------------------------------------

TEST(CostsMeasure, GivesTimesThatCanBe) {
  const auto loaded = topo::load_machine("", true);
  ASSERT_TRUE(loaded.ok());
  const MachineOwner machine(loaded.value());
  Costs costs;
  ASSERT_EQ(measure_costs(*machine, {}, costs), nullptr);
  EXPECT_TRUE(costs.measured);
  EXPECT_GE(costs.measured_pairs, 1);
  EXPECT_GT(costs.measured_at, 1'700'000'000);
  for (std::size_t i = 0; i < costs.read_latency_ns.size(); ++i) {
    EXPECT_GT(costs.read_latency_ns[i], 1);  // no memory answers in a nanosecond
    EXPECT_GT(costs.write_latency_ns[i], 1);
    EXPECT_LT(costs.read_latency_ns[i], 1e6);
    EXPECT_LT(costs.read_ns_per_byte[i], costs.read_latency_ns[i]);
    EXPECT_GT(costs.read_ns_per_byte[i], 1e-3);
    EXPECT_GT(costs.write_ns_per_byte[i], 1e-3);
  }
  EXPECT_EQ(costs.moves_measured, machine->node_count() > 1);
  using plan::Access, plan::Memory, plan::Others;
  ASSERT_EQ(costs.streams.size(), static_cast<std::size_t>(machine->node_count()));
  for (const plan::NodeStreams& node : costs.streams) {
    EXPECT_GE(node.threads, 1);
    for (const Access access : {Access::read, Access::write}) {
      for (const double ns : node.of(access, Memory::local, Others::idle)) EXPECT_GT(ns, 1e-3);
      for (const double ns : node.of(access, Memory::elsewhere, Others::busy))
        EXPECT_EQ(ns > 0, machine->node_count() > 1);
    }
  }
  const Costs measured = costs;
  round_as_kept(costs);  // nothing to do: it is what a later run reads
  EXPECT_EQ(costs.read_ns_per_byte, measured.read_ns_per_byte);
  EXPECT_EQ(costs.move_page_ns, measured.move_page_ns);
}

TEST(CostsMeasure, StopsWhenItsTimeIsOver) {
  const auto loaded = topo::load_machine("", true);
  ASSERT_TRUE(loaded.ok());
  const MachineOwner machine(loaded.value());
  Costs costs;
  MeasureOptions options;
  options.budget_ns = 0;
  EXPECT_NE(measure_costs(*machine, options, costs), nullptr);
  EXPECT_EQ(costs.nodes, 0);  // as it was
}

TEST(CostsMeasure, LeavesTheCallerWhereItIs) {
  cpu_set_t before, after;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  const auto loaded = topo::load_machine("", true);
  ASSERT_TRUE(loaded.ok());
  const MachineOwner machine(loaded.value());
  Costs costs;
  ASSERT_EQ(measure_costs(*machine, {}, costs), nullptr);
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(CostsMeasure, NotOnADrawing) {
  Costs costs;
  EXPECT_STREQ(measure_costs(*load("pack:2 [numa] pu:1"), {}, costs), "this machine is synthetic");
}

// --- the costs in force -------------------------------------------------------------------------

int threads_here() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

// A thread that measured may still be on its way out, inside libasan, whose locks are not taken
// around fork(): a child would wait for them. libtsan's own thread stays.
void wait_until_alone() {
  for (int look = 0; look < 1000 && threads_here() > 1; ++look)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// The process keeps them for ever: each case is a child.
template <typename Body>
void in_child(Body body) {
  wait_until_alone();
  EXPECT_EXIT(
      {
        body();
        std::exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

TEST(CostsInForce, OfADrawingAreEstimated) {
  in_child([] {
    const MachineOwner machine = four_nodes_with_distances();
    start_costs(*machine, "", "");
    EXPECT_FALSE(costs().measured);
    EXPECT_EQ(&costs(), &known_costs());
    EXPECT_GT(costs().read_ns(0, 3, 4096), costs().read_ns(0, 0, 4096));
  });
}

TEST(CostsInForce, AreMeasuredOnceAndKept) {
  const Folder folder;
  in_child([&] {
    const MachineOwner machine(topo::load_machine("", true).value());
    start_costs(*machine, "", folder.path().c_str());
    EXPECT_FALSE(known_costs().measured);
    std::vector<const Costs*> seen(4);
    std::vector<std::thread> threads;
    for (const Costs*& one : seen) threads.emplace_back([&one] { one = &costs(); });
    for (std::thread& thread : threads) thread.join();
    for (const Costs* one : seen) EXPECT_EQ(one, seen[0]);
    EXPECT_TRUE(seen[0]->measured);
    EXPECT_EQ(&known_costs(), seen[0]);
  });
  EXPECT_EQ(folder.files(), 1);
  in_child([&] {  // the next process reads them
    const MachineOwner machine(topo::load_machine("", true).value());
    start_costs(*machine, "", folder.path().c_str());
    EXPECT_TRUE(known_costs().measured);
  });
}

TEST(CostsInForce, ComeFromTheFile) {
  const Folder folder;
  const MachineOwner machine(topo::load_machine("", true).value());
  const std::string path = folder / "mine";
  Costs told = estimated_costs(*machine);
  told.read_latency_ns[0] = 12345;
  told.measured = true;
  told.measured_at = told.measured_pairs = 1;
  ASSERT_EQ(write_costs(path.c_str(), costs_key(*machine), told), 0);
  in_child([&] {
    start_costs(*machine, path.c_str(), "");
    EXPECT_DOUBLE_EQ(costs().read_latency_ns[0], 12345);
  });
  std::ofstream(path) << "something else";
  in_child([&] {
    start_costs(*machine, path.c_str(), "");
    EXPECT_NE(costs().read_latency_ns[0], 12345);
    EXPECT_TRUE(costs().measured);
  });
  Costs again;
  EXPECT_TRUE(read_costs(path.c_str(), costs_key(*machine), again));  // what was measured instead
}

TEST(CostsInForce, NeedNoFile) {
  in_child([] {
    const MachineOwner machine(topo::load_machine("", true).value());
    start_costs(*machine, "/proc/no/such/costs", "");
    EXPECT_TRUE(costs().measured);
  });
}

TEST(CostsInForce, AChildOfForkMeasuresAnew) {
  if (os::sanitizer_loaded()) GTEST_SKIP() << "libasan's own locks are not taken around fork()";
  in_child([] {
    const MachineOwner machine(topo::load_machine("", true).value());
    start_costs(*machine, "", "");
    std::thread other([] { costs(); });
    for (int i = 0; i < 50; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        forget_measuring_in_child();
        alarm(60);
        _exit(costs().measured ? 0 : 1);
      }
      int status = -1;
      waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
      if (known_costs().measured) break;
    }
    other.join();
  });
}

}  // namespace
}  // namespace xylem::mem
