// The file that keeps what copies to and from devices take.
#include "hetero/driver/links_file.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

namespace hetero = xylem::hetero;
using hetero::KeptLinks;
using hetero::Links;

KeptLinks device(const char* name, Links::Link to, Links::Link from) {
  KeptLinks made;
  std::string(name).copy(made.name.data(), made.name.size() - 1);
  made.links = {to, from};
  return made;
}

void expect_equal(const Links::Link& one, const Links::Link& other) {
  EXPECT_EQ(one.direct, other.direct);
  EXPECT_EQ(one.fixed_ns, other.fixed_ns);
  EXPECT_EQ(one.ns_per_byte, other.ns_per_byte);
}

// Times between two numbers of the file, and ones whose product with the unit is just below a
// number.
const std::vector<KeptLinks> measured = {
    device("card", {true, 953.7654321987, 0.0505943771}, {true, 0.29, 0.000057}),
    device("other card", {true, 0.1 + 0.2, 1.0 / 3}, {true, 1e9 / 7, 0})};

std::vector<KeptLinks> read_again(const std::vector<KeptLinks>& devices) {
  const std::vector<char> text = hetero::links_text(devices);
  std::vector<KeptLinks> read;
  EXPECT_TRUE(hetero::parse_links({text.data(), text.size()}, read));
  return read;
}

TEST(LinksFile, GivesBackWhatTheProcessThatMeasuredUsed) {
  const std::vector<KeptLinks> read = read_again(measured);
  ASSERT_EQ(read.size(), measured.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    const hetero::DeviceLinks used = hetero::as_kept(measured[i].links);
    EXPECT_EQ(read[i].name, measured[i].name);
    expect_equal(read[i].links.to, used.to);
    expect_equal(read[i].links.from, used.from);
    EXPECT_NEAR(used.to.ns_per_byte, measured[i].links.to.ns_per_byte, 0.5e-6);
  }
}

TEST(LinksFile, IsTheSameHoweverOftenItIsWritten) {
  const std::vector<KeptLinks> once = read_again(measured);
  EXPECT_EQ(hetero::links_text(once), hetero::links_text(measured));
}

}  // namespace
