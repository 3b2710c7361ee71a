// The page's writer and the counts of steals, without kernel threads: the test is the monitor.
#include "sched/live/live.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <memory>

#include "sched/queue/fiber.hpp"

namespace {

using xylem::sched::Bubble;
using xylem::sched::Engine;
using xylem::sched::LiveControl;
using xylem::sched::LiveHeader;
using xylem::sched::LiveLevel;
using xylem::sched::LivePu;
using xylem::sched::LiveTotals;
using xylem::sched::LiveWord;
using xylem::sched::LiveWriter;
using xylem::sched::Order;
using xylem::sched::Pool;
using xylem::sched::SeedRange;
using xylem::sched::SlotState;
using xylem::sched::Worker;

const xylem::topo::Machine& two_nodes() {
  static const auto loaded = xylem::topo::load_machine("node:2 core:2 pu:1", true);
  return *loaded.value();
}

class Live : public testing::Test {
 protected:
  Live() : words_(LiveWriter::words_for(two_nodes())), page_(new LiveWord[words_]{}) {
    writer_ = std::make_unique<LiveWriter>(std::span(page_.get(), words_), pool_, engine_.search(),
                                           xylem::sched::LiveTexts{"cache", "drawn"});
  }

  LiveControl& control() {
    return *reinterpret_cast<LiveControl*>(page_.get() + sizeof(LiveHeader) / sizeof(LiveWord));
  }
  // The row that begins `bytes` behind the control words.
  template <typename Row>
  Row row(size_t bytes) {
    const size_t first = (sizeof(LiveHeader) + sizeof(LiveControl) + bytes) / sizeof(LiveWord);
    std::array<uint64_t, sizeof(Row) / sizeof(LiveWord)> words;
    for (size_t word = 0; word < words.size(); ++word) words[word] = page_[first + word].load();
    return std::bit_cast<Row>(words);
  }
  LiveTotals totals() { return row<LiveTotals>(0); }
  LiveLevel level(size_t index) {
    return row<LiveLevel>(sizeof(LiveTotals) + index * sizeof(LiveLevel));
  }
  LivePu pu(size_t index) {
    const size_t levels = two_nodes().levels().size() * sizeof(LiveLevel);
    return row<LivePu>(sizeof(LiveTotals) + levels + index * sizeof(LivePu));
  }
  void ask() { control().request.fetch_add(1); }

  // Seeds 0 .. n-1 of the bubble, in the queue of a PU.
  void put(Bubble& bubble, int n, int pu) {
    bubble.seed_ranges = shares_;
    pool_.pu_queue(pu).push_fresh(bubble.new_seed_range(0, n));
  }
  void serve(Worker& worker, int pu) {
    worker.pool = &pool_;
    worker.pu = pu;
  }

  Engine engine_{two_nodes(), xylem::policy::cache, {}, {.patience_ns = 0}};
  Pool pool_{two_nodes(), {}};
  size_t words_;
  std::unique_ptr<LiveWord[]> page_;
  std::unique_ptr<LiveWriter> writer_;
  SeedRange shares_[16];
};

TEST_F(Live, TheFirstSnapshotAnswersNobody) {
  EXPECT_EQ(page_[0].load(), xylem::sched::live_magic);
  EXPECT_EQ(totals().answers, 0u);
  EXPECT_EQ(level(0).parent, -1);
  EXPECT_EQ(level(0).pu_count, 4);
  EXPECT_EQ(pu(3).state, static_cast<int64_t>(SlotState::absent));
}

TEST_F(Live, ItIsWrittenOnlyWhenAskedFor) {
  const uint64_t before = control().sequence.load();
  for (int64_t now = 1; now < 100; ++now) writer_->poll(now);
  EXPECT_EQ(control().sequence.load(), before);
  EXPECT_EQ(control().monitor.load(), 0u);
  ask();
  ask();
  writer_->poll(100);
  EXPECT_EQ(control().sequence.load(), before + 2);
  EXPECT_EQ(totals().answers, 2u);
  EXPECT_EQ(totals().now_ns, 100);
  EXPECT_NE(control().monitor.load(), 0u);
  writer_->poll(101);
  EXPECT_EQ(control().sequence.load(), before + 2);
}

TEST_F(Live, WaitingIsByLevel) {
  Bubble bubble;
  put(bubble, 5, 2);
  ask();
  writer_->poll(1);
  EXPECT_EQ(level(static_cast<size_t>(two_nodes().pu_level(2))).waiting, 5);
  EXPECT_EQ(level(static_cast<size_t>(two_nodes().pu_level(1))).waiting, 0);
  EXPECT_EQ(level(0).waiting, 0);
}

TEST_F(Live, AQueueWithVeryManyShowsTheMost) {
  Bubble bubble;
  put(bubble, 1'000'000, 1);
  ask();
  writer_->poll(1);
  EXPECT_EQ(level(static_cast<size_t>(two_nodes().pu_level(1))).waiting,
            xylem::sched::live_most_waiting);
}

TEST_F(Live, TurnsStayWhenTheirWorkerGoes) {
  Worker first, second;
  serve(first, 1);
  serve(second, 1);
  first.turns = 1000;  // before anybody watched
  second.turns = 5000;
  pool_.slot(1).worker = &first;
  ask();
  writer_->poll(1);
  EXPECT_EQ(pu(1).turns, 0u);
  first.turns = 1007;
  writer_->poll(2);
  pool_.slot(1).worker = &second;  // first seen now: what it did before is not this PU's
  writer_->poll(3);
  second.turns = 5010;
  ask();
  writer_->poll(4);
  EXPECT_EQ(pu(1).turns, 17u);
  pool_.slot(1).worker = nullptr;
  ask();
  writer_->poll(5);
  EXPECT_EQ(pu(1).turns, 17u);
}

TEST_F(Live, TurnsOfATimeWithoutWatchersAreNotNews) {
  Worker worker;
  serve(worker, 1);
  pool_.slot(1).worker = &worker;
  ask();
  writer_->poll(1);
  worker.turns = 10;
  const int64_t later = 2 * xylem::sched::live_watch_ns;
  writer_->poll(later);
  ask();
  writer_->poll(later + 1);
  worker.turns = 11;
  ask();
  writer_->poll(later + 2);
  EXPECT_EQ(pu(1).turns, 1u);
}

TEST_F(Live, AwakeIsCountedInLooks) {
  ask();
  writer_->poll(1);
  pool_.slot(2).state = SlotState::awake;
  writer_->poll(2);
  pool_.slot(2).state = SlotState::parked;
  ask();
  writer_->poll(3);
  EXPECT_EQ(totals().polls, 3u);
  EXPECT_EQ(pu(2).awake, 1u);
  EXPECT_EQ(pu(2).state, static_cast<int64_t>(SlotState::parked));
}

TEST_F(Live, StealsAreCountedByDistance) {
  const xylem::sched::Search& search = engine_.search();
  Bubble bubble;
  Worker thief, extra;
  serve(thief, 0);
  serve(extra, 0);
  extra.extra = true;
  put(bubble, 1, 0);
  EXPECT_TRUE(search.find(thief, Order::ready_first)) << "its own queue: no steal";
  put(bubble, 1, 1);
  EXPECT_TRUE(search.find(thief, Order::ready_first));
  put(bubble, 1, 3);
  EXPECT_TRUE(search.find(thief, Order::ready_first));
  put(bubble, 1, 3);
  EXPECT_TRUE(search.find(extra, Order::ready_first));
  EXPECT_FALSE(search.find(thief, Order::ready_first));
  EXPECT_EQ(search.steals(0, 1), 1u) << "within the node";
  EXPECT_EQ(search.steals(0, 2), 2u) << "across the machine";
  EXPECT_EQ(search.steals(1, 1), 0u);
  ask();
  writer_->poll(1);
  EXPECT_EQ(pu(0).steals[0], 1u);
  EXPECT_EQ(pu(0).steals[1], 2u);
  EXPECT_EQ(pu(3).steals[1], 0u);
}

TEST_F(Live, RegionsAreCountedWithoutASnapshot) {
  writer_->record_region();
  writer_->record_region();
  EXPECT_EQ(control().regions.load(), 2u);
}

}  // namespace
