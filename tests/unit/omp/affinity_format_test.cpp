// Affinity formats: fields, justification, and the cut at the end of a buffer. The expected texts
// are what libgomp 12 prints.
#include "omp/env/affinity_format.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace xylem::omp {
namespace {

const std::vector<int> processors{0, 1, 2, 8, 10, 11};

AffinityFields fields() {
  AffinityFields f;
  f.team_num = 3;
  f.num_teams = 4;
  f.nesting_level = 1;
  f.thread_num = 5;
  f.num_threads = 16;
  f.ancestor_thread_num = -1;
  f.host = "vm";
  f.process_id = 12877;
  f.native_thread_id = 12879;
  f.os_indices = processors;
  return f;
}

std::string expand(std::string_view format) {
  std::vector<char> buffer(200);
  std::size_t length = expand_affinity_format(buffer.data(), buffer.size(), format, fields());
  EXPECT_EQ(length, std::string(buffer.data()).size());
  return buffer.data();
}

TEST(AffinityFormat, ShortAndLongNames) {
  EXPECT_EQ(expand("%t %T %L %n %N %a %H %P %i %A"), "3 4 1 5 16 -1 vm 12877 12879 0-2,8,10-11");
  EXPECT_EQ(expand("%{team_num} %{num_teams} %{nesting_level} %{thread_num} %{num_threads}"),
            "3 4 1 5 16");
  EXPECT_EQ(expand("%{ancestor_tnum} %{host} %{process_id} %{native_thread_id}"),
            "-1 vm 12877 12879");
  EXPECT_EQ(expand("%{thread_affinity}"), "0-2,8,10-11");
  EXPECT_EQ(expand("100%%"), "100%");
  EXPECT_EQ(expand(""), "");
}

TEST(AffinityFormat, Justification) {
  EXPECT_EQ(expand("%5n|"), "5    |");
  EXPECT_EQ(expand("%.5n|"), "    5|");
  EXPECT_EQ(expand("%0.5n|"), "00005|");
  EXPECT_EQ(expand("%0.5a|%.5a|%5a|%0.1a"), "-0001|   -1|-1   |-1");
  EXPECT_EQ(expand("%0.14A|%.14A|%3A"), "   0-2,8,10-11|   0-2,8,10-11|0-2,8,10-11");
  EXPECT_EQ(expand("%0.4H|%3{host}|"), "  vm|vm |");
}

TEST(AffinityFormat, LlvmsProgramsSeeUndefinedFieldsAsAWord) {
  const auto for_llvm = [](std::string_view format) {
    EXPECT_EQ(check_affinity_format(format, Door::llvm), nullptr) << format;
    std::vector<char> buffer(200);
    expand_affinity_format(buffer.data(), buffer.size(), format, fields(), Door::llvm);
    return std::string(buffer.data());
  };
  EXPECT_EQ(for_llvm("%x|%{foo}|%n"), "undefined|undefined|5");
  EXPECT_EQ(for_llvm("%.12{foo}|%012x|"), "   undefined|undefined   |");
  EXPECT_EQ(for_llvm("%05n|%0.5n"), "5    |00005");
}

TEST(AffinityFormat, WrongFormats) {
  for (const char* format :
       {"%x", "%{foo}", "%", "%5", "%{L", "%0n", "%05n", "%.n", "%5%", "%-5n", "%{L}", "%0.%",
        "%.3%", "%9999999n", "%99999999999999999999999n", "%{}", "%{thread_num", "a%"}) {
    EXPECT_NE(check_affinity_format(format), nullptr) << format;
    EXPECT_EQ(expand(format), format) << "a wrong field is copied";
  }
  for (const char* format : {"", "abc", "%%", "%n", "%0.3A|", default_affinity_format})
    EXPECT_EQ(check_affinity_format(format), nullptr) << format;
}

TEST(AffinityFormat, LongTextsAreCut) {
  char buffer[5] = "????";
  EXPECT_EQ(expand_affinity_format(buffer, 5, "hello world", fields()), 11u);
  EXPECT_STREQ(buffer, "hell");
  EXPECT_EQ(expand_affinity_format(buffer, 0, "x", fields()), 1u);
  EXPECT_STREQ(buffer, "hell");
  EXPECT_EQ(expand_affinity_format(nullptr, 0, "%300n%.300n", fields()), 600u);
  EXPECT_EQ(expand_affinity_format(buffer, 5, "ab%.300n", fields()), 302u);
  EXPECT_STREQ(buffer, "ab  ");
  EXPECT_EQ(expand_affinity_format(buffer, 1, "%A", fields()), 11u);
  EXPECT_STREQ(buffer, "");
}

TEST(AffinityFormat, NoProcessors) {
  AffinityFields empty;
  char buffer[20];
  EXPECT_EQ(expand_affinity_format(buffer, sizeof buffer, "[%A]", empty), 2u);
}

}  // namespace
}  // namespace xylem::omp
