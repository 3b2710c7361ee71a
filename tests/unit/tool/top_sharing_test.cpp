// Who has what, who lends and who borrows: by rows in a table of its own.
#include "tool/top/top_sharing.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "os/clock.hpp"
#include "sched/share/process_table.hpp"

namespace xylem::tool {
namespace {

class Table : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "xylem-sharers-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // A process that needs so many of processors 0 to `cpus` - 1.
  void add(int process, int needs, int cpus) {
    sched::ProcessRow row{process, os::now_ns(), needs, {}};
    for (int cpu = 0; cpu < cpus; ++cpu) row.cpus.add(cpu);
    tables_.push_back(std::make_unique<sched::ProcessTable>());
    ASSERT_EQ(tables_.back()->open((folder_ + "/").c_str(), os::RowFile::Open::make_if_missing), 0);
    ASSERT_EQ(tables_.back()->join(), 0);
    ASSERT_EQ(tables_.back()->tell(row), 0);
  }
  SharingSeen read() const { return read_sharing(folder_ + "/", false); }

  std::string folder_;
  std::vector<std::unique_ptr<sched::ProcessTable>> tables_;
};

TEST_F(Table, ThatIsNotThereIsNobodys) {
  EXPECT_EQ(read().error, -ENOENT);
  EXPECT_TRUE(read().sharers.empty());
  EXPECT_EQ(read_sharing(folder_, true).error, 0);
  EXPECT_EQ(read().error, 0) << "the other made it";
}

TEST_F(Table, ARowThatIsTriedIsGivenBack) {
  for (int turn = 0; turn < 2 * sched::most_rows; ++turn)
    ASSERT_EQ(read_sharing(folder_, true).error, 0);
  EXPECT_TRUE(read().sharers.empty());
}

TEST_F(Table, EqualOnesLendNothing) {
  add(11, 4, 4);
  add(12, 4, 4);
  const SharingSeen seen = read();
  ASSERT_EQ(seen.sharers.size(), 2u);
  for (const Sharer& it : seen.sharers) {
    EXPECT_EQ(it.has.count(), 2);
    EXPECT_TRUE(trade_of(seen, it).lends.empty());
    EXPECT_TRUE(trade_of(seen, it).borrows.empty());
  }
}

TEST_F(Table, WhatOneLendsAnotherBorrows) {
  add(11, 1, 4);
  add(12, 4, 4);
  const SharingSeen seen = read();
  ASSERT_EQ(seen.sharers.size(), 2u);
  const Trade modest = trade_of(seen, seen.sharers[0]), eager = trade_of(seen, seen.sharers[1]);
  ASSERT_EQ(modest.lends.size(), 1u);
  EXPECT_TRUE(modest.borrows.empty());
  EXPECT_EQ(modest.lends[0].process, 12);
  ASSERT_EQ(eager.borrows.size(), 1u);
  EXPECT_TRUE(eager.lends.empty());
  EXPECT_EQ(eager.borrows[0].process, 11);
  EXPECT_EQ(eager.borrows[0].cpu, modest.lends[0].cpu);
}

Measure watching(int process, const SharingSeen& seen) {
  Measure measure;
  measure.process = process;
  measure.sharing = seen;
  measure.last.pus.resize(4);
  for (int pu = 0; pu < 4; ++pu) measure.last.pus[static_cast<size_t>(pu)].os_index = pu;
  return measure;
}

TEST_F(Table, APuIsLentToWhoHasIt) {
  add(11, 4, 4);
  add(12, 4, 4);
  const SharingSeen seen = read();
  for (const auto& [self, other] : {std::pair{0, 12}, std::pair{1, 11}}) {
    const Sharer& sharer = seen.sharers[static_cast<size_t>(self)];
    const Measure measure = watching(sharer.process, seen);
    int own = 0;
    for (int pu = 1; pu < 4; ++pu) {
      const bool has = sharer.has.has(pu);
      own += has;
      // One's own is lent where PU 0, in whose slot a thread of the program is, is another's.
      EXPECT_EQ(borrower_of(measure, pu), has && sharer.has.has(0) ? 0 : other) << pu;
    }
    EXPECT_GT(own, 0);
  }
  EXPECT_EQ(borrower_of(watching(13, seen), 1), 0);
}

TEST_F(Table, IsShownToWhoTakesPart) {
  add(11, 1, 4);
  EXPECT_TRUE(sharing_lines(watching(11, read())).empty()) << "nobody else is there";
  add(12, 4, 4);
  EXPECT_TRUE(sharing_lines(watching(13, read())).empty());
  std::string text;
  for (const std::string& line : sharing_lines(watching(12, read()))) text += line + "\n";
  EXPECT_NE(text.find("*       12        4 "), std::string::npos) << text;
  EXPECT_NE(text.find("        11        1 "), std::string::npos) << text;
  EXPECT_NE(text.find(" to 12"), std::string::npos) << text;
  EXPECT_NE(text.find(" from 11"), std::string::npos) << text;
}

}  // namespace
}  // namespace xylem::tool
