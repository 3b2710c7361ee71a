// Replicated data: how many copies, where, and what they hold.
#include "mem/map/replicated.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <numeric>
#include <vector>

#include "mem/map/memory.hpp"
#include "mem/map/nodes.hpp"
#include "topo/machine.hpp"

namespace xylem::mem {
namespace {

void draw(const char* description) { start(*topo::load_machine(description, true).value()); }

std::vector<int> nodes_of(const Replicated& data) {
  std::vector<int> nodes;
  for (const char* copy : data.copies()) {
    int node = -1;
    EXPECT_EQ(locate(copy, 1, {&node, 1}), 0);
    nodes.push_back(node);
  }
  return nodes;
}

TEST(Replicated, HasACopyOnEachNode) {
  draw("node:4 core:2 pu:1");
  const int64_t before = statistics().mapped_bytes;
  std::vector<int> source(5000);
  std::iota(source.begin(), source.end(), 17);
  auto data = Replicated::make(source.data(), source.size() * sizeof(int));
  ASSERT_NE(data, nullptr);
  EXPECT_EQ(nodes_of(*data), (std::vector<int>{0, 1, 2, 3}));
  for (const char* copy : data->copies())
    EXPECT_EQ(std::memcmp(copy, source.data(), source.size() * sizeof(int)), 0);
  data.reset();
  EXPECT_EQ(statistics().mapped_bytes, before);
}

TEST(Replicated, HasOneCopyOnOneNode) {
  draw("core:2 pu:1");
  auto data = Replicated::make(nullptr, 100);
  ASSERT_NE(data, nullptr);
  EXPECT_EQ(data->copies().size(), 1u);
  EXPECT_EQ(data->local(), data->master());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(static_cast<const char*>(data->local())[i], 0);
}

TEST(Replicated, RefreshCopiesWhatItIsTold) {
  draw("node:2 core:1 pu:1");
  auto data = Replicated::make("abcdefgh", 9);
  ASSERT_EQ(data->copies().size(), 2u);
  std::strcpy(static_cast<char*>(data->master()), "ABCDEFGH");
  EXPECT_STREQ(data->copies()[1], "abcdefgh") << "nobody sees it yet";
  EXPECT_EQ(data->refresh(2, 3), 0);
  EXPECT_STREQ(data->copies()[1], "abCDEfgh");
  EXPECT_EQ(data->refresh(0, 9), 0);
  EXPECT_STREQ(data->copies()[1], "ABCDEFGH");
  EXPECT_EQ(data->refresh(0, 10), -EINVAL);
  EXPECT_EQ(data->refresh(10, 0), -EINVAL);
  EXPECT_EQ(data->refresh(1, SIZE_MAX), -EINVAL);
}

}  // namespace
}  // namespace xylem::mem
