// The ring: order, fullness, and a producer and a consumer at once.
#include "trace/ring.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace xylem::trace {
namespace {

Record numbered(uint64_t number) {
  Record record = make_record<event("bubble_ended")>(number);
  return record;
}

TEST(Ring, DropsAndCountsWhenFull) {
  const auto ring = std::make_unique<Ring>();
  bool call = false;
  for (uint64_t i = 0; i < Ring::size; ++i) ASSERT_TRUE(ring->push(numbered(i), call));
  EXPECT_TRUE(call);  // the last one filled a quarter
  EXPECT_FALSE(ring->push(numbered(0), call));
  EXPECT_FALSE(ring->push(numbered(0), call));
  EXPECT_EQ(ring->dropped.load(), 2u);
  ring->consumed(10);
  for (uint64_t i = 0; i < 10; ++i) ASSERT_TRUE(ring->push(numbered(i), call));
  EXPECT_FALSE(ring->push(numbered(0), call));
}

TEST(Ring, BeginsAnewAtItsFirstRecord) {
  const auto ring = std::make_unique<Ring>();
  bool call = false;
  for (uint64_t i = 0; i <= Ring::size; ++i) ring->push(numbered(i), call);
  ring->consumed(Ring::size);
  ring->begin_anew();
  EXPECT_EQ(ring->dropped.load(), 0u);
  for (uint64_t i = 0; i < Ring::size; ++i) ASSERT_TRUE(ring->push(numbered(i + 7), call));
  EXPECT_EQ(ring->records[0].words[0], numbered(7).words[0]);
  EXPECT_FALSE(ring->push(numbered(0), call));
}

TEST(Ring, CallsTheWriterOnceAQuarter) {
  const auto ring = std::make_unique<Ring>();
  int calls = 0;
  for (uint64_t i = 0; i < Ring::size; ++i) {
    bool call = false;
    ring->push(numbered(i), call);
    calls += call;
  }
  EXPECT_EQ(calls, 4);
}

TEST(Ring, KeepsOrderBetweenTwoThreads) {
  const auto ring = std::make_unique<Ring>();
  constexpr uint64_t count = 5 * Ring::size;
  std::thread producer([&] {
    bool call = false;
    for (uint64_t i = 0; i < count;)
      if (ring->push(numbered(i), call))
        ++i;
      else
        std::this_thread::yield();
  });
  uint64_t seen = 0;
  while (seen < count) {
    const uint64_t head = ring->head.load(std::memory_order_acquire);
    for (; seen < head; ++seen) ASSERT_EQ(ring->records[seen % Ring::size].words[0], seen);
    ring->consumed(seen);
    std::this_thread::yield();
  }
  producer.join();
}

}  // namespace
}  // namespace xylem::trace
