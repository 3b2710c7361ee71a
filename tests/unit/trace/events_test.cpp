// The table of events: that every row can be packed and read back, and that kinds are its rows.
#include "trace/events.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "trace/record.hpp"

namespace xylem::trace {
namespace {

TEST(Events, NamesAreUniqueAndFoundByName) {
  std::set<std::string> names;
  for (const Event& row : events) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_STRNE(row.help, "") << row.name;
  }
  static_assert(event("bubble_made") == 0);
  EXPECT_STREQ(events[event("slept")].name, "slept");
}

TEST(Events, ArgumentsFitAndDoNotOverlap) {
  for (const Event& row : events) {
    std::array<uint64_t, 3> used{};
    bool ended = false;
    for (const Role role : row.arguments) {
      ended |= role == Role::none;
      if (ended) {
        EXPECT_EQ(role, Role::none) << row.name << ": a gap";
        continue;
      }
      const Place place = places_of(row)[static_cast<size_t>(role)];
      ASSERT_LT(place.word, used.size()) << row.name;
      ASSERT_LE(place.shift + place.bits, 64) << row.name;
      const uint64_t mask = low_bits(place.bits) << place.shift;
      EXPECT_EQ(used[place.word] & mask, 0u) << row.name;
      used[place.word] |= mask;
    }
  }
}

TEST(Events, RecordsGiveBackWhatWasPut) {
  const uint64_t most = (uint64_t{1} << 24) - 1;
  const Record made = make_record<event("bubble_made")>(~uint64_t{0} >> 1, 77, most, most, 65535);
  EXPECT_EQ(made.kind(), event("bubble_made"));
  EXPECT_EQ(argument(made, Role::bubble), static_cast<int64_t>(~uint64_t{0} >> 1));
  EXPECT_EQ(argument(made, Role::parent), 77);
  EXPECT_EQ(argument(made, Role::parent_member), static_cast<int64_t>(most));
  EXPECT_EQ(argument(made, Role::threads), static_cast<int64_t>(most));
  EXPECT_EQ(argument(made, Role::nesting), 65535);
  EXPECT_EQ(argument(made, Role::pu), -1);
  const Record slept = make_record<event("slept")>(1, 2, 3, Reason::yield);
  EXPECT_EQ(argument(slept, Role::member), 2);
  EXPECT_EQ(argument(slept, Role::pu), 3);
  EXPECT_EQ(reasons[argument(slept, Role::reason)], std::string("yield"));
}

TEST(Events, ReasonsHaveNames) {
  EXPECT_STREQ(reasons[static_cast<size_t>(Reason::other)], "other");
  EXPECT_STREQ(reasons[static_cast<size_t>(Reason::ordered)], "ordered");
  EXPECT_STREQ(reasons[static_cast<size_t>(Reason::turn)], "turn");
  EXPECT_EQ(std::size(reasons), static_cast<size_t>(Reason::turn) + 1);
}

TEST(Events, EveryRoleIsInTheTable) {
  EXPECT_EQ(std::size(roles), static_cast<size_t>(Role::after) + 1);
  EXPECT_STREQ(roles[static_cast<size_t>(Role::external)].name, "external");
  EXPECT_STREQ(roles[static_cast<size_t>(Role::lo)].name, "lo");
}

}  // namespace
}  // namespace xylem::trace
