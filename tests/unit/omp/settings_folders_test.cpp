// Where the user's files go, and the setting that lets calls fail.
#include "omp/env/settings_folders.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/check.hpp"
#include "omp/env/settings_values.hpp"

namespace xylem::omp {
namespace {

std::string folder_with(const char* cache, const char* home) {
  cache != nullptr ? setenv("XDG_CACHE_HOME", cache, 1) : unsetenv("XDG_CACHE_HOME");
  home != nullptr ? setenv("HOME", home, 1) : unsetenv("HOME");
  return cache_folder();
}

TEST(SettingsFolders, FollowTheDesktopsRules) {
  EXPECT_EQ(folder_with("/cache", "/home"), "/cache");
  EXPECT_EQ(folder_with(nullptr, "/home"), "/home/.cache");
  EXPECT_EQ(folder_with("", "/home"), "/home/.cache");
  EXPECT_EQ(folder_with("not/absolute", "/home"), "/home/.cache");
  EXPECT_EQ(folder_with(nullptr, nullptr), "");
  EXPECT_EQ(folder_with(nullptr, ""), "");
  EXPECT_EQ(folder_with(nullptr, "here"), "");
  EXPECT_EQ(folder_with(nullptr, ("/" + std::string(5000, 'x')).c_str()), "");
}

const char* parse_fail_call(const char* text, SettingsValues& values) {
  for (const Setting& setting : settings_table())
    if (std::string(setting.name) == "XYLEM_FAIL_CALL") return setting.parse(text, values);
  return "no such setting";
}

TEST(SettingsFolders, FailCallTakesANumberAndAPlus) {
  if (!base::kChecked) GTEST_SKIP() << "this build cannot let calls fail";
  SettingsValues values;
  EXPECT_EQ(parse_fail_call("12", values), nullptr);
  EXPECT_EQ(values.runtime.fail_call, 12);
  EXPECT_FALSE(values.runtime.fail_all_after);
  EXPECT_EQ(parse_fail_call("3+", values), nullptr);
  EXPECT_EQ(values.runtime.fail_call, 3);
  EXPECT_TRUE(values.runtime.fail_all_after);
  for (const char* wrong : {"", "0", "-1", "+", "x", "3x", "3++", "99999999999999999999"})
    EXPECT_NE(parse_fail_call(wrong, values), nullptr) << wrong;
  EXPECT_EQ(values.runtime.fail_call, 3);
}

}  // namespace
}  // namespace xylem::omp
