// The file of counts: what was written is read again, and what is damaged is no file.
#include "count/table/counts_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "plan/random.hpp"

namespace xylem::count {
namespace {

std::string text_of(const Counts& counts) {
  const std::vector<char> text = counts_text(counts);
  return {text.begin(), text.end()};
}

Counts example() {
  Counts counts(Rows::pages, 4, 4096);
  counts.add(0x7f0000001, 3, 17, 0);
  counts.add(0x7f0000001, 0, 0, 5);
  counts.add(UINT64_MAX, 1, most_accesses, 1);
  counts.add(12, 2, 9, 9);
  return counts;
}

// Whatever the text was: what is read keeps the laws of Counts, and writing it gives a file.
void expect_sound(const Counts& counts) {
  EXPECT_GE(counts.nodes(), 1);
  EXPECT_LE(counts.nodes(), most_nodes);
  for (const Cell& cell : counts.sorted()) {
    EXPECT_GE(cell.node, 0);
    EXPECT_LT(cell.node, counts.nodes());
    EXPECT_GT(cell.accesses(), 0u);
    EXPECT_LE(cell.reads, most_accesses);
    EXPECT_LE(cell.writes, most_accesses);
  }
  const std::string text = text_of(counts);
  const auto again = parse_counts(text);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(text_of(again.value()), text);
}

TEST(CountsFile, SaysWhatItHolds) {
  Counts counts(Rows::threads, 2);
  counts.add(1, 0, 3, 4);
  counts.add(0, 1, 5, 0);
  EXPECT_EQ(
      text_of(counts),
      "xylem counts 1\nrows threads\nnodes 2\npage_bytes 1\ncells 2\n0 1 5 0\n1 0 3 4\nend\n");
}

TEST(CountsFile, GivesBackWhatWasWritten) {
  for (const Counts& counts : {example(), Counts(Rows::threads, 1), Counts(Rows::pages, 1024, 1),
                               Counts(Rows::pages_by_threads, 64, 4096)}) {
    const std::string text = text_of(counts);
    const auto read = parse_counts(text);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read.value().rows(), counts.rows());
    EXPECT_EQ(read.value().nodes(), counts.nodes());
    EXPECT_EQ(read.value().page_bytes(), counts.page_bytes());
    EXPECT_EQ(read.value().sorted(), counts.sorted());
  }
}

TEST(CountsFile, IsWrittenAndReadByName) {
  std::string folder = std::filesystem::temp_directory_path() / "xylem-counts-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/counts";
  EXPECT_EQ(read_counts(path.c_str()).error().code, ENOENT);
  ASSERT_EQ(write_counts(path.c_str(), example()), 0);
  const auto read = read_counts(path.c_str());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().sorted(), example().sorted());
  EXPECT_LT(write_counts((folder + "/").c_str(), example()), 0);
  std::filesystem::remove_all(folder);
}

// Each mistake with its own words.
TEST(CountsFile, SaysWhatIsWrong) {
  const auto message = [](const std::string& text) -> std::string {
    const auto read = parse_counts(text);
    return read.ok() ? "" : read.error().message;
  };
  const std::string good =
      "xylem counts 1\nrows pages\nnodes 2\npage_bytes 4096\ncells 1\n7 1 2 3\nend\n";
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_EQ(message(good), "");
  EXPECT_EQ(message(""), "is no file of counts of this version");
  EXPECT_EQ(message(changed("counts 1", "counts 2")), "is no file of counts of this version");
  EXPECT_EQ(message(changed("pages", "nodes")), "has rows that are neither pages nor threads");
  EXPECT_EQ(message(changed("nodes 2", "nodes 0")), "has a number of nodes that cannot be");
  EXPECT_EQ(message(changed("nodes 2", "nodes 1025")), "has a number of nodes that cannot be");
  EXPECT_EQ(message(changed("4096", "0")), "has a size of pages that cannot be");
  EXPECT_EQ(message(changed("cells 1", "cells 3")),
            "says how many cells it has in a way that cannot be");
  EXPECT_EQ(message(changed("cells 1", "cells 18446744073709551615")),
            "says how many cells it has in a way that cannot be");
  EXPECT_EQ(message(changed("7 1 2 3", "7 2 2 3")), "names a node that is none");
  EXPECT_EQ(message(changed("7 1 2 3", "7 1 0 0")), "has a count that cannot be");
  EXPECT_EQ(message(changed("7 1 2 3", "7 1 4611686018427387904 0")), "has a count that cannot be");
  for (const char* line : {"7 1 2", "7 1 2 3 4", "7 1 2 -3", "7 1 2  3", "7 1 2 3 ", " 7 1 2 3",
                           "7 1 2 03", "7 1 2 18446744073709551616", "7 1 2 x", "", "7,1,2,3"})
    EXPECT_EQ(message(changed("7 1 2 3", line)), "has a line that is no cell") << line;
  EXPECT_EQ(message(changed("end", "more")), "does not end where it should");
  EXPECT_EQ(message(good + "\n"), "does not end where it should");
  const std::string twice = "xylem counts 1\nrows pages\nnodes 2\npage_bytes 1\ncells 2\n";
  EXPECT_EQ(message(twice + "7 1 2 3\n7 1 2 3\nend\n"), "has its cells out of order");
  EXPECT_EQ(message(twice + "7 1 2 3\n7 0 2 3\nend\n"), "has its cells out of order");
  EXPECT_EQ(message(twice + "7 1 2 3\n6 1 2 3\nend\n"), "has its cells out of order");
}

// Every beginning of the file, and every byte changed into several others.
TEST(CountsFile, DamagedIsNoFileOrASoundOne) {
  const std::string whole = text_of(example());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(parse_counts(whole.substr(0, size)).ok()) << size;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const char letter : {'x', '-', '\0', '9', '0', '\n', ' '}) {
      std::string changed = whole;
      changed[i] = letter;
      const auto read = parse_counts(changed);
      if (read.ok()) expect_sound(read.value());
    }
  }
}

// Texts that are put together of the format's own parts: deeper than changed bytes come.
TEST(CountsFile, StandsRandomTexts) {
  const std::string parts[] = {"xylem counts 1\n",
                               "rows pages\n",
                               "rows threads\n",
                               "nodes ",
                               "page_bytes ",
                               "cells ",
                               "end\n",
                               " ",
                               "\n",
                               "0",
                               "1",
                               "7",
                               "4096",
                               "18446744073709551615",
                               "1 0 2 3\n"};
  plan::Random random(11);
  const auto any = [&] { return parts[random.below(static_cast<int>(std::size(parts)))]; };
  int sound = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = text_of(example());
    for (int cuts = random.below(3); cuts >= 0; --cuts) {
      const auto at = static_cast<std::size_t>(random.below(static_cast<int>(text.size()) + 1));
      const auto most = static_cast<int>(text.size() - at);
      const auto size = static_cast<std::size_t>(random.below(std::min(most, 12) + 1));
      text.replace(at, size, any());
    }
    const auto read = parse_counts(text);
    if (!read.ok()) continue;
    ++sound;
    expect_sound(read.value());
  }
  EXPECT_GT(sound, 0);  // some changes leave a file: it is they that go through the checks above
}

}  // namespace
}  // namespace xylem::count
