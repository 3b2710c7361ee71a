// Processor sets, their text form and the affinity mask.
#include "os/cpus.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <string>

#include "fake_root.hpp"

namespace xylem::os {
namespace {

std::string text_of(const CpuSet& cpus, std::size_t room = 256) {
  std::string buffer(room, '?');
  format_cpu_list(cpus, buffer.data(), room);
  return buffer.c_str();
}

TEST(CpuSet, ListsReadAndWriteAlike) {
  for (const char* list : {"", "0", "0-3", "0-3,8,10-12", "63-64,127-128", "1048575"}) {
    CpuSet cpus;
    EXPECT_TRUE(parse_cpu_list(list, cpus)) << list;
    EXPECT_EQ(text_of(cpus), list);
  }
}

TEST(CpuSet, StridesAreUnderstood) {
  CpuSet cpus;
  EXPECT_TRUE(parse_cpu_list("0-7:2/4\n", cpus));
  EXPECT_EQ(text_of(cpus), "0-1,4-5");
}

TEST(CpuSet, BadListsAreRefused) {
  for (const char* bad : {"a", "3-1", "-1", "1-", "0-99999999", "0-3:0/2", "1;2", "0-3:3/2"}) {
    CpuSet cpus;
    EXPECT_FALSE(parse_cpu_list(bad, cpus)) << bad;
  }
}

TEST(CpuSet, LongListsAreCut) {
  CpuSet cpus;
  for (int cpu = 0; cpu < 1000; cpu += 2) cpus.add(cpu);
  const std::string text = text_of(cpus, 64);
  EXPECT_LT(text.size(), 64U);
  EXPECT_EQ(text.substr(text.size() - 3), "...");
}

TEST(CpuSet, EqualWhateverTheirSize) {
  CpuSet small;
  CpuSet large;
  small.add(3);
  large.add_range(3, 700);
  EXPECT_FALSE(small == large);
  large.intersect(small);
  EXPECT_TRUE(small == large);
  EXPECT_EQ(large.count(), 1);
  EXPECT_EQ(large.next(3), -1);
}

TEST(Affinity, IsTheKernelsMask) {
  cpu_set_t mask;
  ASSERT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
  CpuSet cpus;
  ASSERT_EQ(affinity_cpus(cpus), 0);
  EXPECT_EQ(cpus.count(), CPU_COUNT(&mask));
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) EXPECT_EQ(cpus.has(cpu), CPU_ISSET(cpu, &mask) != 0);
}

TEST(Affinity, IsReadFromStatusBelowARoot) {
  FakeRoot root;
  root.write("/proc/self/status", "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,900\n");
  CpuSet cpus;
  ASSERT_EQ(affinity_cpus(cpus, root.path()), 0);
  EXPECT_EQ(text_of(cpus), "0-3,900");
  FakeRoot nothing;
  EXPECT_LT(affinity_cpus(cpus, nothing.path()), 0);
}

TEST(Affinity, EveryUsableProcessorHasABitInTheMask) {
  CpuSet mine;
  ASSERT_EQ(affinity_cpus(mine), 0);
  const int bits = affinity_mask_bits();
  EXPECT_EQ(bits % 64, 0);
  for (int cpu = mine.next(-1); cpu >= 0; cpu = mine.next(cpu)) EXPECT_LT(cpu, bits);
}

}  // namespace
}  // namespace xylem::os
