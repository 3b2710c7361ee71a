// What doctor says of ranks and of processes that share the machine, on facts made up for it.
#include <gtest/gtest.h>

#include <cerrno>

#include "../synthetic_machine.hpp"
#include "tool/doctor/findings.hpp"

namespace xylem::tool {
namespace {

os::CpuSet list(const char* text) {
  os::CpuSet cpus;
  EXPECT_TRUE(os::parse_cpu_list(text, cpus)) << text;
  return cpus;
}

// Sixteen processors.
Facts quiet() {
  Facts facts;
  facts.online = list("0-15");
  facts.allowance.cpus = facts.online;
  facts.usable = 16;
  return facts;
}

// Ranks with these masks, so many threads each.
Job job(const std::vector<const char*>& masks, int threads, Launcher launcher = Launcher::slurm) {
  Job made{launcher, 77, static_cast<int>(masks.size()), {}};
  for (const char* mask : masks) {
    const auto number = static_cast<int>(made.ranks.size());
    made.ranks.push_back({100 + number, number, list(mask), threads});
  }
  return made;
}

// The finding of those ranks alone; its id is "" if there is none.
Finding found(const Job& job, const topo::Machine* machine = nullptr) {
  Facts facts = quiet();
  facts.jobs = {job};
  facts.machine = machine;
  std::vector<Finding> findings;
  check_ranks(facts, findings);
  EXPECT_LE(findings.size(), 1u);
  return findings.empty() ? Finding{} : findings[0];
}

TEST(RankFindings, EveryRankOnCoreZero) {
  const Finding finding = found(job({"0", "0", "0", "0"}, 1));
  EXPECT_EQ(finding.id, "ranks-on-one-core");
  EXPECT_TRUE(finding.hurts);
  EXPECT_NE(finding.what.find("The 4 ranks that Slurm started here (process 77) may run on "
                              "processor 0 alone, of 16"),
            std::string::npos)
      << finding.what;
  EXPECT_NE(finding.advice.find("srun --cpus-per-task=4 --cpu-bind=cores"), std::string::npos);
}

TEST(RankFindings, SomeRanksOnFewCores) {
  EXPECT_EQ(found(job({"0-1", "0-1", "0-1", "2-15"}, 1)).id, "ranks-on-one-core");
  EXPECT_EQ(found(job({"0", "1", "0-1", "2-15"}, 1)).id, "ranks-on-one-core");
}

TEST(RankFindings, CoresOfTheirOwnAreFine) {
  EXPECT_EQ(found(job({"0", "1", "2", "3"}, 1)).id, "");
  EXPECT_EQ(found(job({"0-3", "4-7", "8-11", "12-15"}, 4)).id, "");
  EXPECT_EQ(found(job({"0-15", "0-15"}, 8)).id, "");
  EXPECT_EQ(found(job({"0"}, 1)).id, "") << "one rank";
}

TEST(RankFindings, RanksTimesThreads) {
  Finding finding = found(job({"0-15", "0-15", "0-15", "0-15"}, 16));
  EXPECT_EQ(finding.id, "ranks-times-threads");
  EXPECT_TRUE(finding.hurts);
  EXPECT_NE(finding.what.find("have 64 threads together, but 16 processors (0-15)"),
            std::string::npos)
      << finding.what;
  EXPECT_NE(finding.advice.find("OMP_NUM_THREADS=4"), std::string::npos) << finding.advice;
  finding = found(job({"0-7", "0-7", "8-15"}, 5));
  EXPECT_EQ(finding.id, "ranks-times-threads") << "two in one half";
  EXPECT_NE(finding.what.find("Of those 2 ranks"), std::string::npos) << finding.what;
}

TEST(RankFindings, MoreRanksThanProcessorsAreTooManyThreads) {
  Job made = job({"0-15"}, 1);
  made.local_ranks = 17;
  EXPECT_EQ(found(made).id, "ranks-times-threads") << "told by the launcher";
  made.local_ranks = 16;
  EXPECT_EQ(found(made).id, "");
}

TEST(RankFindings, OneRankASocketWithoutAMask) {
  const auto machine = test::draw("pack:2 [numa] core:8 pu:1");
  ASSERT_NE(machine, nullptr);
  const Finding finding = found(job({"0-15", "0-15"}, 8, Launcher::open_mpi4), machine.get());
  EXPECT_EQ(finding.id, "ranks-without-mask");
  EXPECT_NE(finding.advice.find("ppr:1:socket --bind-to socket"), std::string::npos);
  EXPECT_EQ(found(job({"0-7", "8-15"}, 8), machine.get()).id, "");
  EXPECT_EQ(found(job({"0-15", "0-15"}, 1), machine.get()).id, "") << "the kernel keeps one";
  EXPECT_EQ(found(job({"0-15", "0-15", "0-15"}, 2), machine.get()).id, "") << "three ranks";
  const auto nodes = test::draw("numa:2 core:8 pu:1");
  ASSERT_NE(nodes, nullptr);
  EXPECT_EQ(found(job({"0-15", "0-15"}, 8), nodes.get()).id, "ranks-without-mask");
}

TEST(RankFindings, EachLauncherHasItsOptions) {
  for (const auto& [launcher, option] :
       {std::pair{Launcher::open_mpi4, "--map-by slot:PE=8 --bind-to core"},
        std::pair{Launcher::open_mpi5, "--map-by slot:PE=8 --bind-to core"},
        std::pair{Launcher::mpich, "mpiexec -bind-to core:8"},
        std::pair{Launcher::slurm, "srun --cpus-per-task=8"},
        std::pair{Launcher::prrte, "prun --map-by slot:PE=8"}}) {
    const Finding finding = found(job({"3", "3"}, 1, launcher));
    EXPECT_NE(finding.advice.find(option), std::string::npos) << finding.advice;
  }
}

// The first finding about sharing.
Finding shared(const Facts& facts) {
  std::vector<Finding> findings;
  check_sharing(facts, findings);
  return findings.empty() ? Finding{} : findings[0];
}

TEST(SharingFindings, WhatKeepsProcessesFromSharing) {
  Facts facts = quiet();
  EXPECT_EQ(shared(facts).id, "") << "not looked at";
  facts.sharing = SharingSeen{"/run/user/7/xylem", 0, {}};
  EXPECT_EQ(shared(facts).id, "");
  for (const int error : {EPERM, EPROTO, EAGAIN, ENOSPC, ENOENT, EACCES}) {
    facts.sharing->error = -error;
    const Finding finding = shared(facts);
    EXPECT_EQ(finding.id, "sharing-fails") << error;
    EXPECT_FALSE(finding.hurts) << "nobody is there to share with";
    EXPECT_FALSE(finding.advice.empty());
    EXPECT_NE(finding.what.find("/run/user/7/xylem"), std::string::npos) << finding.what;
  }
  facts.jobs = {job({"0-7", "8-15"}, 1)};
  EXPECT_TRUE(shared(facts).hurts);
  facts.sharing->error = 0;
  facts.keep_processors = {"OMP_PROC_BIND=close"};
  EXPECT_EQ(shared(facts).id, "sharing-kept");
  EXPECT_TRUE(shared(facts).hurts);
  EXPECT_NE(shared(facts).what.find("OMP_PROC_BIND=close"), std::string::npos);
  facts.shares = false;
  EXPECT_EQ(shared(facts).id, "sharing-off");
  EXPECT_TRUE(shared(facts).hurts);
  facts.jobs.clear();
  EXPECT_FALSE(shared(facts).hurts);
  facts.sharing->sharers.push_back({5, "./other", 4, list("0-15"), list("0-3"), list("0-7")});
  EXPECT_TRUE(shared(facts).hurts);
}

TEST(SharingFindings, WhoSharesTheMachine) {
  Facts facts = quiet();
  facts.sharing = SharingSeen{"/tmp/x", 0, {}};
  for (int process = 1; process <= 10; ++process)
    facts.sharing->sharers.push_back(
        {process, "./other", 4, list("0-15"), list("0-3"), list("0-7")});
  std::vector<Finding> findings;
  check_sharing(facts, findings);
  ASSERT_EQ(findings.size(), 9u);
  EXPECT_EQ(findings[0].what,
            "Process 1 (./other) shares this machine: it has work for 4 of processors 0-15, and "
            "has 4 of them now (0-3).");
  EXPECT_EQ(findings[8].what, "And 2 more share it.");
  for (const Finding& finding : findings) EXPECT_FALSE(finding.hurts);
}

}  // namespace
}  // namespace xylem::tool
