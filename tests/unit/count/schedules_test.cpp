// Schedules of dynamic loops: recorded, packed into P x (N - P) bits, read and played again.
#include "count/engine/schedules.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "plan/random.hpp"

namespace xylem::count {
namespace {

std::string text_of(const Schedule& schedule) {
  const std::vector<char> text = schedule.text();
  return {text.begin(), text.end()};
}

// Thread 1 ran 0 to 2 and 6, thread 3 the others; threads 0 and 2 came too late.
Schedule example() {
  ScheduleRecorder recorder(4, 8);
  recorder.ran(1, 0, 3);
  recorder.ran(3, 3, 6);
  recorder.ran(1, 6, 7);
  recorder.ran(3, 7, 8);
  return Schedule::of(recorder).value();
}

// Chunks of 1 to 90 iterations, each to any thread.
Schedule draw(plan::Random& random) {
  const int threads = 1 + random.below(9);
  const auto iterations = static_cast<uint64_t>(random.below(500));
  ScheduleRecorder recorder(threads, iterations);
  for (uint64_t lo = 0; lo < iterations;) {
    const uint64_t hi = std::min(iterations, lo + 1 + static_cast<uint64_t>(random.below(90)));
    recorder.ran(random.below(threads), lo, hi);
    lo = hi;
  }
  const auto made = Schedule::of(recorder);
  EXPECT_TRUE(made.ok());
  return made.value();
}

TEST(Schedules, GiveEachThreadWhatItRan) {
  const Schedule schedule = example();
  const std::vector<std::vector<Turns>> turns = schedule.turns();
  EXPECT_EQ(turns[1], (std::vector<Turns>{{0, 3}, {6, 7}}));
  EXPECT_EQ(turns[3], (std::vector<Turns>{{3, 6}, {7, 8}}));
  EXPECT_TRUE(turns[0].empty());
  EXPECT_EQ(schedule.owner(5), 3);
}

// The paper's count: two threads work, so two of eight iterations are somebody's first.
TEST(Schedules, ArePackedInPTimesNMinusPBits) {
  EXPECT_EQ(example().packed_bits(), 2u * (8 - 2));
  EXPECT_EQ(text_of(example()),
            "xylem schedule 1\nthreads 4\niterations 8\nworking 2\n1 0\n3 3\n31\nc2\nend\n");
}

TEST(Schedules, AreReadAgain) {
  plan::Random random(8);
  for (int round = 0; round < 300; ++round) {
    const Schedule schedule = draw(random);
    const auto read = Schedule::parse(text_of(schedule));
    ASSERT_TRUE(read.ok()) << read.error().message << "\n" << text_of(schedule);
    EXPECT_EQ(read.value(), schedule);
    uint64_t iterations = 0;
    for (const std::vector<Turns>& own : read.value().turns())
      for (const Turns& turns : own) iterations += turns.hi - turns.lo;
    EXPECT_EQ(iterations, schedule.iterations());
  }
}

TEST(Schedules, ThatAreNotWholeAreRefused) {
  ScheduleRecorder missing(2, 200), twice(2, 200);
  missing.ran(0, 0, 130);
  missing.ran(1, 131, 200);
  EXPECT_STREQ(Schedule::of(missing).error().message, "gives an iteration to no thread");
  twice.ran(0, 0, 130);
  twice.ran(1, 129, 200);
  EXPECT_STREQ(Schedule::of(twice).error().message, "gives an iteration to two threads");
}

TEST(Schedules, OfTooManyIterationsAreNotRecorded) {
  EXPECT_TRUE(ScheduleRecorder::is_possible(64, 1 << 20));
  EXPECT_FALSE(ScheduleRecorder::is_possible(256, 1 << 20));
  EXPECT_FALSE(ScheduleRecorder::is_possible(0, 1));
  EXPECT_FALSE(ScheduleRecorder::is_possible(1, UINT64_MAX));
}

// Threads take chunks of a shared loop, as a dynamic loop's members do.
TEST(Schedules, AreRecordedByThreadsAtOnce) {
  constexpr int threads = 4;
  constexpr uint64_t iterations = 100000;
  ScheduleRecorder recorder(threads, iterations);
  std::atomic<uint64_t> next{0};
  std::vector<int> ran(iterations, -1);
  std::vector<std::thread> all;
  for (int thread = 0; thread < threads; ++thread)
    all.emplace_back([&, thread] {
      while (true) {
        const uint64_t lo = next.fetch_add(7);
        if (lo >= iterations) return;
        const uint64_t hi = std::min(iterations, lo + 7);
        for (uint64_t i = lo; i < hi; ++i) ran[i] = thread;
        recorder.ran(thread, lo, hi);
      }
    });
  for (std::thread& one : all) one.join();
  const auto schedule = Schedule::of(recorder);
  ASSERT_TRUE(schedule.ok()) << schedule.error().message;
  for (uint64_t i = 0; i < iterations; ++i) ASSERT_EQ(schedule.value().owner(i), ran[i]) << i;
}

TEST(Schedules, SayWhatIsWrongWithTheirText) {
  const std::string good = text_of(example());
  const auto message = [&](const std::string& from, const std::string& to) -> std::string {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    const auto read = Schedule::parse(text);
    return read.ok() ? "" : read.error().message;
  };
  EXPECT_EQ(message("schedule 1", "schedule 2"), "is no schedule of this version");
  EXPECT_EQ(message("threads 4", "threads 0"), "has a number of threads that cannot be");
  EXPECT_EQ(message("iterations 8", "iterations 999999999999"),
            "has a number of iterations that cannot be");
  EXPECT_EQ(message("working 2", "working 5"), "has a number of working threads that cannot be");
  EXPECT_EQ(message("iterations 8", "iterations 8000"), "is cut off");
  EXPECT_EQ(message("1 0\n", "1 8\n"), "names what it has not");
  EXPECT_EQ(message("1 0\n", "4 0\n"), "names what it has not");
  EXPECT_EQ(message("3 3\n", "1 3\n"), "has threads out of order");
  EXPECT_EQ(message("3 3\n", "3 0\n"), "gives an iteration to two threads");
  EXPECT_EQ(message("c2\n", "c\n"), "has a line of bits of another length");
  EXPECT_EQ(message("c2\n", "cx\n"), "has a digit that is none");
  EXPECT_EQ(message("c2\n", "c6\n"), "has bits of more iterations than there are");
  EXPECT_EQ(message("c2\n", "82\n"), "gives an iteration to no thread");
  EXPECT_EQ(message("c2\n", "d2\n"), "gives an iteration to two threads");
  EXPECT_EQ(message("3 3\n", "3 5\n"), "has a first iteration that is none");
  EXPECT_EQ(message("end\n", "end\n\n"), "does not end where it should");
}

// Every beginning, every byte changed, and texts put together of parts: a sound schedule or none.
TEST(Schedules, DamagedAreNoneOrSound) {
  plan::Random random(21);
  const auto expect_sound = [](const std::string& text) {
    const auto read = Schedule::parse(text);
    if (!read.ok()) return false;
    for (uint64_t i = 0; i < read.value().iterations(); ++i) {
      EXPECT_GE(read.value().owner(i), 0);
      EXPECT_LT(read.value().owner(i), read.value().threads());
    }
    EXPECT_EQ(text_of(read.value()), text);
    return true;
  };
  const std::string whole = text_of(example());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(Schedule::parse(whole.substr(0, size)).ok()) << size;
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (const char letter : {'x', '-', '\0', '9', '0', 'f', '\n', ' '}) {
      std::string changed = whole;
      changed[i] = letter;
      expect_sound(changed);
    }
  const std::string parts[] = {"threads ",
                               "iterations ",
                               "working ",
                               "end\n",
                               " ",
                               "\n",
                               "0",
                               "1",
                               "3",
                               "ff",
                               "31\n",
                               "1 0\n",
                               "18446744073709551615"};
  int sound = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = text_of(draw(random));
    for (int cuts = random.below(3); cuts > 0; --cuts) {
      const auto at = static_cast<std::size_t>(random.below(static_cast<int>(text.size()) + 1));
      const int most = std::min(static_cast<int>(text.size() - at), 8);
      const auto size = static_cast<std::size_t>(random.below(most + 1));
      text.replace(at, size, parts[random.below(static_cast<int>(std::size(parts)))]);
    }
    sound += expect_sound(text) ? 1 : 0;
  }
  EXPECT_GT(sound, 0);
}

}  // namespace
}  // namespace xylem::count
