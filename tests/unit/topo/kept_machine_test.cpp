// A kept machine is the machine that was read, or none: whatever the file holds.
#include "topo/kept_machine.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <hwloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "os/cgroup.hpp"
#include "os/fake_root.hpp"

namespace xylem::topo {
namespace {

constexpr unsigned any_version = 7;

std::unique_ptr<Machine> draw(const char* description) {
  const base::Result<Machine*> made = load_machine(description, true);
  EXPECT_TRUE(made.ok()) << description;
  return std::unique_ptr<Machine>(made.ok() ? made.value() : nullptr);
}

os::CpuSet first_cpus(int count) {
  os::CpuSet cpus;
  cpus.add_range(0, count - 1);
  return cpus;
}

std::string content(const char* path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const char* path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

// A cache folder of the test's own.
class KeptMachineTest : public testing::Test {
 protected:
  KeptMachine kept(int cpus = 2) const { return {folder_, first_cpus(cpus), any_version}; }

  os::FakeRoot root_;
  const char* folder_ = root_.path().c_str();
};

TEST_F(KeptMachineTest, MachinesOfAllShapesAreReadAsWritten) {
  for (const char* shape :
       {"pu:1", "core:2 pu:1", "pack:2 [numa] core:2 pu:1", "[numa] pack:2 pu:4",
        "pack:4 [numa] l3:2 core:8 pu:2", "pack:2 group:2 [numa] core:32 pu:2"}) {
    const auto drawn = draw(shape);
    const Words words = MachineFile::words_of(*drawn);
    const auto read = MachineFile::machine_of(words);
    ASSERT_NE(read, nullptr) << shape;
    EXPECT_EQ(read->check(), nullptr) << shape;
    EXPECT_EQ(MachineFile::words_of(*read), words) << shape;
    EXPECT_EQ(read->pu_count(), drawn->pu_count());
    EXPECT_EQ(read->node_count(), drawn->node_count());
  }
}

TEST_F(KeptMachineTest, DistancesAndBytesAreKept) {
  const auto drawn = draw(XYLEM_SOURCE_DIR "/tests/unit/topo/data/four-nodes.xml");
  const auto read = MachineFile::machine_of(MachineFile::words_of(*drawn));
  ASSERT_NE(read, nullptr);
  ASSERT_TRUE(drawn->has_distances());
  for (int from = 0; from < drawn->node_count(); ++from) {
    EXPECT_EQ(read->node(from).bytes, drawn->node(from).bytes);
    for (int to = 0; to < drawn->node_count(); ++to)
      EXPECT_EQ(read->distance(from, to), drawn->distance(from, to));
  }
}

TEST_F(KeptMachineTest, NothingIsThereBeforeItWasWritten) {
  EXPECT_EQ(kept().read(), nullptr);
  kept().write(*draw("core:2 pu:1"));
  const std::unique_ptr<Machine> read(kept().read());
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->pu_count(), 2);
}

TEST_F(KeptMachineTest, AnotherKeyFindsNothing) {
  kept().write(*draw("core:2 pu:1"));
  EXPECT_EQ(kept(1).read(), nullptr);
  EXPECT_EQ(KeptMachine(folder_, first_cpus(2), any_version + 1).read(), nullptr);
  // A file under the name of another key, as two keys of one hash would have it.
  write(kept(1).path().c_str(), content(kept().path().c_str()));
  EXPECT_EQ(kept(1).read(), nullptr);
}

TEST_F(KeptMachineTest, WhereNoFolderIsNothingIsKept) {
  const KeptMachine nowhere("", first_cpus(2), any_version);
  nowhere.write(*draw("core:2 pu:1"));
  EXPECT_EQ(nowhere.read(), nullptr);
  const KeptMachine refused("/dev/null/no", first_cpus(2), any_version);
  refused.write(*draw("core:2 pu:1"));
  EXPECT_EQ(refused.read(), nullptr);
}

TEST_F(KeptMachineTest, ADamagedFileIsNoFile) {
  kept().write(*draw("pack:2 [numa] core:2 pu:1"));
  const os::PathBuffer path = kept().path();
  const std::string whole = content(path.c_str());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write(path.c_str(), whole.substr(0, size));
    EXPECT_EQ(kept().read(), nullptr) << size;
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    write(path.c_str(), damaged);
    EXPECT_EQ(kept().read(), nullptr) << at;
  }
  kept().write(*draw("pack:2 [numa] core:2 pu:1"));
  EXPECT_EQ(content(path.c_str()), whole);
}

// The sum is right, the machine is not.
TEST_F(KeptMachineTest, WordsThatAreNoMachineGiveNone) {
  const Words words = MachineFile::words_of(*draw("pack:2 [numa] core:2 pu:1"));
  EXPECT_EQ(MachineFile::machine_of({}), nullptr);
  for (std::size_t at = 0; at < words.size(); ++at) {
    for (const std::int32_t wrong : {-2, 1 << 20}) {
      Words other = words;
      other[at] = wrong;
      const auto read = MachineFile::machine_of(other);
      EXPECT_TRUE(read == nullptr || read->check() == nullptr) << at;
    }
  }
}

TEST_F(KeptMachineTest, FilesOfLongAgoAreRemoved) {
  kept(1).write(*draw("core:1 pu:1"));
  const os::PathBuffer old = kept(1).path();
  const timespec long_ago[2] = {{1000, 0}, {1000, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, old.c_str(), long_ago, 0), 0);
  const std::string other = std::string(folder_) + "/xylem/costs-1";
  write(other.c_str(), "costs");
  ASSERT_EQ(utimensat(AT_FDCWD, other.c_str(), long_ago, 0), 0);
  kept().write(*draw("core:2 pu:1"));
  EXPECT_EQ(access(old.c_str(), F_OK), -1);
  EXPECT_EQ(access(other.c_str(), F_OK), 0);
  EXPECT_EQ(access(kept().path().c_str(), F_OK), 0);
}

TEST_F(KeptMachineTest, TheKeySaysTheBootThePusAndTheNodes) {
  const Words key = machine_key(first_cpus(2), any_version);
  ASSERT_FALSE(key.empty());
  EXPECT_EQ(machine_key(first_cpus(2), any_version), key);
  EXPECT_NE(machine_key(first_cpus(1), any_version), key);
  EXPECT_TRUE(machine_key(first_cpus(2), any_version, folder_).empty());  // no /proc below
}

TEST_F(KeptMachineTest, WhatTellsHwlocWhatToSeeKeepsNothing) {
  setenv("HWLOC_FSROOT", "/", 1);
  EXPECT_TRUE(machine_key(first_cpus(2), any_version).empty());
  unsetenv("HWLOC_FSROOT");
}

TEST_F(KeptMachineTest, ThisMachineIsReadOnce) {
  const os::CpuSet allowed = os::read_allowance().cpus;
  const auto load = [&] {
    return MachineFile::words_of(
        *std::unique_ptr<Machine>(load_this_machine(allowed, folder_).value()));
  };
  const std::unique_ptr<Machine> by_hwloc(load_machine("", true).value());
  EXPECT_EQ(load(), MachineFile::words_of(*by_hwloc));
  EXPECT_EQ(load(), MachineFile::words_of(*by_hwloc));
  // What the file says is taken.
  const auto other = draw("pack:3 core:5 pu:1");
  KeptMachine(folder_, allowed, hwloc_get_api_version()).write(*other);
  EXPECT_EQ(load(), MachineFile::words_of(*other));
}

}  // namespace
}  // namespace xylem::topo
