// Reading traces: a synthetic file, and damaged copies of it.
#include "tool/trace/trace_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "tool/trace/trace_export.hpp"
#include "trace/format.hpp"

namespace xylem::tool {
namespace {

using trace::Block;
using trace::BlockType;
using trace::event;
using trace::make_record;
using trace::Record;
using trace::Role;

constexpr const char* kMachine =
    "machine -1 0 -1 0 2 machine\npu 0 0 0 0 1 pu0\npu 1 0 0 1 1 pu1\n";
constexpr const char* kProgram = "./</script>\"app";

using Bytes = std::vector<std::byte>;

template <typename T>
void append(Bytes& bytes, const T& value) {
  const size_t before = bytes.size();
  bytes.resize(before + sizeof value);
  std::memcpy(bytes.data() + before, &value, sizeof value);
}

Bytes header() {
  trace::FileHeader head{};
  std::memcpy(head.magic, trace::file_magic, sizeof head.magic);
  head.version = trace::file_version;
  head.table = trace::table_mark();
  head.record_bytes = sizeof(Record);
  head.pus = 2;
  head.program_bytes = static_cast<uint32_t>(std::strlen(kProgram));
  head.machine_bytes = static_cast<uint32_t>(std::strlen(kMachine));
  std::string texts = std::string(kProgram) + kMachine;
  texts.resize((texts.size() + 7) / 8 * 8);
  head.bytes = static_cast<uint32_t>(sizeof head + texts.size());
  head.processor_ticks = 1;
  head.ticks_per_second = 2'000'000'000;
  Bytes bytes;
  append(bytes, head);
  for (const char c : texts) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

Record at(uint64_t ticks, Record record) {
  record.when_and_kind |= ticks << trace::kind_bits;
  return record;
}

void append_block(Bytes& bytes, uint32_t source, const std::vector<Record>& records,
                  uint64_t dropped = 0) {
  Block block{};
  block.magic = trace::block_magic;
  block.type = BlockType::records;
  block.source = source;
  block.count = static_cast<uint32_t>(records.size());
  block.dropped = dropped;
  append(bytes, block);
  for (const Record& record : records) append(bytes, record);
}

void append_clock(Bytes& bytes, BlockType type, uint64_t ticks, int64_t ns) {
  Block block{};
  block.magic = trace::block_magic;
  block.type = type;
  block.ticks = ticks;
  block.ns = ns;
  append(bytes, block);
}

// Two sources; a team of two, of which the second is stolen, sleeps and goes on elsewhere.
Bytes drawn_file() {
  Bytes bytes = header();
  append_block(
      bytes, 0,
      {at(100, make_record<event("worker_awake")>(0)),
       at(110, make_record<event("bubble_made")>(1, 0, 1, 2, 1)),
       at(120, make_record<event("started")>(1, 0, 0, 0)),
       at(130, make_record<event("queued")>(1, 1, 2, 1)),
       at(400, make_record<event("woken")>(1, 1, 2)),
       at(500, make_record<event("resumed")>(1, 1, 0)),
       at(600, make_record<event("ended")>(1, 1, 0)), at(700, make_record<event("ended")>(1, 0, 0)),
       at(710, make_record<event("bubble_ended")>(1))});
  append_clock(bytes, BlockType::clock, 1000, 1000);
  append_block(bytes, 7,
               {at(200, make_record<event("stolen")>(1, 1, 2, 1, 2)),
                at(210, make_record<event("started")>(1, 1, 1, 0)),
                at(300, make_record<event("slept")>(1, 1, 1, trace::Reason::barrier))},
               3);
  append_clock(bytes, BlockType::end, 2000, 2000);
  return bytes;
}

// Bubble 5 is attached, suspended, and attached again; its member 1 stops and goes on with it.
// Turns have a source of their own.
Bytes file_with_turns() {
  Bytes bytes = header();
  append_clock(bytes, BlockType::clock, 0, 0);
  append_block(bytes, 0,
               {at(100, make_record<event("started")>(5, 1, 1, 0)),
                at(310, make_record<event("slept")>(5, 1, 1, trace::Reason::turn)),
                at(330, make_record<event("woken")>(5, 1, 0)),
                at(910, make_record<event("resumed")>(5, 1, 1)),
                at(950, make_record<event("ended")>(5, 1, 1))});
  append_block(
      bytes, 3,
      {at(90, make_record<event("attached")>(5, 0)), at(300, make_record<event("suspended")>(5)),
       at(900, make_record<event("attached")>(5, 2))});
  append_clock(bytes, BlockType::end, 2000, 2'000'000);
  return bytes;
}

// Eight letters of a name, as a record has them.
uint64_t letters(const char* name) {
  uint64_t word = 0;
  std::memcpy(&word, name, std::min<size_t>(std::strlen(name), sizeof word));
  return word;
}

// A codelet on PU 1 and two kernels of device 1, the second handed over while the first runs; its
// data is copied there.
Bytes file_with_devices() {
  Bytes bytes = header();
  append_clock(bytes, BlockType::clock, 0, 0);
  append_block(bytes, 0,
               {at(90, make_record<event("device_named")>(1, letters("a card w"), letters("ith"))),
                at(90, make_record<event("device_attached")>(1, 2)),
                at(100, make_record<event("device_memory")>(0, 1, 300, 1000)),
                at(110, make_record<event("copy_begin")>(0, 0, 1, 300)),
                at(150, make_record<event("copy_end")>(0, 0, 1)),
                at(160, make_record<event("codelet_named")>(4, letters("scale"), 0)),
                at(170, make_record<event("kernel_begin")>(0, 1, 4)),
                at(180, make_record<event("kernel_begin")>(0, 1, 4)),
                at(200, make_record<event("device_memory")>(0, 1, 700, 1000)),
                at(270, make_record<event("kernel_end")>(0, 1)),
                at(300, make_record<event("kernel_end")>(0, 1)),
                at(310, make_record<event("device_memory")>(0, 1, 0, 1000))});
  append_block(bytes, 3,
               {at(120, make_record<event("codelet_begin")>(1, 1, 4)),
                at(190, make_record<event("codelet_end")>(1, 1))});
  append_clock(bytes, BlockType::end, 2000, 2000);
  return bytes;
}

Trace read(const Bytes& bytes) {
  std::string why;
  const auto trace = read_trace(bytes, why);
  EXPECT_TRUE(trace) << why;
  return trace ? *trace : Trace{};
}

TEST(TraceFile, MergesSourcesByTime) {
  const Trace trace = read(drawn_file());
  EXPECT_EQ(trace.program, kProgram);
  EXPECT_EQ(trace.pus, 2);
  EXPECT_TRUE(trace.ended_well);
  EXPECT_EQ(trace.damage, "");
  EXPECT_EQ(trace.dropped, 3u);
  EXPECT_EQ(trace.duration, 2000);
  ASSERT_EQ(trace.levels.size(), 3u);
  EXPECT_EQ(trace.levels[2].name, "pu1");
  ASSERT_EQ(trace.events.size(), 12u);
  for (size_t i = 1; i < trace.events.size(); ++i)
    EXPECT_LE(trace.events[i - 1].time, trace.events[i].time);
  // Clock blocks, not the header, say how long a tick is.
  EXPECT_EQ(trace.events[0].time, 100);
  EXPECT_EQ(trace.events[4].of(Role::from_level), 1);
  EXPECT_EQ(trace.common_level(1, 2), 0);
  EXPECT_EQ(trace.level_of_pu(1), 2);
}

TEST(TraceFile, SummaryCountsWhatHappened) {
  const std::string text = summary_text(read(drawn_file()));
  const auto has = [&](const std::string& name, int count) {
    char line[64];
    snprintf(line, sizeof line, "  %-20s %12d\n", name.c_str(), count);
    EXPECT_NE(text.find(line), std::string::npos) << name << " in\n" << text;
  };
  has("bubbles", 1);
  has("threads", 2);
  has("switches", 1);
  has("steals", 1);
  has("  within a machine", 1);
  has("migrations", 1);
  has("dropped events", 3);
}

TEST(TraceFile, SummaryTellsOfTurns) {
  const std::string text = summary_text(read(file_with_turns()));
  EXPECT_NE(text.find("  bubbles attached                2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  bubbles suspended               1\n"), std::string::npos) << text;
  // Of 850 us it ran 250 and slept 20 until it was woken; then it was ready, aside until 900.
  for (const char* line : {"  sleeps: turn                0.020 ms    2.4%\n",
                           "  ready                       0.010 ms    1.2%\n",
                           "  ready, but suspended        0.570 ms   67.1%\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "in\n" << text;
}

std::string written(void (*write)(const Trace&, std::FILE*), const Trace& trace) {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* out = open_memstream(&text, &size);
  write(trace, out);
  std::fclose(out);
  std::string all(text, size);
  std::free(text);
  return all;
}

TEST(TraceFile, ChromeShowsTurnsOnATrackOfTheirOwn) {
  const auto chrome = nlohmann::json::parse(written(write_chrome, read(file_with_turns())));
  std::vector<std::string> turns;
  int track = -1;
  for (const auto& row : chrome["traceEvents"]) {
    if (row.value("name", "") == "thread_name" && row["args"]["name"] == "turns")
      track = row["tid"];
    if (row["ph"] == "i" && row["tid"] == track) turns.push_back(row["name"]);
  }
  EXPECT_EQ(turns, (std::vector<std::string>{"bubble 5 attached to machine", "bubble 5 suspended",
                                             "bubble 5 attached to pu1"}));
}

TEST(TraceFile, PajeShowsTurnsInTheMachine) {
  const std::string paje = written(write_paje, read(file_with_turns()));
  for (const char* line :
       {"4 0.000090000 t1 T0 l0 \"turns\"\n", "9 0.000090000 E0 t1 \"attached\"\n",
        "9 0.000300000 E0 t1 \"suspended\"\n"})
    EXPECT_NE(paje.find(line), std::string::npos) << line << "in\n" << paje;
}

TEST(TraceFile, FilmDataIsJsonThatNoScriptEndsEarly) {
  const auto film = nlohmann::json::parse(film_data(read(drawn_file())));
  EXPECT_EQ(film["version"], 1);
  EXPECT_EQ(film["program"], kProgram);
  EXPECT_EQ(film["bubbles"][0]["threads"], 2);
  EXPECT_EQ(film["bubbles"][0]["ended"], 710);
  EXPECT_EQ(film["events"][3], nlohmann::json::parse(R"([200,"stolen",1,1,2,2,1,0])"));
  EXPECT_EQ(film["events"][5], nlohmann::json::parse(R"([300,"slept",1,1,-1,1,-1,"barrier"])"));
  const auto turns = nlohmann::json::parse(film_data(read(file_with_turns())))["events"];
  EXPECT_EQ(turns[0], nlohmann::json::parse(R"([90000,"attached",5,-1,-1,0,-1,0])"));
  EXPECT_EQ(turns[2], nlohmann::json::parse(R"([300000,"suspended",5,-1,-1,-1,-1,0])"));
}

TEST(TraceFile, FilmDataHasDevices) {
  const auto film = nlohmann::json::parse(film_data(read(file_with_devices())));
  EXPECT_EQ(film["devices"],
            nlohmann::json::parse(R"([{"number":1,"name":"a card with","level":2}])"));
  EXPECT_EQ(film["codelets"], nlohmann::json::parse(R"({"4":"scale"})"));
  const auto events = nlohmann::json::parse(R"([
    [100,"device_memory",-1,-1,-1,0,-1,[1,300,1000]], [110,"copy_begin",-1,-1,-1,0,-1,[0,1,300]],
    [120,"codelet_begin",-1,-1,-1,1,-1,[1,4]], [150,"copy_end",-1,-1,-1,0,-1,[0,1]],
    [170,"kernel_begin",-1,-1,-1,0,-1,[1,4]], [180,"kernel_begin",-1,-1,-1,0,-1,[1,4]],
    [190,"codelet_end",-1,-1,-1,1,-1,[1]], [200,"device_memory",-1,-1,-1,0,-1,[1,700,1000]],
    [270,"kernel_end",-1,-1,-1,0,-1,[1]], [300,"kernel_end",-1,-1,-1,0,-1,[1]],
    [310,"device_memory",-1,-1,-1,0,-1,[1,0,1000]]])");
  EXPECT_EQ(film["events"], events);
}

// What a worker does is of no bubble: the film does not take it for the initial thread's.
TEST(TraceFile, FilmDataTellsWorkersFromThreads) {
  const auto film = nlohmann::json::parse(film_data(read(drawn_file())));
  EXPECT_EQ(film["events"][0], nlohmann::json::parse(R"([100,"awake",-1,-1,-1,0,-1,0])"));
}

TEST(TraceFile, SummaryTellsOfDevices) {
  const std::string text = summary_text(read(file_with_devices()));
  for (const char* line : {"scale, device 1                          2        0.000 ms\n",
                           "scale, processors                        1        0.000 ms\n",
                           "device 1 (a card with)                      700 bytes of 1000\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "in\n" << text;
}

TEST(TraceFile, ChromeShowsDevicesMemory) {
  const auto chrome = nlohmann::json::parse(written(write_chrome, read(file_with_devices())));
  std::vector<int> bytes;
  for (const auto& row : chrome["traceEvents"])
    if (row["ph"] == "C" && row["name"] == "memory of device 1")
      bytes.push_back(row["args"]["bytes"]);
  EXPECT_EQ(bytes, (std::vector<int>{300, 700, 0}));
}

void replace(Bytes& bytes, std::string_view before, std::string_view after) {
  const auto* start = reinterpret_cast<const char*>(bytes.data());
  const size_t at = std::string_view(start, bytes.size()).find(before);
  ASSERT_NE(at, std::string_view::npos);
  ASSERT_EQ(before.size(), after.size());
  std::memcpy(bytes.data() + at, after.data(), after.size());
}

bool has_control_character(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t') || c == '\x7f';
  });
}

// A trace comes from anybody: what a terminal would obey stands in nothing that is made of it.
TEST(TraceFile, NamesCannotSpeakToATerminal) {
  Bytes bytes = drawn_file();
  replace(bytes, "./</script>", "\x1b]0;xy\x07\x9b\x7f\xc2\x9b");
  replace(bytes, "pu0", "\x1b[m");
  const Trace trace = read(bytes);
  EXPECT_EQ(trace.program, "?]0;xy????\"app");
  EXPECT_EQ(trace.levels[1].name, "?[m");
  EXPECT_FALSE(has_control_character(summary_text(trace)));
  bytes = file_with_devices();
  replace(bytes, "a card", "\x1b]0;xy");
  replace(bytes, "scale", "\x1b[2Jx");
  EXPECT_FALSE(has_control_character(summary_text(read(bytes))));
}

TEST(TraceFile, RefusesWhatIsNone) {
  std::string why;
  EXPECT_FALSE(read_trace({}, why));
  EXPECT_FALSE(read_trace(Bytes(1000), why));
  EXPECT_EQ(why, "it is no trace of Xylem's");
  Bytes other = drawn_file();
  other[8] = std::byte{99};
  EXPECT_FALSE(read_trace(other, why));
  EXPECT_EQ(why, "it was written by another version of Xylem");
}

// Everything that can be made of a trace; the file that is written to goes nowhere.
void use(const Trace& trace) {
  std::FILE* nowhere = std::fopen("/dev/null", "w");
  ASSERT_NE(nowhere, nullptr);
  summary_text(trace);
  write_chrome(trace, nowhere);
  write_paje(trace, nowhere);
  write_film(trace, nowhere);
  std::fclose(nowhere);
}

TEST(TraceFile, StandsAnyCut) {
  const Bytes whole = drawn_file();
  for (size_t size = 0; size < whole.size(); ++size) {
    std::string why;
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    if (const auto trace = read_trace(cut, why)) {
      EXPECT_FALSE(trace->ended_well);
      use(*trace);
    } else {
      EXPECT_NE(why, "");
    }
  }
}

void stand_damage(const Bytes& whole) {
  std::mt19937 random(1);
  for (int turn = 0; turn < 3000; ++turn) {
    Bytes bytes = whole;
    const int flips = 1 + turn % 20;
    // Half of the time the header stays, so that the blocks are looked at.
    const size_t from = turn % 2 == 0 ? 0 : header().size();
    for (int flip = 0; flip < flips; ++flip)
      bytes[from + random() % (bytes.size() - from)] = static_cast<std::byte>(random());
    std::string why;
    if (const auto trace = read_trace(bytes, why)) use(*trace);
  }
}

TEST(TraceFile, StandsDamage) {
  stand_damage(drawn_file());
  stand_damage(file_with_devices());
}

}  // namespace
}  // namespace xylem::tool
