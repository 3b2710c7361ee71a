// The table of processes: rows as bytes, whatever the bytes are, and who counts.
#include "sched/share/process_table.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace xylem::sched {
namespace {

constexpr auto make = os::RowFile::Open::make_if_missing;
constexpr int64_t now = 50 * row_lives_ns;

ProcessRow some_row(int process = 7) {
  ProcessRow row{process, now, 3, {}};
  for (const int cpu : {0, 1, 63, 64, 1023}) row.cpus.add(cpu);
  return row;
}

int64_t clock_now = now;
ProcessTable* tells_at_each_poll = nullptr;  // at the clock

int64_t read_clock() {
  const int64_t seen = clock_now;
  if (tells_at_each_poll != nullptr) tells_at_each_poll->tell({11, ++clock_now, 3, {}});
  return seen;
}

TEST(ProcessRows, AreReadAsTheyWereWritten) {
  const ProcessRow row = some_row();
  EXPECT_EQ(read_row(write_row(row)), row);
  EXPECT_EQ(row.cpus.count(), 5);
}

TEST(ProcessRows, OneBitThatDiffersIsSeen) {
  const RowBytes whole = write_row(some_row());
  for (size_t bit = 0; bit < 8 * row_bytes; ++bit) {
    RowBytes bytes = whole;
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_FALSE(read_row(bytes)) << "bit " << bit;
  }
}

TEST(ProcessRows, TwoRowsMixedAreNone) {
  const RowBytes one = write_row(some_row(7)), other = write_row({8, now + 5, 1, {}});
  for (size_t cut = 8; cut < row_bytes; cut += 8) {
    RowBytes mixed = one;
    std::copy(other.begin() + static_cast<ptrdiff_t>(cut), other.end(),
              mixed.begin() + static_cast<ptrdiff_t>(cut));
    if (mixed == one || mixed == other) continue;
    EXPECT_FALSE(read_row(mixed)) << "after " << cut << " bytes";
  }
}

TEST(ProcessRows, WhatCannotBeIsNone) {
  EXPECT_FALSE(read_row(RowBytes{}));
  EXPECT_FALSE(read_row(write_row({0, now, 1, {}})));
  EXPECT_FALSE(read_row(write_row({-1, now, 1, {}})));
  EXPECT_FALSE(read_row(write_row({7, now, CpuMask::most + 1, {}})));
  EXPECT_FALSE(read_row(write_row({7, now, -1, {}})));
}

class Table : public testing::Test {
 protected:
  Table() {
    clock_now = now;
    char name[] = "/tmp/process_table_test.XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~Table() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::unique_ptr<ProcessTable> joined(const ProcessRow& row) const {
    auto table = std::make_unique<ProcessTable>(read_clock);
    EXPECT_EQ(table->open(folder_.c_str(), make), 0);
    EXPECT_EQ(table->join(), 0);
    EXPECT_EQ(table->tell(row), 0);
    return table;
  }
  static std::vector<int> seen_by(ProcessTable& table, int64_t at = now) {
    clock_now = at;
    std::vector<Sharer> found(most_rows);
    found.resize(static_cast<size_t>(table.read(found)));
    std::vector<int> out;
    for (const Sharer& sharer : found) out.push_back(sharer.row.process);
    return out;
  }
  std::string file() const {
    os::PathBuffer name;
    EXPECT_TRUE(os::name_in_session(table_kind, name));
    return folder_ + "/xylem/" + name.c_str();
  }

  std::string folder_;
};

using Seen = std::vector<int>;

TEST_F(Table, OthersAreSeenInTheOrderOfTheirRows) {
  const auto one = joined(some_row(11)), two = joined(some_row(22)), three = joined(some_row(33));
  EXPECT_EQ(seen_by(*two), (Seen{11, 33}));
  two->close();
  EXPECT_EQ(seen_by(*one), (Seen{33}));
  const auto four = joined(some_row(44));
  EXPECT_EQ(four->own_index(), 1);
  EXPECT_EQ(seen_by(*one), (Seen{44, 33}));
}

TEST_F(Table, WhoOnlyLooksHasNoRow) {
  ProcessTable looker(read_clock);
  EXPECT_EQ(looker.open(folder_.c_str(), os::RowFile::Open::only_if_there), -ENOENT);
  const auto one = joined(some_row(11));
  ASSERT_EQ(looker.open(folder_.c_str(), os::RowFile::Open::only_if_there), 0);
  EXPECT_EQ(seen_by(looker), (Seen{11}));
}

TEST_F(Table, WhoRestsOrIsStoppedCountsNoMore) {
  const auto one = joined(some_row(11));
  ProcessRow rests = some_row(22);
  rests.needs = 0;
  const auto two = joined(rests);
  EXPECT_EQ(seen_by(*one), (Seen{}));
  EXPECT_EQ(seen_by(*two, now + row_lives_ns - 1), (Seen{11}));
  EXPECT_EQ(seen_by(*two, now + row_lives_ns), (Seen{}));
  EXPECT_EQ(seen_by(*two, now - 1), (Seen{})) << "it speaks of the future";
}

TEST_F(Table, WhoTellsWhileTheRowsAreReadIsSeen) {
  const auto one = joined(some_row(11)), two = joined(some_row(22));
  tells_at_each_poll = one.get();
  const std::vector<int> seen = seen_by(*two);
  tells_at_each_poll = nullptr;
  EXPECT_EQ(clock_now, now + 1);
  EXPECT_EQ(seen, (Seen{11}));
}

TEST_F(Table, IsFullAtSomeTime) {
  std::vector<std::unique_ptr<ProcessTable>> all;
  for (int i = 0; i < most_rows; ++i) all.push_back(joined(some_row(i + 1)));
  ProcessTable late(read_clock);
  ASSERT_EQ(late.open(folder_.c_str(), make), 0);
  EXPECT_EQ(late.join(), -EAGAIN);
  EXPECT_EQ(seen_by(late).size(), static_cast<size_t>(most_rows));
  all[5]->close();
  EXPECT_EQ(late.join(), 0);
  EXPECT_EQ(late.own_index(), 5);
}

TEST_F(Table, AKilledProcessCountsNoMore) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto one = joined(some_row(11));
  const pid_t child = fork();
  if (child == 0) {
    const auto its = joined(some_row(22));
    if (write(ends[1], "x", 1) != 1) _exit(1);
    for (;;) pause();
  }
  char done = 0;
  ASSERT_EQ(read(ends[0], &done, 1), 1);
  EXPECT_EQ(seen_by(*one), (Seen{22}));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(seen_by(*one), (Seen{}));
  EXPECT_EQ(joined(some_row(33))->own_index(), 1) << "its row is not used again";
  ::close(ends[0]);
  ::close(ends[1]);
}

// A file that somebody has left or spoiled: nothing in it counts, and what is written counts again.
TEST_F(Table, WhateverTheFileHolds) {
  const auto one = joined(some_row(11)), two = joined(some_row(22));
  std::mt19937 random(4);
  for (int round = 0; round < 500; ++round) {
    std::string bytes(random() % (3 * most_rows * row_bytes / 2), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    if (round % 2 == 0 && bytes.size() > 2 * row_bytes) {  // a row as it should be, of nobody
      const RowBytes row = write_row(some_row(99));
      std::memcpy(bytes.data() + 2 * row_bytes, row.data(), row.size());
    }
    std::ofstream(file(), std::ios::binary | std::ios::trunc) << bytes;
    ASSERT_EQ(seen_by(*one), (Seen{}));
    ASSERT_EQ(two->tell(some_row(22)), 0);
    ASSERT_EQ(seen_by(*one), (Seen{22}));
  }
}

TEST_F(Table, IsLostWithItsFile) {
  const auto one = joined(some_row(11));
  EXPECT_TRUE(one->is_whole());
  ASSERT_EQ(unlink(file().c_str()), 0);
  EXPECT_FALSE(one->is_whole());
}

// Reports nothing where the kernel gives no space of mounts.
TEST_F(Table, TwoContainersDoNotSeeEachOther) {
  const auto one = joined(some_row(11));
  const pid_t child = fork();
  if (child == 0) {
    if (unshare(CLONE_NEWNS) != 0) _exit(77);
    ProcessTable its(read_clock);
    if (its.open(folder_.c_str(), make) != 0 || its.join() != 0 || its.own_index() != 0) _exit(1);
    _exit(seen_by(its).empty() && its.tell(some_row(22)) == 0 ? 0 : 2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "unshare is not permitted";
  EXPECT_EQ(status, 0);
  EXPECT_EQ(seen_by(*one), (Seen{}));
}

}  // namespace
}  // namespace xylem::sched
