// Models of what codelets take.
#include "hetero/model/models.hpp"

#include <gtest/gtest.h>

namespace {

namespace hetero = xylem::hetero;
using hetero::Model;
using hetero::Subject;
using hetero::Unit;

// --- one size ------------------------------------------------------------------------------------

TEST(Models, TheFirstRunIsDroppedAndTheMedianCounts) {
  hetero::History history;
  EXPECT_EQ(history.median(), 0);
  history.add(1e9);
  EXPECT_EQ(history.median(), 0);
  for (const double ns : {10.0, 12.0, 900.0}) history.add(ns);
  EXPECT_EQ(history.median(), 12);
}

TEST(Models, ADriftCalibratesAnew) {
  hetero::History history;
  for (int i = 0; i < 100; ++i) history.add(10);
  for (int i = 0; i < 3; ++i) history.add(20);
  EXPECT_EQ(history.median(), 10);
  EXPECT_EQ(history.drifts(), 0u);
  history.add(21);
  EXPECT_EQ(history.samples(), (std::vector<double>{20, 20, 20, 21}));
  EXPECT_EQ(history.drifts(), 1u);
  for (int i = 0; i < 4; ++i) history.add(5);
  EXPECT_EQ(history.median(), 5);
  EXPECT_EQ(history.drifts(), 2u);
}

TEST(Models, NoiseIsNoDrift) {
  hetero::History history;
  for (int i = 0; i < 100; ++i) history.add(10);
  // Outliers on one side and the other, three in a row at most; and a change below the factor.
  for (int i = 0; i < 100; ++i)
    for (const double ns : {10.0, 90.0, 90.0, 90.0, 1.0, 10.0, 10.0, 10.0}) history.add(ns);
  EXPECT_EQ(history.drifts(), 0u);
  for (int i = 0; i < 20; ++i) history.add(10);
  for (int i = 0; i < 20; ++i) history.add(14.9);
  EXPECT_EQ(history.drifts(), 0u);
  EXPECT_EQ(history.median(), 14.9);
}

TEST(Models, WhatWasRecalledCountsAndTheFirstRunIsDroppedAgain) {
  hetero::History history;
  history.recall(10);
  EXPECT_EQ(history.median(), 10);
  history.add(1e9);
  EXPECT_EQ(history.median(), 10);
  EXPECT_FALSE(history.has_new());
  history.add(30);
  history.add(30);
  EXPECT_EQ(history.median(), 30);
  EXPECT_TRUE(history.has_new());
}

// --- many ----------------------------------------------------------------------------------------

Subject of_bytes(uint64_t bytes, uint64_t family = 1) {
  return {{.key = 1000 * family + bytes, .family = family, .size = bytes, .codelet = "codelet"}};
}

// Runs of a size, each of the same time.
void measure(hetero::Models& models, const Subject& subject, double ns, int runs = 2) {
  for (int run = 0; run < runs; ++run) models.add(subject, ns);
}

TEST(Models, OnlyWhatHasANameAndWasMeasuredIsToBeKept) {
  hetero::Models models;
  models.recall({of_bytes(8).about, 0, {5}});
  Subject nameless = of_bytes(24);
  nameless.about.codelet = {};
  measure(models, nameless, 7);
  measure(models, of_bytes(16), 7);
  measure(models, of_bytes(32), 7, 1);
  const std::vector<Model> changed = models.changed();
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed[0].about.codelet.view(), "codelet");
  EXPECT_EQ(changed[0].about.size, 16u);
  EXPECT_EQ(changed[0].samples, std::vector<double>{7});
  EXPECT_EQ(models.expected(of_bytes(8)), 5);
}

TEST(Models, DriftsOfEarlierProcessesCount) {
  hetero::Models models;
  models.recall({of_bytes(8).about, 3, {5, 5}});
  measure(models, of_bytes(8), 5);
  measure(models, of_bytes(8), 50, 4);
  const std::vector<Model> changed = models.changed();
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed[0].drifts, 4u);
  EXPECT_EQ(changed[0].samples, (std::vector<double>{50, 50, 50, 50}));
}

TEST(Models, KeysAreApart) {
  hetero::Models models;
  EXPECT_EQ(models.expected(of_bytes(7)), 0);
  for (uint64_t key = 1; key <= 1000; ++key)
    measure(models, {{.key = key * 64, .family = key}}, static_cast<double>(key), 3);
  for (uint64_t key = 1; key <= 1000; ++key)
    EXPECT_EQ(models.expected({{.key = key * 64, .family = key}}), static_cast<double>(key));
  EXPECT_EQ(models.expected({{.key = 1, .family = 1}}), 0);
}

TEST(Models, ASizeThatWasNotMeasuredFollowsFromThoseThatWere) {
  hetero::Models models;
  for (const uint64_t bytes : {64, 128})
    measure(models, of_bytes(bytes), static_cast<double>(2 * bytes));
  EXPECT_EQ(models.expected(of_bytes(100)), 0) << "two sizes";
  measure(models, of_bytes(256), 512, 20);
  EXPECT_NEAR(models.expected(of_bytes(100)), 200, 1e-6);
  EXPECT_EQ(models.expected(of_bytes(100, 2)), 0) << "another codelet";
  measure(models, of_bytes(100), 333);
  EXPECT_EQ(models.expected(of_bytes(100)), 333) << "a history of its own comes first";
}

TEST(Models, TheLawFollowsADrift) {
  hetero::Models models;
  const auto run_all = [&](double factor) {
    for (const uint64_t bytes : {64, 128, 256})
      measure(models, of_bytes(bytes), factor * static_cast<double>(bytes), 12);
  };
  run_all(2);
  EXPECT_NEAR(models.expected(of_bytes(100)), 200, 1e-6);
  run_all(6);
  EXPECT_NEAR(models.expected(of_bytes(100)), 600, 1e-6);
}

TEST(Models, LawsComeWithWhatWasKept) {
  hetero::Models models;
  for (const uint64_t bytes : {64, 128, 256})
    models.recall({of_bytes(bytes).about, 0, {static_cast<double>(bytes)}});
  EXPECT_NEAR(models.expected(of_bytes(200)), 200, 1e-6);
}

TEST(Models, WithoutSizesThereIsNoLaw) {
  hetero::Models models;
  for (uint64_t key = 1; key <= 3; ++key) measure(models, {{.key = key, .family = 1}}, 10);
  EXPECT_EQ(models.expected({{.key = 4, .family = 1}}), 0);
}

// Work is told to the next lower power of two; what is beyond counts by its share.
Subject of_work(uint64_t power, double of_size) {
  return {{.key = power, .family = 1, .unit = Unit::work, .size = power}, of_size};
}

TEST(Models, OneSizeGivesTheCommonFactor) {
  hetero::Models models;
  measure(models, of_work(1024, 1.5), 3072);  // work of 1536
  EXPECT_EQ(models.expected(of_work(1024, 1)), 2048);
  EXPECT_EQ(models.expected(of_work(1024, 1.75)), 3584);
  EXPECT_EQ(models.expected(of_work(1 << 20, 1.5)), 3 << 20);
  measure(models, of_work(1 << 20, 1), 5 << 20);
  EXPECT_EQ(models.expected(of_work(1 << 20, 1.5)), 7.5 * (1 << 20)) << "its own comes first";
}

}  // namespace
