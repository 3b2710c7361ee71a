// The paper's results in kind (paper 002, sections 3.4.3 to 3.4.6), on virtual time: three
// processors and a device ten times as fast as one at products and five times at the rest, as its
// machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "virtual_run.hpp"

namespace {

namespace hetero = xylem::hetero;
using virtual_run::Graph;
using virtual_run::Machine;
using virtual_run::Run;

enum Kernel { product, solve, square, factor };

// Milliseconds of tiles of 960 by 960 floats: a core computes 8.5 GFlop/s, the device 91 at
// products.
Machine machine_of(int processors, int devices) {
  Machine machine;
  machine.run_ns = {{208, 19.4}, {104, 20.8}, {104, 20.8}, {35, 35}};
  machine.copy_ns = 1.2;
  for (int i = 0; i < processors; ++i) machine.executors.push_back({});
  for (int i = 0; i < devices; ++i) machine.executors.push_back({.kind = 1, .node = 1});
  return machine;
}

Graph cholesky(int n) {
  Graph graph(n * n);
  const auto at = [n](int row, int column) { return row * n + column; };
  for (int k = 0; k < n; ++k) {
    graph.add(factor, 3, {at(k, k)});
    for (int i = k + 1; i < n; ++i) graph.add(solve, 2, {at(k, k), at(i, k)});
    for (int i = k + 1; i < n; ++i) {
      graph.add(square, i == k + 1, {at(i, k), at(i, i)});
      for (int j = k + 1; j < i; ++j) graph.add(product, 0, {at(i, k), at(j, k), at(i, j)});
    }
  }
  return graph;
}

Graph lu(int n) {
  Graph graph(n * n);
  const auto at = [n](int row, int column) { return row * n + column; };
  for (int k = 0; k < n; ++k) {
    graph.add(factor, 3, {at(k, k)});
    for (int i = k + 1; i < n; ++i) {
      graph.add(solve, 2, {at(k, k), at(k, i)});
      graph.add(solve, 2, {at(k, k), at(i, k)});
    }
    for (int i = k + 1; i < n; ++i)
      for (int j = k + 1; j < n; ++j) graph.add(product, 0, {at(i, k), at(k, j), at(i, j)});
  }
  return graph;
}

Graph multiply(int n) {
  Graph graph(3 * n * n);
  const auto at = [n](int matrix, int row, int column) { return (matrix * n + row) * n + column; };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) graph.add(product, 0, {at(0, i, k), at(1, k, j), at(2, i, j)});
  return graph;
}

// The mean of a few runs, which differ in what is drawn.
double run(const Graph& graph, const Machine& machine, const char* policy, double error = 0) {
  constexpr int runs = 5;
  double sum = 0;
  for (int seed = 1; seed <= runs; ++seed) sum += Run(graph, machine, policy, error, seed).go();
  return sum / runs;
}

double efficiency(const Graph& graph, const char* policy) {
  const double together = run(graph, machine_of(3, 1), policy);
  const double apart =
      1 / run(graph, machine_of(3, 0), policy) + 1 / run(graph, machine_of(0, 1), policy);
  return 1 / together / apart;
}

Graph without_priorities(const Graph& graph) {
  Graph flat(static_cast<int>(graph.tiles()));
  for (const auto& task : graph.tasks()) flat.add(task.kernel, 0, task.tiles);
  return flat;
}

const Machine& papers() {
  static const Machine machine = machine_of(3, 1);
  return machine;
}

TEST(PolicyResults, WithModelsNoSpeedIsLost) {
  for (const char* policy : {"earliest", "data"}) {
    SCOPED_TRACE(policy);
    EXPECT_GE(efficiency(multiply(12), policy), 0.99);
    EXPECT_GE(efficiency(cholesky(16), policy), 1.05) << "each executor has what it is good at";
    EXPECT_GE(efficiency(lu(24), policy), 1.01);
  }
  EXPECT_LT(efficiency(lu(8), "eager"), 0.85);
}

TEST(PolicyResults, ModelsAreUpToTwiceAsFastAsGreed) {
  const auto gain = [](const Graph& graph) {
    return run(graph, papers(), "eager") / run(graph, papers(), "data");
  };
  EXPECT_GE(gain(lu(4)), 2.1);
  EXPECT_GE(gain(cholesky(4)), 2);
  EXPECT_GE(gain(cholesky(6)), 1.75);
  for (const int n : {8, 12, 16, 24}) {
    EXPECT_GE(gain(cholesky(n)), 1.07) << n;
    EXPECT_GE(gain(lu(n)), 1.03) << n;
  }
}

TEST(PolicyResults, ModelsThatAreOffByAQuarterAreStillAhead) {
  for (const int n : {4, 6, 8, 12, 16, 24})
    for (const Graph& graph : {cholesky(n), lu(n)}) {
      double best_without = 1e9;
      for (const char* policy : {"eager", "priority", "steal", "random"})
        best_without = std::min(best_without, run(graph, papers(), policy));
      EXPECT_LT(run(graph, papers(), "data", 0.25), best_without) << n;
      if (n > 12) continue;
      EXPECT_LT(run(graph, papers(), "earliest", 0.25), best_without) << n;
    }
}

// Tiles of another side than the table's, in the same proportion.
Machine papers_with_tiles_of(int side) {
  Machine machine = papers();
  const double by = side / 960.0;
  for (auto& times : machine.run_ns)
    for (double& ns : times) ns *= by * by * by;
  machine.copy_ns *= by * by;
  return machine;
}

double run_learning(const Graph& graph, int side, hetero::Models& models) {
  const Machine machine = papers_with_tiles_of(side);
  Run run(graph, machine, "data", 0, 1);
  run.learn(models, static_cast<uint64_t>(side) * static_cast<uint64_t>(side) * sizeof(float));
  return run.go();
}

TEST(PolicyResults, ModelsLearnInOneRun) {
  for (const Graph& graph : {cholesky(8), lu(8)}) {
    const double told = run(graph, papers(), "data");
    hetero::Models models;
    EXPECT_GT(run_learning(graph, 960, models), 1.3 * told) << "nothing is known";
    EXPECT_NEAR(run_learning(graph, 960, models) / told, 1, 1e-3);
  }
}

TEST(PolicyResults, ASizeThatNeverRanIsDealtByItsLaw) {
  for (const Graph& graph : {cholesky(8), lu(8)}) {
    hetero::Models models, fresh;
    for (const int side : {240, 480, 960}) run_learning(graph, side, models);
    const double told = run(graph, papers_with_tiles_of(1440), "data");
    EXPECT_NEAR(run_learning(graph, 1440, models) / told, 1, 1e-3);
    EXPECT_GT(run_learning(graph, 1440, fresh), 1.3 * told) << "without other sizes";
  }
}

// What `data` gains at one size changes by a hundredth with whatever is known a moment sooner.
TEST(PolicyResults, PrioritiesHelpCholesky) {
  constexpr int sizes[] = {6, 8, 10, 11, 12, 13, 14, 16, 20, 24};
  double product = 1;
  for (const int n : sizes) {
    const Graph graph = cholesky(n);
    const Graph flat = without_priorities(graph);
    const double with_data = run(graph, papers(), "data") / run(flat, papers(), "data");
    EXPECT_LT(with_data, 0.995) << n;
    product *= with_data;
    const Machine devices = machine_of(0, 3);
    EXPECT_LT(run(graph, devices, "priority"), 0.985 * run(graph, devices, "eager")) << n;
  }
  EXPECT_LT(std::pow(product, 1.0 / std::size(sizes)), 0.985);
}

TEST(PolicyResults, TheOrderOfPolicies) {
  const char* best_first[] = {"data", "earliest", "eager", "steal", "random"};
  for (const Graph& graph : {cholesky(16), lu(16)}) {
    double before = 0;
    for (const char* policy : best_first) {
      const double took = run(graph, papers(), policy);
      EXPECT_GT(took, before) << policy;
      before = took;
    }
  }
}

}  // namespace
