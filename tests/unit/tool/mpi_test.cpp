// Placing ranks: matrices as users write them, the costs of placements, paper 004's example.
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <random>
#include <sstream>

#include "tool/mpi/communication.hpp"
#include "tool/mpi/launchers.hpp"
#include "tool/mpi/mpi_run.hpp"
#include "tool/mpi/picture.hpp"
#include "tool/mpi/scotch.hpp"

namespace {

using namespace xylem;
using namespace xylem::tool::mpi;

std::unique_ptr<topo::Machine> machine(const char* drawing) {
  const auto loaded = topo::load_machine(drawing, false);
  EXPECT_TRUE(loaded.ok()) << drawing;
  return std::unique_ptr<topo::Machine>(loaded.value());
}

Communication empty(int ranks) {
  return {ranks,
          std::vector<double>(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks)),
          {}};
}

void connect(Communication& all, int a, int b, double bytes) {
  all.bytes[static_cast<std::size_t>(a * all.ranks + b)] = bytes;
  all.bytes[static_cast<std::size_t>(b * all.ranks + a)] = bytes;
}

std::string refusal(const std::string& text) {
  try {
    parse_communication(text, "m");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

bool is_mapping(const Mapping& mapping, const Cluster& cluster) {
  std::vector<int> times(static_cast<std::size_t>(cluster.size()));
  for (const int place : mapping) {
    if (place < 0 || place >= cluster.size()) return false;
    if (++times[static_cast<std::size_t>(place)] > 1) return false;
  }
  return true;
}

// LU of the NAS benchmarks, 8 ranks: 4 x 2, the longer side's neighbours exchange faces of 51 x
// 102 points, the others' of 25.5 x 102 (class B).
Communication lu_8() {
  Communication all = empty(8);
  for (const int column : {0, 4})
    for (int row = 0; row < 3; ++row) connect(all, column + row, column + row + 1, 5202);
  for (int row = 0; row < 4; ++row) connect(all, row, row + 4, 2601);
  return all;
}

Communication random_graph(int ranks, unsigned seed) {
  std::mt19937 random(seed);
  Communication all = empty(ranks);
  for (int i = 0; i < 3 * ranks; ++i) {
    const int a = static_cast<int>(random() % static_cast<unsigned>(ranks));
    const int b = static_cast<int>(random() % static_cast<unsigned>(ranks));
    if (a != b) connect(all, a, b, 1 + random() % 1000);
  }
  return all;
}

TEST(Communication, AMatrixIsReadAsItStands) {
  const Communication all = parse_communication("# two ranks\n1 2.5\n3e2, 0 # back\n\n", "m");
  EXPECT_EQ(all.ranks, 2);
  EXPECT_EQ(all.sent(0, 1), 2.5);
  EXPECT_EQ(all.sent(1, 0), 300);
  EXPECT_EQ(all.sent(0, 0), 0) << "nobody sends to itself";
  EXPECT_EQ(all.between(1, 0), 302.5);
}

TEST(Communication, WhatIsWrongIsNamed) {
  EXPECT_EQ(refusal("0 nan\n0 0\n"),
            "m: from rank 0 to rank 1 stands nan, which is no number of bytes");
  EXPECT_EQ(refusal("0 1\n-2 0\n"),
            "m: from rank 1 to rank 0 stands -2, which is no number of bytes");
  EXPECT_EQ(refusal("0 inf\n0 0\n"),
            "m: from rank 0 to rank 1 stands inf, which is no number of bytes");
  EXPECT_EQ(
      refusal("0 1 2\n0 0 1\n"),
      "m: there are 2 rows, but the row of rank 0 has 3 numbers; a rank is missing or too many");
  EXPECT_EQ(refusal("0 one\n0 0\n"), "m, line 1: 'one' is no number");
  EXPECT_EQ(refusal("# nothing\n"), "m has no ranks");
}

TEST(Communication, ARecordingIsReadAndChecked) {
  const std::string head = R"({"format": "xylem-mpi", "version": 1, "ranks": 3, "pairs": )";
  const Communication all = parse_communication(head + "[[0, 2, 10, 1], [2, 0, 5, 2]]}", "r");
  EXPECT_EQ(all.between(0, 2), 15);
  EXPECT_EQ(refusal(head + "[[0, 3, 1, 1]]}"),
            "m: a pair names rank 3, but there are ranks 0 to 2");
  EXPECT_EQ(refusal(head + "[[0, 1, -1, 1]]}"),
            "m: from rank 0 to rank 1 stands -1, which is no number of bytes");
  EXPECT_EQ(refusal(head + "[[0, 1]]}"), "m: a pair is [from, to, bytes, messages], not [0,1]");
  EXPECT_EQ(refusal(head + "[[0, "), "m is not whole: it is no JSON");
  EXPECT_EQ(refusal(R"({"format": "other"})"),
            "m is no recording of `xylem mpi record`, version 1");
}

TEST(Cluster, DistanceIsTheNumberOfLevelsToClimb) {
  const auto one = machine("pack:2 [numa] l3:2 core:2 pu:2");
  const Cluster cluster(*one, 2, 1);
  EXPECT_EQ(cluster.size(), 16);
  EXPECT_EQ(cluster.distance(0, 0), 0);
  EXPECT_EQ(cluster.distance(0, 1), 1) << "one L3";
  EXPECT_EQ(cluster.distance(0, 2), 2) << "one package";
  EXPECT_EQ(cluster.distance(0, 4), 3) << "one machine";
  EXPECT_EQ(cluster.distance(0, 8), 4) << "the network";
  EXPECT_EQ(cluster.arities(), (std::vector<int>{2, 2, 2, 2}));
  EXPECT_EQ(cluster.place(9).pus, (std::vector<int>{2, 3}));
  EXPECT_EQ(Cluster(*one, 1, 0).size(), 16) << "a place a PU";
}

TEST(Cluster, LevelsWithOneChildDoNotCount) {
  const auto one = machine("pack:1 [numa] l3:1 core:4 pu:1");
  EXPECT_EQ(Cluster(*one, 3, 1).arities(), (std::vector<int>{3, 4}));
  EXPECT_EQ(Cluster(*one, 1, 1).distance(0, 3), 1);
}

TEST(Cluster, APlaceMayBeSeveralCores) {
  const auto one = machine("pack:2 [numa] core:6 pu:2");
  const Cluster pairs(*one, 1, 2);
  EXPECT_EQ(pairs.size(), 6);
  EXPECT_EQ(pairs.place(1).cores, (std::vector<int>{2, 3}));
  EXPECT_EQ(pairs.place(1).pus, (std::vector<int>{4, 5, 6, 7}));
  EXPECT_EQ(pairs.distance(0, 2), 1) << "one package";
  EXPECT_EQ(pairs.distance(0, 3), 2);
  EXPECT_EQ(pairs.arities(), (std::vector<int>{2, 3}));
  const Cluster fours(*one, 1, 4);  // the second is of both packages
  EXPECT_EQ(fours.size(), 3);
  EXPECT_EQ(fours.distance(0, 1), 2);
  EXPECT_EQ(Cluster(*one, 1, 5).size(), 2) << "what is left is no place";
  EXPECT_EQ(Cluster(*one, 1, 13).size(), 0);
}

TEST(Mapping, MeasuresAddUpWhatCrossesEachLink) {
  const auto one = machine("pack:2 [numa] core:2 pu:1");
  const Cluster cluster(*one, 1, 1);
  Communication all = empty(4);
  connect(all, 0, 1, 5);   // 10 both ways
  connect(all, 0, 2, 50);  // 100
  const Measures apart = measure(all, cluster, {0, 1, 2, 3});
  EXPECT_EQ(apart.hop_bytes, 10 * 1 + 100 * 2);
  EXPECT_EQ(apart.largest_link, 110) << "rank 0's own";
  const Measures together = measure(all, cluster, {0, 2, 1, 3});
  EXPECT_EQ(together.hop_bytes, 10 * 2 + 100 * 1);
}

TEST(Mapping, RoundRobinAndPackedAreTheLaunchers) {
  const auto one = machine("core:4 pu:1");
  const Cluster cluster(*one, 2, 1);
  EXPECT_EQ(packed(5), (Mapping{0, 1, 2, 3, 4}));
  EXPECT_EQ(round_robin(5, cluster), (Mapping{0, 4, 1, 5, 2}));
}

TEST(Mapping, RepairGivesEachRankAPlaceOfItsOwn) {
  const auto one = machine("pack:2 [numa] core:2 pu:1");
  const Cluster cluster(*one, 1, 1);
  Communication all = empty(4);
  connect(all, 1, 3, 7);
  const Mapping mapping = repair(all, cluster, {0, 0, 9, 3});
  EXPECT_TRUE(is_mapping(mapping, cluster));
  EXPECT_EQ(mapping[0], 0);
  EXPECT_EQ(mapping[1], 2) << "beside rank 3";
}

TEST(Mapping, ImprovingNeverCostsMore) {
  const auto one = machine("pack:2 [numa] l3:2 core:4 pu:1");
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Cluster cluster(*one, 2, 1);
    const Communication all = random_graph(24 + static_cast<int>(seed) % 9, seed);
    for (Mapping mapping : {packed(all.ranks), greedy(all, cluster)}) {
      ASSERT_TRUE(is_mapping(mapping, cluster));
      const double before = measure(all, cluster, mapping).hop_bytes;
      improve(all, cluster, mapping, 8);
      EXPECT_TRUE(is_mapping(mapping, cluster));
      EXPECT_LE(measure(all, cluster, mapping).hop_bytes, before) << seed;
    }
  }
}

// Paper 004, table II: LU.B.8 on the machine of its figure 2. Cores are numbered as its figure 4
// has them: package p has cores p and p + 4.
TEST(Mapping, ThePapersExampleCostsNoMoreThanItsOwnMapping) {
  const auto one = machine("pack:4 [numa] core:2 pu:1");
  const Cluster cluster(*one, 1, 1);
  const std::vector<int> papers = {3, 7, 4, 0, 6, 2, 5, 1};
  Mapping of_paper;
  for (const int core : papers) of_paper.push_back(core % 4 * 2 + core / 4);
  const Communication all = lu_8();
  Mapping ours = greedy(all, cluster);
  const auto scotch = by_scotch(all, cluster);
  if (const auto* mapping = std::get_if<Mapping>(&scotch)) ours = *mapping;
  improve(all, cluster, ours, 8);
  EXPECT_TRUE(is_mapping(ours, cluster));
  EXPECT_LE(measure(all, cluster, ours).hop_bytes, measure(all, cluster, of_paper).hop_bytes);
}

// What is written says again where each rank is.
TEST(Launchers, ARankFileIsThePlacement) {
  const auto one = machine("pack:2 [numa] core:2 pu:2");
  const Cluster cluster(*one, 2, 1);
  const Mapping mapping = {7, 2, 0, 5};
  for (const char* name : {"openmpi4", "openmpi5"}) {
    std::istringstream lines(find_launcher(name)->write(cluster, mapping, {"a", "b"}).file);
    std::string word, where, slot;
    for (const int place : mapping) {
      lines >> word >> where >> slot;
      const Place& there = cluster.place(place);
      EXPECT_EQ(where.back(), "ab"[there.machine]);
      const std::string first = slot.substr(5, slot.find(',') - 5);
      EXPECT_EQ(std::stoi(first), std::string(name) == "openmpi4" ? there.pus[0] : there.cores[0]);
    }
  }
}

TEST(Launchers, OneListServesHostsThatAreAlikeAndAScriptOthers) {
  const auto one = machine("core:2 pu:1");
  const Cluster cluster(*one, 2, 1);
  const Launcher* hydra = find_launcher("hydra");
  const Launch alike = hydra->write(cluster, {1, 0, 3, 2}, {"a", "b"});
  EXPECT_EQ(alike.file, "a:1\na:1\nb:1\nb:1\n");
  EXPECT_EQ(alike.command, "mpiexec -f FILE -n 4 -bind-to user:1,0 ./app");
  const Launch different = hydra->write(cluster, {1, 0, 2, 3}, {"a", "b"});
  EXPECT_NE(different.command.find("a) set -- 1 0 --"), std::string::npos) << different.command;
  EXPECT_NE(different.command.find("b) set -- 0 1 --"), std::string::npos) << different.command;
  EXPECT_EQ(find_launcher("slurm")->write(cluster, {1, 0}, {"a", "b"}).command,
            "SLURM_HOSTFILE=FILE srun -n 2 --distribution=arbitrary --cpu-bind=map_cpu:1,0 ./app");
  EXPECT_EQ(find_launcher("cray")->write(cluster, {1, 0, 3, 2}, {"a", "b"}).file, "1,0\n3,2\n");
}

TEST(Run, TheLaunchersWordsHaveTheFileAndTheProgram) {
  EXPECT_EQ(
      launcher_words({"mpirun", "--x"}, "mpirun --map-by rankfile:file=FILE ./app", "/f",
                     {"a", "b c"}),
      (std::vector<std::string>{"mpirun", "--x", "--map-by", "rankfile:file=/f", "a", "b c"}));
  EXPECT_EQ(launcher_kind("/nowhere/mpirun.openmpi"), "openmpi4");
  EXPECT_EQ(launcher_kind("/nowhere/mpiexec.hydra"), "hydra");
  EXPECT_EQ(launcher_kind("/nowhere/mpirun"), "");
}

TEST(Picture, MatricesAreDrawnWithTheBordersOfMachines) {
  const auto one = machine("core:2 pu:1");
  const Cluster cluster(*one, 2, 1);
  Communication all = empty(4);
  connect(all, 0, 3, 1e6);
  const Mapping mapping = {0, 2, 3, 1};
  const std::string svg =
      draw_matrices(all, cluster, {{"Placed", &mapping, measure(all, cluster, mapping)}});
  EXPECT_NE(svg.find("2 MB hop-bytes, largest link 2 MB"), std::string::npos) << svg;
  EXPECT_NE(svg.find("<path"), std::string::npos) << "the border between two machines";
}

}  // namespace
