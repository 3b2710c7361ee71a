// Small files are read whole, and bad paths and numbers are errors.
#include "os/files.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "fake_root.hpp"

namespace xylem::os {
namespace {

TEST(Files, ReadFileStopsAtTheBuffersEnd) {
  FakeRoot root;
  root.write("/a", "0123456789");
  std::array<char, 5> buffer;
  EXPECT_EQ(read_file((root.path() + "/a").c_str(), buffer), 4);
  EXPECT_STREQ(buffer.data(), "0123");
}

TEST(Files, ReadAllReadsLargeFiles) {
  FakeRoot root;
  const std::string text(100000, 'x');
  root.write("/large", text);
  std::vector<char> out;
  EXPECT_EQ(read_all((root.path() + "/large").c_str(), out), 0);
  EXPECT_EQ(std::string(out.begin(), out.end()), text);
}

TEST(Files, FailuresAreNegativeErrnos) {
  std::array<char, 8> buffer;
  std::vector<char> out;
  EXPECT_EQ(read_file("/no/such/file", buffer), -ENOENT);
  EXPECT_EQ(read_all("/no/such/file", out), -ENOENT);
  EXPECT_EQ(read_file("/", buffer), -EISDIR);
}

TEST(Files, PathsTooLongNameNothing) {
  PathBuffer path("/");
  path.append(std::string(5000, 'x')).append("y");
  EXPECT_FALSE(path.ok());
  std::vector<char> out;
  EXPECT_EQ(read_all(path.c_str(), out), -ENOTDIR);
}

TEST(Files, NumbersAreWholeOrNothing) {
  long long value = 0;
  EXPECT_TRUE(parse_integer(" 42\n", value));
  EXPECT_EQ(value, 42);
  EXPECT_TRUE(parse_integer("-1", value));
  for (const char* bad : {"", " ", "max", "4x", "0x10", "99999999999999999999"}) {
    EXPECT_FALSE(parse_integer(bad, value)) << bad;
  }
}

TEST(Files, PartsComeOffTheFront) {
  std::string_view rest = "a,,b";
  EXPECT_EQ(next_part(rest, ','), "a");
  EXPECT_EQ(next_part(rest, ','), "");
  EXPECT_EQ(next_part(rest, ','), "b");
  EXPECT_TRUE(rest.empty());
}

}  // namespace
}  // namespace xylem::os
