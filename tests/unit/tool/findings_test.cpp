// Each of doctor's checks on facts made up for it.
#include "tool/doctor/findings.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace xylem::tool {
namespace {

// Four processors, nothing wrong.
Facts healthy() {
  Facts facts;
  facts.online.add_range(0, 3);
  facts.allowance.cpus = facts.online;
  facts.usable = 4;
  facts.max_maps = 65530;
  facts.stack = 8 << 20;
  facts.processes = -1;
  return facts;
}

const Finding* find(const std::vector<Finding>& findings, const std::string& id) {
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [&](const Finding& finding) { return finding.id == id; });
  return found == findings.end() ? nullptr : &*found;
}

bool hurts(const Facts& facts, const std::string& id) {
  const std::vector<Finding> findings = find_all(facts);
  const Finding* finding = find(findings, id);
  return finding != nullptr && finding->hurts;
}

TEST(Findings, AHealthyMachineHasNone) { EXPECT_TRUE(find_all(healthy()).empty()); }

TEST(Findings, OneCoreMask) {
  Facts facts = healthy();
  facts.allowance.cpus.clear();
  facts.allowance.cpus.add(2);
  facts.usable = 1;
  EXPECT_FALSE(hurts(facts, "one-core-mask"));
  facts.environment["OMP_NUM_THREADS"] = "4,2";
  EXPECT_TRUE(hurts(facts, "one-core-mask"));
  EXPECT_FALSE(hurts(facts, "too-many-threads"));
}

TEST(Findings, QuotaBelowTheProcessors) {
  Facts facts = healthy();
  facts.allowance.cpu_quota = 1.5;
  facts.usable = 2;
  EXPECT_TRUE(hurts(facts, "quota"));
  facts.allowance.cpu_quota = 4;
  EXPECT_FALSE(hurts(facts, "quota"));
}

TEST(Findings, MoreThreadsThanProcessors) {
  Facts facts = healthy();
  facts.environment["OMP_NUM_THREADS"] = "64";
  facts.environment["OMP_WAIT_POLICY"] = "active";
  EXPECT_TRUE(hurts(facts, "too-many-threads"));
  EXPECT_TRUE(hurts(facts, "active-waiting"));
  facts.environment["OMP_NUM_THREADS"] = "4";
  EXPECT_FALSE(hurts(facts, "too-many-threads"));
}

TEST(Findings, AutoNumaHurtsOnlyWithBindingAndNodes) {
  Facts facts = healthy();
  facts.auto_numa = true;
  facts.environment["OMP_PROC_BIND"] = "close";
  EXPECT_FALSE(hurts(facts, "auto-numa"));
  facts.nodes = 2;
  EXPECT_TRUE(hurts(facts, "auto-numa"));
  facts.environment["OMP_PROC_BIND"] = "false";
  EXPECT_FALSE(hurts(facts, "auto-numa"));
}

TEST(Findings, HeapsWithoutTheirLibrary) {
  Facts facts = healthy();
  facts.nodes = 2;
  EXPECT_EQ(find(find_all(facts), "pool-library"), nullptr);
  facts.pool_library = false;
  const std::vector<Finding> findings = find_all(facts);
  ASSERT_NE(find(findings, "pool-library"), nullptr);
  EXPECT_FALSE(find(findings, "pool-library")->hurts);
}

TEST(Findings, NextTouchThatIsNotAllowed) {
  Facts facts = healthy();
  facts.next_touch = "the reason";
  EXPECT_EQ(find(find_all(facts), "next-touch"), nullptr) << "of no use on one node";
  facts.nodes = 2;
  const std::vector<Finding> findings = find_all(facts);
  ASSERT_NE(find(findings, "next-touch"), nullptr);
  EXPECT_NE(find(findings, "next-touch")->advice.find("the reason"), std::string::npos);
}

TEST(Findings, Limits) {
  Facts facts = healthy();
  facts.stack = 64 << 10;
  facts.max_maps = 1000;
  facts.limits.pids_max = 20;
  facts.limits.pids_used = 18;
  facts.processes = 5;
  for (const char* id : {"stack", "max-maps", "pids", "processes"}) EXPECT_TRUE(hurts(facts, id));
}

TEST(Findings, SettingsThatAreNotValid) {
  Facts facts = healthy();
  facts.environment["OMP_SCHEDULE"] = "fast";
  facts.environment["OMP_NUM_THREDS"] = "4";
  const std::vector<Finding> findings = find_all(facts);
  ASSERT_NE(find(findings, "bad-setting"), nullptr);
  ASSERT_NE(find(findings, "unknown-setting"), nullptr);
  EXPECT_NE(find(findings, "unknown-setting")->advice.find("OMP_NUM_THREADS"), std::string::npos);
}

TEST(Findings, GoodSettingsAreSilent) {
  Facts facts = healthy();
  facts.environment = {{"OMP_NUM_THREADS", "4"},
                       {"OMP_SCHEDULE", "dynamic,4"},
                       {"OMP_DYNAMIC", "true"},
                       {"OMP_STACKSIZE", "4M"},
                       {"HOME", "/root"}};
  EXPECT_TRUE(find_all(facts).empty());
}

TEST(Findings, WhatKmpVariablesDoHere) {
  Facts facts = healthy();
  const auto said = [&](const char* name, const char* text) {
    facts.environment = {{name, text}};
    const std::vector<Finding> findings = find_all(facts);
    const Finding* finding = find(findings, "kmp-setting");
    return finding && !finding->hurts ? finding->what : std::string();
  };
  EXPECT_NE(said("KMP_BLOCKTIME", "10").find("KMP_BLOCKTIME='10' is obeyed. Milliseconds"),
            std::string::npos);
  EXPECT_NE(said("KMP_FORKJOIN_BARRIER", "2,2").find("does not obey it"), std::string::npos);
  EXPECT_EQ(said("KMP_BLOCKTIME", "often"), "") << "that is a wrong value";
  EXPECT_NE(find(find_all(facts), "bad-setting"), nullptr);
}

TEST(Findings, TwoRuntimes) {
  Facts facts = healthy();
  facts.program = Program{.name = "app", .path = "./app", .why = ""};
  facts.inspection.fit = Fit::served;
  facts.inspection.runtimes = {"libgomp.so.1", "libomp.so.5"};
  facts.inspection.runtime_users = {"app", "libk.so"};
  EXPECT_TRUE(hurts(facts, "two-runtimes"));
  facts.inspection.runtimes.pop_back();
  EXPECT_FALSE(hurts(facts, "two-runtimes"));
}

TEST(Findings, WhatHurtsComesFirst) {
  Facts facts = healthy();
  facts.online.add_range(0, 7);
  facts.stack = 1024;
  const std::vector<Finding> findings = find_all(facts);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_TRUE(findings[0].hurts);
  EXPECT_FALSE(findings[1].hurts);
}

}  // namespace
}  // namespace xylem::tool
