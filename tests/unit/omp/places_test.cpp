// OMP_PLACES and GOMP_CPU_AFFINITY: what is accepted, what is refused, and what places result. The
// verdicts on explicit lists are those of libgomp 12.
#include "omp/env/places.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "synthetic_machine.hpp"

namespace xylem::omp {
namespace {

std::string show(const PlaceList& list) {
  std::string text;
  for (int i = 0; i < list.size(); ++i) {
    text += text.empty() ? "{" : " {";
    for (int number : list.place(i)) {
      if (text.back() != '{') text += ",";
      text += std::to_string(number);
    }
    text += "}";
  }
  return text;
}

std::string parse(std::string_view text) {
  auto parsed = parse_explicit_places(text);
  return parsed.ok() ? show(parsed.value()) : "wrong";
}

std::string affinity(std::string_view text) {
  auto parsed = parse_cpu_affinity(text);
  return parsed.ok() ? show(parsed.value()) : "wrong";
}

struct Case {
  const char* text;
  const char* expected;
};

TEST(Places, ExplicitLists) {
  const Case cases[] = {
      {"0,1", "{0} {1}"},
      {"{0:2}", "{0,1}"},
      {"{0}:2", "{0} {1}"},
      {"{0}:2:1", "{0} {1}"},
      {"{0:2:1}:1", "{0,1}"},
      {"{0,1}", "{0,1}"},
      {"{0:4:2}", "{0,2,4,6}"},
      {"{0:4}:4:4", "{0,1,2,3} {4,5,6,7} {8,9,10,11} {12,13,14,15}"},
      {"{0:4},{4:4}", "{0,1,2,3} {4,5,6,7}"},
      {"{0},{1},!{0}", "{1}"},
      {"{0:2,!1}", "{0}"},
      {"{0,1,!1}", "{0}"},
      {"{1}:2:-1", "{1} {0}"},
      {"{1:2:-1}", "{0,1}"},
      {"{0},{0}", "{0} {0}"},
      {"{0},{0},{1},!{0}", "{0} {1}"},
      {"{0},{0},{1},!{1},{1}", "{0} {0} {1}"},
      {"{0,0}", "{0}"},
      {"{3,1,2}", "{1,2,3}"},
      {"{3,1},!{1,3},2", "{2}"},
      {"0:2", "{0} {1}"},
      {"1:2:-1", "{1} {0}"},
      {"{0:2:0}", "{0}"},
      {"{0}:2:0", "{0} {0}"},
      {"+1", "{1}"},
      {"{!0,0:2}", "{1}"},
      {" { 0 : 2 , ! 1 } : 2 : 3 , 7 ", "{0} {3} {7}"},
  };
  for (const Case& c : cases) EXPECT_EQ(parse(c.text), c.expected) << c.text;
}

TEST(Places, WrongLists) {
  for (const char* text : {"",
                           " ",
                           "{0:2},!{1}",
                           "{0,!1}",
                           "{-1}",
                           "{0}:0",
                           "{}",
                           "{0}{1}",
                           "{0},",
                           ",{0}",
                           "{0:0}",
                           "!0",
                           "!{0}",
                           "{!0}",
                           "{0 1}",
                           "{0,1},!{1}",
                           "!{1},{0},{1}",
                           "{0:2:-1}",
                           "{-1:3}",
                           "{0x1}",
                           "{0}:1,",
                           "{0}:",
                           "{4294967296}",
                           "{99999999999999999999}",
                           "{0}: 2: -1",
                           "{0",
                           "0}",
                           "{0,}",
                           "{0:}",
                           "{0:1:}",
                           "{0}:2:",
                           "{0},!{0}",
                           "{0,!0}",
                           "{{0}}",
                           "a",
                           "0a",
                           "{0}:99999",
                           "{0:99999}",
                           "{65536}",
                           "{0}:2:70000",
                           "{0:8192}:65535:0",
                           "--1",
                           "{0};{1}"})
    EXPECT_EQ(parse(text), "wrong") << text;
}

TEST(Places, NumbersBelowTheLimit) {
  EXPECT_TRUE(parse_explicit_places("{63}:2:-1", 64).ok());
  for (const char* text : {"{64}", "{63}:2", "{62:3}", "{0},!{64}", "{-1}"}) {
    auto parsed = parse_explicit_places(text, 64);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().code, well_written) << text;
  }
  EXPECT_EQ(parse_explicit_places("{64", 64).error().code, well_written);
  EXPECT_NE(parse_explicit_places("{0", 64).error().code, well_written);
}

TEST(Places, CpuAffinity) {
  const Case cases[] = {
      {"0 1", "{0} {1}"},  {"0,1", "{0} {1}"},
      {"0-1", "{0} {1}"},  {"0-1:1", "{0} {1}"},
      {"0 0", "{0} {0}"},  {"0-3:2", "{0} {2}"},
      {"0 ,1", "{0} {1}"}, {"0, 1", "{0} {1}"},
      {"0-1 ", "{0} {1}"}, {"0 3 1-2 4-15:2", "{0} {3} {1} {2} {4} {6} {8} {10} {12} {14}"},
      {"", "wrong"},       {"x", "wrong"},
      {"1-0", "wrong"},    {"0-", "wrong"},
      {"0-5:0", "wrong"},  {"1-0:-1", "wrong"},
      {"0:2", "wrong"},    {"0,", "wrong"},
      {"-1", "wrong"},     {"0-65536", "wrong"},
      {"0x", "wrong"},     {"0 - 1", "wrong"},
      {"0- 1", "{0} {1}"}, {"0-1 :1", "wrong"},
  };
  for (const Case& c : cases) EXPECT_EQ(affinity(c.text), c.expected) << c.text;
}

std::string of_machine(const char* text) {
  auto machine = test::draw(test::two_packages);
  auto parsed = parse_places(text, *machine);
  return parsed.ok() ? show(parsed.value().places) : "wrong";
}

TEST(Places, AbstractNames) {
  const char* halves = "{0,1,2,3,4,5,6,7} {8,9,10,11,12,13,14,15}";
  EXPECT_EQ(of_machine("sockets"), halves);
  EXPECT_EQ(of_machine("ll_caches"), halves);
  EXPECT_EQ(of_machine("numa_domains"), halves);
  EXPECT_EQ(of_machine("cores"), "{0,1} {2,3} {4,5} {6,7} {8,9} {10,11} {12,13} {14,15}");
  EXPECT_EQ(of_machine("threads(3)"), "{0} {1} {2}");
  EXPECT_EQ(of_machine(" Cores ( 2 ) "), "{0,1} {2,3}");
  EXPECT_EQ(of_machine("SOCKETS(9)"), halves);
}

TEST(Places, WrongNames) {
  for (const char* text : {"core", "cores(0)", "cores(-1)", "cores()", "cores(1", "cores(1)x",
                           "threads,cores", "coresx", "threads(99999999999999999999)", "_"})
    EXPECT_EQ(of_machine(text), "wrong") << text;
}

TEST(Places, ListsOfAMachineAreOsIndices) {
  auto machine = test::draw(test::two_packages);
  auto parsed = parse_places("{0:2},{4}", *machine);
  ASSERT_TRUE(parsed.ok());
  EXPECT_FALSE(parsed.value().abstract);
  EXPECT_EQ(show(parsed.value().places), "{0,1} {4}");
}

TEST(Places, NamesWithoutSuchLevelsFallBack) {
  auto flat = test::draw("pu:4");
  EXPECT_EQ(show(places_of_machine(*flat, PlaceUnit::cores, most_places)), "{0} {1} {2} {3}");
  EXPECT_EQ(show(places_of_machine(*flat, PlaceUnit::ll_caches, most_places)), "{0,1,2,3}");
  EXPECT_EQ(show(places_of_machine(*flat, PlaceUnit::numa_domains, most_places)), "{0,1,2,3}");
}

TEST(Places, UnusableProcessorsAreLeftOut) {
  auto machine = test::draw("pu:4");
  auto listed = parse_explicit_places("{2:4},{9},{0}");
  ASSERT_TRUE(listed.ok());
  EXPECT_EQ(show(resolve_places(listed.value(), *machine)), "{2,3} {0}");
}

TEST(Places, NumbersAreTheKernels) {
  auto machine = test::draw("core:2 pu:2(indexes=0,2,1,3)");
  auto listed = parse_explicit_places("{0,1},{3}");
  ASSERT_TRUE(listed.ok());
  PlaceList places = resolve_places(listed.value(), *machine);
  EXPECT_EQ(show(places), "{0,2} {3}");
  std::vector<int> os_indices;
  os_indices_of(*machine, places.place(0), os_indices);
  EXPECT_EQ(os_indices, (std::vector<int>{0, 1}));
}

// Invariant of every list that a parser accepts.
void check(const PlaceList& list) {
  ASSERT_GT(list.size(), 0);
  ASSERT_LE(list.size(), most_places);
  std::size_t total = 0;
  for (int i = 0; i < list.size(); ++i) {
    auto place = list.place(i);
    ASSERT_FALSE(place.empty());
    total += place.size();
    for (std::size_t j = 0; j < place.size(); ++j) {
      ASSERT_GE(place[j], j > 0 ? place[j - 1] + 1 : 0);
      ASSERT_LT(place[j], most_processors);
    }
  }
  ASSERT_EQ(total, list.total());
}

TEST(Places, RandomTextsNeitherCrashNorBreakTheInvariant) {
  static constexpr const char* pieces[] = {
      "{", "}", "{",  "}",     ",",       ":",     "!",    "-",    "0",
      "1", "7", "3",  "12",    "65535",   "cores", "(",    ")",    " ",
      "x", "+", "-1", ":2:-1", "threads", "{0:4}", "!{0}", ":4:4", "99999999999999999999"};
  std::mt19937 random(12345);
  std::uniform_int_distribution<std::size_t> pick(0, std::size(pieces) - 1), length(0, 12);
  auto machine = test::draw(test::two_packages);
  int accepted = 0;
  for (int round = 0; round < 60000; ++round) {
    std::string text;
    for (std::size_t n = length(random); n > 0; --n) text += pieces[pick(random)];
    SCOPED_TRACE(text);
    auto places = parse_places(text, *machine);
    if (places.ok()) {
      ++accepted;
      check(places.value().places);
      if (!places.value().abstract) resolve_places(places.value().places, *machine);
    }
    auto processors = parse_cpu_affinity(text);
    if (processors.ok()) check(processors.value());
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace xylem::omp
