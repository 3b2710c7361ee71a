// Control groups of both versions, in made-up trees.
#include "os/cgroup.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "fake_root.hpp"
#include "os/files.hpp"

namespace xylem::os {
namespace {

constexpr const char* kMountV2 =
    "22 1 0:20 / /sys rw - sysfs sysfs rw\n"
    "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

TEST(CgroupV2, TheLeastQuotaOnTheWayUpCounts) {
  FakeRoot root;
  root.write("/proc/self/mountinfo", kMountV2)
      .write("/proc/self/cgroup", "0::/user.slice/job/step\n")
      .write("/sys/fs/cgroup/user.slice/cpu.max", "400000 100000\n")
      .write("/sys/fs/cgroup/user.slice/job/cpu.max", "150000 100000\n")
      .write("/sys/fs/cgroup/user.slice/job/step/cpu.max", "max 100000\n");
  EXPECT_DOUBLE_EQ(read_cgroup_limits(root.path()).cpu_quota, 1.5);
}

TEST(CgroupV2, CpusetAndPidsAreRead) {
  FakeRoot root;
  root.write("/proc/self/mountinfo", kMountV2)
      .write("/proc/self/cgroup", "0::/a/b\n")
      .write("/sys/fs/cgroup/a/cpuset.cpus.effective", "0-3\n")
      .write("/sys/fs/cgroup/a/pids.max", "100\n")
      .write("/sys/fs/cgroup/a/pids.current", "7\n")
      .write("/sys/fs/cgroup/a/b/pids.max", "max\n");
  const CgroupLimits limits = read_cgroup_limits(root.path());
  ASSERT_TRUE(limits.has_cpuset);
  EXPECT_EQ(limits.cpus.count(), 4);
  EXPECT_EQ(limits.pids_max, 100);
  EXPECT_EQ(limits.pids_used, 7);
  EXPECT_EQ(limits.cpu_quota, 0);
}

TEST(CgroupV2, AContainersNamespaceShowsOnlyTheMount) {
  FakeRoot root;
  root.write("/proc/self/mountinfo", kMountV2)
      .write("/proc/self/cgroup", "0::/../../elsewhere\n")
      .write("/sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_DOUBLE_EQ(read_cgroup_limits(root.path()).cpu_quota, 0.5);
}

TEST(CgroupV1, ControllersHaveTheirOwnMounts) {
  FakeRoot root;
  root.write("/proc/self/mountinfo",
             "31 2 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
             "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
             "34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n")
      .write("/proc/self/cgroup", "3:cpuset:/\n2:cpu,cpuacct:/docker/abc\n0::/\n")
      .write("/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "250000\n")
      .write("/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us", "100000\n")
      .write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n")
      .write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n")
      .write("/sys/fs/cgroup/cpuset/cpuset.effective_cpus", "2,3\n");
  const CgroupLimits limits = read_cgroup_limits(root.path());
  EXPECT_DOUBLE_EQ(limits.cpu_quota, 2.5);
  ASSERT_TRUE(limits.has_cpuset);
  EXPECT_TRUE(limits.cpus.has(2));
  EXPECT_FALSE(limits.cpus.has(1));
}

TEST(CgroupV1, AMountOfAPartOfTheTreeIsUnderstood) {
  FakeRoot root;
  root.write("/proc/self/mountinfo",
             "32 31 0:29 /docker/abc /sys/fs/cgroup/my\\040cpu rw - cgroup cgroup rw,cpu\n")
      .write("/proc/self/cgroup", "2:cpu:/docker/abc/sub\n")
      .write("/sys/fs/cgroup/my cpu/sub/cpu.cfs_quota_us", "100000\n")
      .write("/sys/fs/cgroup/my cpu/sub/cpu.cfs_period_us", "100000\n");
  EXPECT_DOUBLE_EQ(read_cgroup_limits(root.path()).cpu_quota, 1.0);
}

// This machine's own hierarchies, beside a mountinfo that knows none of them.
TEST(Cgroup, MountsThatAreWhereTheyUsuallyAreNeedNoMountinfo) {
  const CgroupLimits here = read_cgroup_limits();
  if (!here.has_cpuset && here.pids_max < 0) GTEST_SKIP() << "nothing is limited here";
  FakeRoot root;
  std::vector<char> cgroups;
  ASSERT_EQ(read_all("/proc/self/cgroup", cgroups), 0);
  root.write("/proc/self/mountinfo", "")
      .write("/proc/self/cgroup", {cgroups.data(), cgroups.size()});
  std::filesystem::create_directories(std::string(root.path()) + "/sys/fs");
  std::filesystem::create_symlink("/sys/fs/cgroup", std::string(root.path()) + "/sys/fs/cgroup");
  const CgroupLimits usual = read_cgroup_limits(root.path());
  EXPECT_EQ(usual.has_cpuset, here.has_cpuset);
  EXPECT_EQ(usual.cpus.count(), here.cpus.count());
  EXPECT_EQ(usual.pids_max, here.pids_max);
  EXPECT_EQ(usual.cpu_quota, here.cpu_quota);
}

TEST(Cgroup, NothingReadableLimitsNothing) {
  FakeRoot empty;
  EXPECT_EQ(read_cgroup_limits(empty.path()).cpu_quota, 0);
  FakeRoot rubbish;
  rubbish.write("/proc/self/mountinfo", "a b\n\n- cgroup2\n31 2 0:28 / /x rw - cgroup2 c rw")
      .write("/proc/self/cgroup", "::::\n0::\nrubbish")
      .write("/x/cpu.max", "-5 0 7\n");
  const CgroupLimits limits = read_cgroup_limits(rubbish.path());
  EXPECT_EQ(limits.cpu_quota, 0);
  EXPECT_FALSE(limits.has_cpuset);
}

TEST(Allowance, IsMaskAndCpusetTogether) {
  FakeRoot root;
  root.write("/proc/self/mountinfo", kMountV2)
      .write("/proc/self/cgroup", "0::/\n")
      .write("/sys/fs/cgroup/cpuset.cpus.effective", "2-5\n")
      .write("/proc/self/status", "Cpus_allowed_list:\t0-3\n");
  const Allowance allowance = read_allowance(root.path());
  EXPECT_EQ(allowance.cpus.count(), 2);
  EXPECT_TRUE(allowance.cpus.has(3));
  FakeRoot nothing;
  EXPECT_EQ(read_allowance(nothing.path()).cpus.count(), 1);
}

}  // namespace
}  // namespace xylem::os
