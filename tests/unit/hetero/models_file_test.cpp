// The file that keeps models.
#include "hetero/model/models_file.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

namespace {

namespace hetero = xylem::hetero;
using hetero::Model;

const std::vector<Model> two = {{0xabc, 0, 4096, "scale", {10, 12, 9}},
                                {0xdef, 1, 0, "two words", {7}}};

std::string text_of(const std::vector<Model>& models) {
  const std::vector<char> text = hetero::models_text(models);
  return {text.data(), text.size()};
}

TEST(ModelsFile, IsReadAsItWasWritten) {
  std::vector<Model> read;
  ASSERT_TRUE(hetero::parse_models(text_of(two), read));
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].key, 0xabcu);
  EXPECT_EQ(read[0].bytes, 4096u);
  EXPECT_EQ(read[0].samples, two[0].samples);
  EXPECT_EQ(read[1].kind, 1);
  EXPECT_EQ(read[1].codelet.view(), "two words");
}

TEST(ModelsFile, NamesStayOnOneLine) {
  std::vector<Model> read;
  const std::vector<Model> odd = {{1, 0, 0, "a\nb", {1}}};
  ASSERT_TRUE(hetero::parse_models(text_of(odd), read));
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].codelet.view(), "a?b");
}

TEST(ModelsFile, LongNamesAreCut) {
  std::vector<Model> read;
  const std::vector<Model> odd = {{1, 0, 0, std::string_view(std::string(100, 'x')), {1}}};
  ASSERT_TRUE(hetero::parse_models(text_of(odd), read));
  EXPECT_EQ(read[0].codelet.view(), std::string(63, 'x'));
}

TEST(ModelsFile, APartCountsAsNone) {
  const std::string text = text_of(two);
  for (size_t length = 0; length + 1 < text.size(); ++length) {
    std::vector<Model> read;
    EXPECT_FALSE(hetero::parse_models(text.substr(0, length), read)) << length;
    EXPECT_TRUE(read.empty());
  }
}

TEST(ModelsFile, DamageIsRefused) {
  const std::string head = "xylem models 1\n";
  for (const char* line : {"0000000000000000 0 8 1 5 zero", "000000000000000g 0 8 1 5 letter",
                           "0000000000000001 0 8", "0000000000000001 32 8 1 5 kind",
                           "0000000000000001 0 8 16 1 2 3 4 5 6 7 8 9 10 11 12 13 14 "
                           "15 16 many",
                           "0000000000000001 0 8 1 -5 below", "0000000000000001 0 8 1 5 ",
                           "0000000000000001 0 8 1 5"}) {
    std::vector<Model> read;
    EXPECT_FALSE(hetero::parse_models(head + line + "\nend\n", read)) << line;
  }
}

TEST(ModelsFile, NewModelsTakeTheOldOnesPlace) {
  char folder[] = "/tmp/xylem-models-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const xylem::os::PathBuffer path = hetero::models_path(folder, 5);
  EXPECT_TRUE(hetero::read_models(path.c_str()).empty());
  ASSERT_EQ(hetero::merge_models(path.c_str(), two), 0);
  const std::vector<Model> later = {
      {0xabc, 0, 4096, "scale", {50}}, {5, 0, 8, "five", {1}}, {3, 0, 8, "three", {1}}};
  ASSERT_EQ(hetero::merge_models(path.c_str(), later), 0);
  const std::vector<Model> read = hetero::read_models(path.c_str());
  ASSERT_EQ(read.size(), 4u);
  EXPECT_EQ(read[0].codelet.view(), "two words");
  EXPECT_EQ(read[1].samples, later[0].samples);
  std::filesystem::remove_all(folder);
}

}  // namespace
