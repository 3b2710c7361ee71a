// What launchers' variables say, and ranks found among processes of a made-up /proc.
#include "tool/doctor/ranks.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace xylem::tool {
namespace {

RankVariables read(const Environment& environment) {
  const std::optional<RankVariables> rank = read_rank_variables(environment);
  EXPECT_TRUE(rank.has_value());
  return rank.value_or(RankVariables{});
}

const Environment open_mpi4 = {{"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                               {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                               {"OMPI_MCA_orte_num_nodes", "1"},
                               {"PMIX_RANK", "5"}};
const Environment slurm = {{"SLURM_STEP_ID", "0"},
                           {"SLURM_LOCALID", "2"},
                           {"SLURM_NODEID", "2"},
                           {"SLURM_STEP_TASKS_PER_NODE", "4(x2),3"}};

TEST(RankVariables, OfEachLauncher) {
  RankVariables rank = read(open_mpi4);
  EXPECT_EQ(rank.launcher, Launcher::open_mpi4);
  EXPECT_EQ(rank.number, 1);
  EXPECT_EQ(rank.local_ranks, 4);
  rank = read({{"OMPI_COMM_WORLD_LOCAL_RANK", "0"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
  EXPECT_EQ(rank.launcher, Launcher::open_mpi5);
  rank = read({{"MPI_LOCALRANKID", "3"}, {"MPI_LOCALNRANKS", "8"}, {"PMI_RANK", "11"}});
  EXPECT_EQ(rank.launcher, Launcher::mpich);
  EXPECT_EQ(rank.number, 3);
  EXPECT_EQ(rank.local_ranks, 8);
  rank = read(slurm);
  EXPECT_EQ(rank.launcher, Launcher::slurm);
  EXPECT_EQ(rank.number, 2);
  EXPECT_EQ(rank.local_ranks, 3);
  rank = read({{"PMIX_RANK", "6"}});
  EXPECT_EQ(rank.launcher, Launcher::prrte);
  EXPECT_EQ(rank.number, 6);
  EXPECT_EQ(rank.local_ranks, 0);
}

TEST(RankVariables, TheInnermostLauncherCounts) {
  Environment both = slurm;
  both.insert(open_mpi4.begin(), open_mpi4.end());
  EXPECT_EQ(read(both).launcher, Launcher::open_mpi4);
  both = slurm;
  both["PMIX_RANK"] = "0";  // srun --mpi=pmix
  EXPECT_EQ(read(both).launcher, Launcher::slurm);
}

TEST(RankVariables, ABatchScriptIsNoRank) {
  EXPECT_FALSE(read_rank_variables({{"SLURM_JOB_ID", "7"}, {"SLURM_LOCALID", "0"}}));
  EXPECT_FALSE(read_rank_variables({{"OMP_NUM_THREADS", "4"}}));
}

TEST(RankVariables, TextThatIsNoListIsNoNumber) {
  Environment odd = slurm;
  for (const char* text : {"", "x", "4(", "4(x", "4(xx)", "4(2)", "4(x2),", "-"}) {
    odd["SLURM_STEP_TASKS_PER_NODE"] = text;
    EXPECT_EQ(read(odd).local_ranks, 0) << text;
  }
}

class Jobs : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "xylem-ranks-" + std::to_string(getpid());
    std::filesystem::create_directories(root_ + "/proc");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(int process, const char* name, const std::string& text) {
    const std::string folder = root_ + "/proc/" + std::to_string(process);
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/" + name, std::ios::binary) << text;
  }
  void add(int process, int parent, const std::string& cpus, const Environment& environment,
           const char* state = "S (sleeping)") {
    std::string variables;
    for (const auto& [name, text] : environment) variables += name + "=" + text + '\0';
    write(process, "environ", variables);
    write(process, "status",
          fmt::format("Name:\tapp\nState:\t{}\nPPid:\t{}\nCpus_allowed_list:\t{}\n", state, parent,
                      cpus));
  }
  static Environment rank(int number, const std::string& threads = "") {
    Environment environment = open_mpi4;
    environment["OMPI_COMM_WORLD_LOCAL_RANK"] = std::to_string(number);
    if (!threads.empty()) environment["OMP_NUM_THREADS"] = threads;
    return environment;
  }

  std::string root_;
};

TEST_F(Jobs, RanksOfOneLauncherAreAJob) {
  add(10, 1, "0-3", {});
  add(11, 10, "0", rank(0));
  add(12, 10, "1", rank(1));
  add(21, 20, "0-3", rank(0));
  const std::vector<Job> jobs = read_jobs(root_);
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].parent, 10);
  EXPECT_EQ(jobs[0].local_ranks, 4) << "as told, though two are seen";
  ASSERT_EQ(jobs[0].ranks.size(), 2u);
  EXPECT_EQ(jobs[0].ranks[1].process, 12);
  EXPECT_TRUE(jobs[0].ranks[1].cpus.has(1));
  EXPECT_EQ(jobs[1].parent, 20);
}

TEST_F(Jobs, ARankThatIsAScriptIsOneRank) {
  add(11, 10, "0-3", rank(0));
  add(12, 11, "2", rank(0));
  add(13, 10, "0-3", rank(1));
  add(9, 13, "3", rank(1, "2"));  // numbers of processes begin anew
  add(14, 10, "0-3", rank(2), "Z (zombie)");
  const std::vector<Job> jobs = read_jobs(root_);
  ASSERT_EQ(jobs.size(), 1u);
  ASSERT_EQ(jobs[0].ranks.size(), 2u);
  EXPECT_EQ(jobs[0].ranks[0].process, 12);
  EXPECT_EQ(jobs[0].ranks[1].process, 9);
}

TEST_F(Jobs, ThreadsAreAskedForOrOneAProcessor) {
  add(11, 10, "0-3", rank(0));
  add(12, 10, "0-3", rank(1, "3,2"));
  add(13, 10, "0-2", rank(2));
  write(13, "maps",
        "7f00-7f01 r-xp 0 0:0 1    /usr/lib/libc.so.6\n7f02-7f03 r-xp 0 0:0 1    "
        "/usr/lib/x86_64-linux-gnu/libgomp.so.1.0.0\n");
  const std::vector<Job> jobs = read_jobs(root_);
  ASSERT_EQ(jobs.size(), 1u);
  ASSERT_EQ(jobs[0].ranks.size(), 3u);
  EXPECT_EQ(jobs[0].ranks[0].threads, 1);
  EXPECT_EQ(jobs[0].ranks[1].threads, 3);
  EXPECT_EQ(jobs[0].ranks[2].threads, 3);
}

TEST_F(Jobs, TheCommandItselfIsARank) {
  add(11, 10, "0", rank(0));
  add(12, 10, "1", rank(1));
  os::CpuSet own;
  own.add(1);
  std::vector<Job> jobs = read_jobs_with(root_, rank(1), {12, 0, own, 7});
  ASSERT_EQ(jobs.size(), 1u);
  ASSERT_EQ(jobs[0].ranks.size(), 2u);
  EXPECT_EQ(jobs[0].ranks[1].threads, 7);
  jobs = read_jobs_with(root_, rank(2), {99, 0, own, 7});
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs[0].ranks.size(), 3u);
  EXPECT_EQ(read_jobs_with(root_ + "/none", {}, {99, 0, own, 7}).size(), 0u);
}

TEST_F(Jobs, ParentsInARingEnd) {
  add(11, 12, "0", rank(0));
  add(12, 11, "0", rank(0));
  EXPECT_FALSE(read_jobs(root_).empty());
}

}  // namespace
}  // namespace xylem::tool
