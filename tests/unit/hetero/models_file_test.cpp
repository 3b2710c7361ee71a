// The file that keeps models.
#include "hetero/model/models_file.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <utility>

namespace {

namespace hetero = xylem::hetero;
using hetero::Model;

Model model(uint64_t key, const char* codelet, std::vector<double> samples) {
  return {{.key = key, .family = key, .codelet = codelet}, 0, std::move(samples)};
}

const std::vector<Model> two = {
    {{0xabc, 0xa, 0, hetero::Unit::bytes, 4096, "scale"}, 3, {10, 12, 9}},
    {{0xdef, 0xd, 1, hetero::Unit::work, 0, "two words"}, 0, {7}}};

std::string text_of(const std::vector<Model>& models) {
  const std::vector<char> text = hetero::models_text(models);
  return {text.data(), text.size()};
}

TEST(ModelsFile, IsReadAsItWasWritten) {
  std::vector<Model> read;
  ASSERT_TRUE(hetero::parse_models(text_of(two), read));
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].about.key, 0xabcu);
  EXPECT_EQ(read[0].about.family, 0xau);
  EXPECT_EQ(read[0].about.unit, hetero::Unit::bytes);
  EXPECT_EQ(read[0].about.size, 4096u);
  EXPECT_EQ(read[0].drifts, 3u);
  EXPECT_EQ(read[0].samples, two[0].samples);
  EXPECT_EQ(read[1].about.kind, 1);
  EXPECT_EQ(read[1].about.unit, hetero::Unit::work);
  EXPECT_EQ(read[1].about.codelet.view(), "two words");
}

TEST(ModelsFile, NamesStayOnOneLine) {
  std::vector<Model> read;
  const std::vector<Model> odd = {model(1, "a\nb", {1})};
  ASSERT_TRUE(hetero::parse_models(text_of(odd), read));
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].about.codelet.view(), "a?b");
}

TEST(ModelsFile, LongNamesAreCut) {
  std::vector<Model> read;
  const std::vector<Model> odd = {model(1, std::string(100, 'x').c_str(), {1})};
  ASSERT_TRUE(hetero::parse_models(text_of(odd), read));
  EXPECT_EQ(read[0].about.codelet.view(), std::string(63, 'x'));
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
  const std::string head = "xylem models 2\n", keys = "0000000000000001 0000000000000002 ";
  std::vector<Model> good;
  ASSERT_TRUE(hetero::parse_models(head + keys + "0 bytes 8 0 1 5 name\nend\n", good));
  const std::string lines[] = {"0000000000000000 0000000000000002 0 bytes 8 0 1 5 zero",
                               "000000000000000g 0000000000000002 0 bytes 8 0 1 5 letter",
                               "0000000000000001 0 bytes 8 0 1 5 no family",
                               keys + "0 bytes 8",
                               keys + "32 bytes 8 0 1 5 kind",
                               keys + "0 feet 8 0 1 5 unit",
                               keys + "0 bytes -8 0 1 5 size",
                               keys + "0 bytes 8 -1 1 5 drifts",
                               keys + "0 bytes 8 0 16 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 many",
                               keys + "0 bytes 8 0 1 -5 below",
                               keys + "0 bytes 8 0 1 5 ",
                               keys + "0 bytes 8 0 1 5"};
  for (const std::string& line : lines) {
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
  const std::vector<Model> later = {model(0xabc, "scale", {50}), model(5, "five", {1}),
                                    model(3, "three", {1})};
  ASSERT_EQ(hetero::merge_models(path.c_str(), later), 0);
  const std::vector<Model> read = hetero::read_models(path.c_str());
  ASSERT_EQ(read.size(), 4u);
  EXPECT_EQ(read[0].about.codelet.view(), "two words");
  EXPECT_EQ(read[1].samples, later[0].samples);
  std::filesystem::remove_all(folder);
}

}  // namespace
