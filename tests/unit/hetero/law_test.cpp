// Laws by which times follow from sizes.
#include "hetero/model/law.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace {

namespace hetero = xylem::hetero;
using hetero::Law;
using hetero::Point;

// At sizes from 64 on, each twice the one before.
template <typename Time>
std::vector<Point> points_of(int count, Time time) {
  std::vector<Point> points;
  for (int i = 0; i < count; ++i) points.push_back({std::ldexp(64, i), time(std::ldexp(64, i))});
  return points;
}

TEST(Laws, APowerLawIsFound) {
  const auto time = [](double n) { return 0.25 * std::pow(n, 1.5); };
  for (const int sizes : {3, 5, 12}) {
    const Law law = hetero::power_law(points_of(sizes, time));
    EXPECT_NEAR(law.exponent, 1.5, 1e-9);
    EXPECT_NEAR(law.factor, 0.25, 1e-9);
    EXPECT_EQ(law.fixed_ns, 0);
    EXPECT_NEAR(law.ns_at(200) / time(200), 1, 1e-9);
  }
}

TEST(Laws, AreAsTheyWouldBeByTheLogarithmsOfLibm) {
  std::mt19937_64 random(4);
  for (int turn = 0; turn < 2000; ++turn) {
    const double a = std::exp2(static_cast<double>(random() % 120) / 2 - 20);
    const double b = static_cast<double>(random() % 400) / 100;
    const Law law{.factor = a, .exponent = b};
    const double size = std::exp2(static_cast<double>(random() % 1000) / 25);
    EXPECT_NEAR(law.extended_to(size) / (a * std::pow(size, b)), 1, 1e-12) << a << ' ' << b;
  }
}

TEST(Laws, NoiseIsEvenedOut) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> noise(0.9, 1.1);
  const auto time = [&](double n) { return 3 * std::pow(n, 1.2) * noise(random); };
  for (int turn = 0; turn < 200; ++turn) {
    const Law law = hetero::power_law(points_of(8, time));
    EXPECT_NEAR(law.exponent, 1.2, 0.06);
    EXPECT_NEAR(law.ns_at(1000) / (3 * std::pow(1000, 1.2)), 1, 0.1);
  }
}

TEST(Laws, AFixedPartIsFoundWhereItIsThere) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> noise(0.97, 1.03);
  const auto exact = [](double n) { return 5000 + 0.5 * std::pow(n, 1.3); };
  const auto time = [&](double n) { return exact(n) * noise(random); };
  for (int turn = 0; turn < 200; ++turn) {
    const Law law = hetero::power_law(points_of(12, time));
    EXPECT_GT(law.fixed_ns, 2500);
    for (const double size : {100.0, 3000.0, 50'000.0, 300'000.0})
      EXPECT_NEAR(law.ns_at(size) / exact(size), 1, 0.15) << size;
  }
}

TEST(Laws, TwoOrThreeNumbersAreNotFittedByAFixedPart) {
  const auto time = [](double n) { return 50 + std::pow(n, 1.1); };
  EXPECT_EQ(hetero::power_law(points_of(4, time)).fixed_ns, 0);
}

TEST(Laws, WhatDoesNotSufficeIsNoLaw) {
  const auto time = [](double n) { return n; };
  EXPECT_EQ(hetero::power_law({}).factor, 0);
  EXPECT_EQ(hetero::power_law(points_of(2, time)).factor, 0) << "two sizes";
  const Point narrow[] = {{100, 100}, {200, 200}, {399, 399}};
  EXPECT_EQ(hetero::power_law(narrow).factor, 0) << "a span below 4";
  const Point same[] = {{100, 100}, {100, 200}, {100, 399}};
  EXPECT_EQ(hetero::power_law(same).factor, 0) << "one size, three times";
  const Point odd[] = {{100, 100}, {200, 1000}, {400, 400}};
  EXPECT_EQ(hetero::power_law(odd).factor, 0) << "off by more than half";
}

TEST(Laws, HoldNearWhatWasMeasured) {
  const Law law = hetero::power_law(points_of(3, [](double n) { return n; }));  // 64 to 256
  EXPECT_GT(law.ns_at(16.1), 0);
  EXPECT_GT(law.ns_at(1023), 0);
  EXPECT_EQ(law.ns_at(15.9), 0);
  EXPECT_EQ(law.ns_at(1025), 0);
  EXPECT_EQ(Law{}.ns_at(100), 0);
}

TEST(Laws, TheCommonFactorIsTheMedianAndHoldsEverywhere) {
  EXPECT_EQ(hetero::proportional_law({}).ns_at(10), 0);
  const Point one[] = {{50, 200}};
  EXPECT_NEAR(hetero::proportional_law(one).ns_at(1e9), 4e9, 1);
  const Point three[] = {{10, 30}, {10, 9000}, {10, 20}};
  EXPECT_NEAR(hetero::proportional_law(three).ns_at(1), 3, 1e-9);
}

}  // namespace
