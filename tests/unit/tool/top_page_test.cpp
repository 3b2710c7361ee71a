// The page from the watcher's side: whole, torn and damaged.
#include "tool/top/top_page.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <random>
#include <thread>

#include "base/relax.hpp"
#include "os/shared_memory.hpp"
#include "sched/live/live.hpp"
#include "tool/top/top_show.hpp"
#include "tool/top/top_tree.hpp"

namespace xylem::tool {
namespace {

using sched::LiveWord;

struct Drawn {
  explicit Drawn(const char* text)
      : machine(topo::load_machine(text, true).value()),
        engine(*machine, policy::cache),
        pool(*machine, {}) {}
  std::unique_ptr<topo::Machine> machine;
  sched::Engine engine;
  sched::Pool pool;
};

// A page of a machine, with some bubbles, as plain words.
std::vector<uint64_t> page_of(const char* text) {
  Drawn drawn(text);
  const size_t words = sched::LiveWriter::words_for(*drawn.machine);
  const std::unique_ptr<LiveWord[]> page(new LiveWord[words]{});
  const sched::LiveWriter writer({page.get(), words}, drawn.pool, drawn.engine.search(),
                                 {"cache", text});
  std::vector<uint64_t> copy;
  for (size_t word = 0; word < words; ++word) copy.push_back(page[word].load());
  return copy;
}

constexpr size_t kTotals = (sizeof(sched::LiveHeader) + sizeof(sched::LiveControl)) / 8;

void add_bubble(std::vector<uint64_t>& words, const LiveSnapshot& shape, sched::LiveBubble bubble) {
  uint64_t& count = words[kTotals + offsetof(sched::LiveTotals, bubbles) / 8];
  const uint64_t at =
      sched::live_words_of(shape.levels.size(), shape.pus.size(), count++) * sizeof(uint64_t);
  std::memcpy(reinterpret_cast<char*>(words.data()) + at, &bubble, sizeof bubble);
}

void add_device(std::vector<uint64_t>& words, const LiveSnapshot& shape,
                const sched::LiveDevice& device) {
  uint64_t& count = words[kTotals + offsetof(sched::LiveTotals, devices) / 8];
  // Rows of devices are before those of bubbles.
  const uint64_t end = sched::live_words_of(shape.levels.size(), shape.pus.size(), 0) * 8;
  const uint64_t at = end - (sched::live_device_room - count++) * sizeof device;
  std::memcpy(reinterpret_cast<char*>(words.data()) + at, &device, sizeof device);
}

// What is shown of it, in all forms; to see that nothing in it crashes.
std::string shown(const LiveSnapshot& snapshot) {
  Measure measure;
  measure.activity = Activity::running;
  measure.last = snapshot;
  measure.pus.resize(snapshot.pus.size());
  return top_text(measure, 0, 0, true) + top_text(measure, 10, 40, false) + top_json(measure);
}

TEST(TopPage, IsReadAsItWasWritten) {
  LiveSnapshot read;
  ASSERT_EQ(parse_live_page(page_of("node:2 core:2 pu:2"), read), nullptr);
  EXPECT_EQ(read.policy, "cache");
  EXPECT_EQ(read.machine, "node:2 core:2 pu:2");
  EXPECT_EQ(level_names(read), (std::vector<std::string>{
                                   "machine", "node0", "node1", "core0", "core1", "core2", "core3",
                                   "pu0", "pu1", "pu2", "pu3", "pu4", "pu5", "pu6", "pu7"}));
  EXPECT_EQ(read.pus[5].node, 1);
  EXPECT_EQ(read.pus[5].level, 12);
}

TEST(TopPage, MachinesOfEveryShapeAreRead) {
  for (const char* text : {"pu:1", "pu:4", "pack:2 [numa] l3:2 core:2 pu:2", "node:16 pu:16"}) {
    LiveSnapshot read;
    ASSERT_EQ(parse_live_page(page_of(text), read), nullptr) << text;
    EXPECT_NE(shown(read).find("pu0"), std::string::npos) << text;
  }
}

TEST(TopPage, RowsFoldUntilTheyFit) {
  Measure measure;
  measure.activity = Activity::running;
  ASSERT_EQ(parse_live_page(page_of("node:4 core:8 pu:2"), measure.last), nullptr);
  measure.pus.resize(measure.last.pus.size());
  EXPECT_EQ(top_rows(measure, 0).size(), 4u + 64);
  EXPECT_EQ(top_rows(measure, 1).size(), 4u + 32);
  EXPECT_EQ(top_rows(measure, -1).size(), 4u);
  const auto lines = [](const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_LE(lines(top_text(measure, 50, 80, false)), 50);
  EXPECT_NE(top_text(measure, 50, 80, false).find("core31"), std::string::npos);
  EXPECT_EQ(top_text(measure, 50, 80, false).find("pu0"), std::string::npos);
  EXPECT_EQ(top_text(measure, 20, 80, false).find("\n  "), std::string::npos);
  EXPECT_NE(top_text(measure, 20, 80, false).find("node3"), std::string::npos);
  EXPECT_EQ(lines(top_text(measure, 20, 80, true)), 20);
  EXPECT_NE(top_text(measure, 20, 80, true).find("more lines"), std::string::npos);
}

TEST(TopPage, BubblesAreATree) {
  std::vector<uint64_t> words = page_of("pu:2");
  LiveSnapshot read;
  ASSERT_EQ(parse_live_page(words, read), nullptr);
  const LiveSnapshot shape = read;
  add_bubble(words, shape, {7, 0, 0, 4, 2, 100, 1, -1, 0, 5'000'000'000, 4321});
  add_bubble(words, shape, {9, 0, 1, 1, 1, 0, 0, 5, -2, 0, -1});
  add_bubble(words, shape, {8, 7, 1, 2, 0, 0, 0, -1, -1, 0, -1});
  add_bubble(words, shape,
             {6, 6, 1, 2, 0, 0, 0, -1, -1, 0, -1});  // of itself: damage that is let pass
  ASSERT_EQ(parse_live_page(words, read), nullptr);
  const std::string text = shown(read);
  const size_t parent = text.find("\n  7 "), child = text.find("\n    8 "),
               other = text.find("\n  9 ");
  ASSERT_NE(child, std::string::npos) << text;
  EXPECT_LT(parent, child);
  EXPECT_LT(child, other);
  EXPECT_NE(text.find("held back"), std::string::npos);
  EXPECT_NE(text.find("processor time misses\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" 4321\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  6 "), std::string::npos);
}

TEST(TopPage, DevicesAreShownWithTheirRates) {
  std::vector<uint64_t> words = page_of("pu:2");
  LiveSnapshot read;
  ASSERT_EQ(parse_live_page(words, read), nullptr);
  EXPECT_TRUE(read.devices.empty());
  const LiveSnapshot shape = read;
  add_device(words, shape, {"a \x1b[card", 0, 6144, 2048, 5'000'000, 7, 4000, 1000});
  add_device(words, shape, {"another", 1, 1 << 20, 0, 0, 0, 0, 0});
  add_bubble(words, shape, {7, 0, 0, 4, 2, 100, 1, -1, 0, 5'000'000'000, -1});
  Measure measure;
  measure.activity = Activity::running;
  ASSERT_EQ(parse_live_page(words, measure.last), nullptr);
  ASSERT_EQ(measure.last.devices.size(), 2u);
  EXPECT_EQ(measure.last.bubbles[0].id, 7u);
  measure.pus.resize(2);
  measure.devices = {{0.5, 1200, 3e6, 20}, {}};
  const std::string text = top_text(measure, 0, 0, true);
  for (const char* part : {"\n  1 a ?[card ", "   50%  ", " 2.0k of 6.1k B ", " 1.2k ", " 3.0M ",
                           "\n  2 another ", "  gone "})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  EXPECT_NE(top_json(measure).find("\"memory_used\": 2048"), std::string::npos);
  EXPECT_FALSE(shown(measure.last).empty());  // without rates
  add_device(words, shape, {"odd", 0, -1, 0, 0, 0, 0, 0});
  EXPECT_STREQ(parse_live_page(words, read), "it is damaged: a device makes no sense");
}

TEST(TopPage, RefusesWhatIsNone) {
  LiveSnapshot read;
  EXPECT_STREQ(parse_live_page({}, read), "it is too short");
  EXPECT_STREQ(parse_live_page(std::vector<uint64_t>(5000), read), "it is no page of Xylem");
  std::vector<uint64_t> words = page_of("pu:4");
  words[1] = sched::live_version + 1;
  EXPECT_STREQ(parse_live_page(words, read), "another version of Xylem wrote it");
  words = page_of("pu:4");
  words.pop_back();
  EXPECT_STREQ(parse_live_page(words, read), "it is damaged: its size is wrong");
}

TEST(TopPage, SurvivesDamage) {
  const std::vector<uint64_t> whole = page_of("node:2 core:2 pu:2");
  std::mt19937_64 random(1);
  int let_pass = 0;
  for (int turn = 0; turn < 1500; ++turn) {
    std::vector<uint64_t> words = whole;
    for (int change = 0; change <= turn % 4; ++change) {
      // Rows of bubbles that are not used would make most changes harmless.
      uint64_t& word = words[random() % (turn % 2 ? kTotals + 230 : words.size())];
      switch (random() % 4) {
        case 0:
          word = random();
          break;
        case 1:
          word = random() % 20;
          break;
        case 2:
          word ^= uint64_t{1} << random() % 64;
          break;
        default:
          word = ~uint64_t{0} - random() % 3;
      }
    }
    LiveSnapshot read;
    if (parse_live_page(words, read) != nullptr) continue;
    ++let_pass;
    EXPECT_FALSE(shown(read).empty());
  }
  EXPECT_GT(let_pass, 100);
  for (int turn = 0; turn < 1000; ++turn) {
    std::vector<uint64_t> words(random() % 2000);
    for (uint64_t& word : words) word = random();
    LiveSnapshot read;
    EXPECT_NE(parse_live_page(words, read), nullptr);
  }
}

// The writer puts every seat into one state and says in the totals which: a torn snapshot has two.
TEST(TopPage, ASnapshotIsNeverTorn) {
  Drawn drawn("node:8 pu:16");
  sched::open_live_page(drawn.pool, drawn.engine, "drawn");
  LivePage page;
  ASSERT_EQ(page.attach(getpid()), "");
  std::atomic<bool> over{false};
  std::thread monitor([&] {
    for (int64_t now = 1; !over.load(); ++now) {
      for (int pu = 0; pu < drawn.pool.pu_count(); ++pu)
        drawn.pool.slot(pu).state = static_cast<sched::SlotState>(now % 4);
      sched::poll_live_page(drawn.pool, now);
    }
  });
  uint64_t number = 0;
  for (int turn = 0; turn < 20'000; ++turn) {
    number = page.ask();
    for (int wait = turn % 200; wait > 0; --wait)
      base::relax();  // some reads meet the writer at work
    LiveSnapshot read;
    const std::string wrong = page.read(read);
    if (wrong == "it is never at rest") continue;
    ASSERT_EQ(wrong, "");
    if (read.totals.answers == 0) continue;  // the first one, of absent seats
    for (const sched::LivePu& pu : read.pus) ASSERT_EQ(pu.state, read.totals.now_ns % 4);
    ASSERT_LE(read.totals.answers, number);
  }
  over.store(true);
  monitor.join();
  sched::forget_live_page_in_child();
}

long most_resident_kib() {
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss;
}

// What another process calls its page may be of any size.
TEST(TopPage, AnEndlessPageTakesNoMemory) {
  constexpr size_t bytes = size_t{1} << 30;
  os::SharedMemory endless;
  ASSERT_EQ(endless.create(sched::live_name, bytes), 0);
  const long before = most_resident_kib();
  LivePage page;
  EXPECT_NE(page.attach(getpid()), "");
  EXPECT_LT(most_resident_kib() - before, 100 << 10);
  endless.release();
}

TEST(TopPage, AnswersComeToEveryWatcher) {
  Drawn drawn("pu:2");
  sched::open_live_page(drawn.pool, drawn.engine, "");
  LivePage one, two;
  ASSERT_EQ(one.attach(getpid()), "");
  ASSERT_EQ(two.attach(getpid()), "");
  const uint64_t first = one.ask();
  const uint64_t second = two.ask();
  EXPECT_FALSE(one.may_answer(first));
  sched::poll_live_page(drawn.pool, 1);
  EXPECT_TRUE(one.may_answer(first));
  EXPECT_TRUE(two.may_answer(second));
  LiveSnapshot read;
  EXPECT_EQ(two.read(read), "");
  EXPECT_EQ(read.totals.answers, second);
  EXPECT_EQ(read.machine, "");
  sched::forget_live_page_in_child();
  LivePage late;
  EXPECT_NE(late.attach(getpid()), "");
}

}  // namespace
}  // namespace xylem::tool
