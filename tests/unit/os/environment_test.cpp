// A variable is there for a scope, and the environment is as before after it.
#include "os/environment.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

namespace xylem::os {
namespace {

TEST(ScopedVariable, IsSeenInItsScopeOnly) {
  char** const before = environ;
  {
    const ScopedVariable variable("XYLEM_UNIT_TEST=here");
    ASSERT_TRUE(variable.active());
    EXPECT_STREQ(std::getenv("XYLEM_UNIT_TEST"), "here");
    EXPECT_NE(std::getenv("PATH"), nullptr);
    const ScopedVariable second("XYLEM_UNIT_TEST_TWO=here");
    EXPECT_FALSE(second.active());
  }
  EXPECT_EQ(environ, before);
  EXPECT_EQ(std::getenv("XYLEM_UNIT_TEST"), nullptr);
}

TEST(ScopedVariable, TheUsersValueWins) {
  setenv("XYLEM_UNIT_TEST", "mine", 1);
  {
    const ScopedVariable variable("XYLEM_UNIT_TEST=here");
    EXPECT_FALSE(variable.active());
    EXPECT_STREQ(std::getenv("XYLEM_UNIT_TEST"), "mine");
  }
  unsetenv("XYLEM_UNIT_TEST");
}

TEST(ScopedVariable, AVariableSetMeanwhileStays) {
  {
    const ScopedVariable variable("XYLEM_UNIT_TEST=here");
    setenv("XYLEM_UNIT_OTHER", "kept", 1);
  }
  EXPECT_STREQ(std::getenv("XYLEM_UNIT_OTHER"), "kept");
  unsetenv("XYLEM_UNIT_OTHER");
  unsetenv("XYLEM_UNIT_TEST");
}

}  // namespace
}  // namespace xylem::os
