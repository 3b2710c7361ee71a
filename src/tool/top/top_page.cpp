// Reading the page: see top_page.hpp.
#include "tool/top/top_page.hpp"

#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include "os/processes.hpp"
#include "sched/worker/pool.hpp"
#include "tool/command/common.hpp"
#include "topo/machine.hpp"

namespace xylem::tool {

namespace {

using sched::LiveBubble;
using sched::LiveControl;
using sched::LiveDevice;
using sched::LiveHeader;
using sched::LiveLevel;
using sched::LivePu;
using sched::LiveWord;

constexpr uint64_t kMostLevels = 1 << 17;
constexpr uint64_t kMostBubbles = 1 << 16;
constexpr size_t kHeaderWords = sizeof(LiveHeader) / sizeof(LiveWord);
constexpr size_t kControlWords = sizeof(LiveControl) / sizeof(LiveWord);
constexpr auto kMachineKind = static_cast<int64_t>(topo::LevelKind::machine);
constexpr auto kLastKind = static_cast<int64_t>(topo::LevelKind::group);
constexpr auto kPuKind = static_cast<int64_t>(topo::LevelKind::pu);
constexpr auto kLastState = static_cast<int64_t>(sched::SlotState::lent);
constexpr auto kLastBubbleKind = static_cast<int64_t>(sched::LiveBubbleKind::inner_team);
constexpr int64_t kMostNodes = 1 << 20;

// Takes rows off the front; the caller has seen to it that they are there.
class Reader {
 public:
  explicit Reader(std::span<const uint64_t> words) : rest_(words) {}

  template <typename Row>
  Row take() {
    Row row;
    std::memcpy(&row, rest_.data(), sizeof row);
    rest_ = rest_.subspan(sizeof(Row) / sizeof(uint64_t));
    return row;
  }
  void skip(size_t words) { rest_ = rest_.subspan(words); }

 private:
  std::span<const uint64_t> rest_;
};

template <size_t room>
std::string text_of(const char (&text)[room]) {
  return printable({text, strnlen(text, room)});
}

bool within(int64_t value, int64_t least, int64_t most) { return value >= least && value <= most; }

const char* check_header(const LiveHeader& header, size_t words) {
  if (header.magic != sched::live_magic) return "it is no page of Xylem";
  if (header.version != sched::live_version) return "another version of Xylem wrote it";
  if (header.levels == 0 || header.levels > kMostLevels || header.pus == 0 ||
      header.pus > header.levels || header.bubble_room > kMostBubbles)
    return "it is damaged: the machine's size makes no sense";
  if (header.words != words ||
      sched::live_words_of(header.levels, header.pus, header.bubble_room) != words)
    return "it is damaged: its size is wrong";
  return nullptr;
}

const char* check_level(const LiveLevel& level, int64_t index, int64_t pus) {
  const bool root = index == 0;
  if (root ? level.parent != -1 : !within(level.parent, 0, index - 1))
    return "it is damaged: the levels are no tree";
  if (!within(level.kind, 0, kLastKind) || root != (level.kind == kMachineKind) ||
      !within(level.cache_depth, 0, 9) || !within(level.first_pu, 0, pus - 1) ||
      !within(level.pu_count, 1, pus - level.first_pu) ||
      !within(level.waiting, 0, sched::live_most_waiting))
    return "it is damaged: a level makes no sense";
  return nullptr;
}

const char* check_pu(const LivePu& pu, int64_t number, const std::vector<LiveLevel>& levels) {
  if (!within(pu.level, 0, static_cast<int64_t>(levels.size()) - 1) ||
      !within(pu.node, -1, kMostNodes) || !within(pu.state, 0, kLastState) ||
      !within(pu.extras, 0, kMostNodes))
    return "it is damaged: a PU makes no sense";
  const LiveLevel& level = levels[static_cast<size_t>(pu.level)];
  const bool alone = levels.size() == 1;  // a machine of one PU may be one level
  if ((level.kind != kPuKind && !alone) || level.first_pu != number || level.pu_count != 1)
    return "it is damaged: a PU names a level that is not its own";
  return nullptr;
}

const char* check_device(const LiveDevice& device) {
  if (!within(device.gone, 0, 1) || device.capacity < 0 || device.used < 0 || device.busy_ns < 0)
    return "it is damaged: a device makes no sense";
  return nullptr;
}

const char* check_engines(const sched::LiveEngines& engines) {
  const bool fits = engines.local_before <= 1000 && engines.local_after <= 1000;
  return fits && engines.gain_ns >= 0 ? nullptr : "it is damaged: the engines make no sense";
}

const char* check_bubble(const LiveBubble& bubble, int64_t levels) {
  if (!within(bubble.burst_kind, -1, kLastKind) || !within(bubble.level, -2, levels - 1) ||
      !within(bubble.kind, 0, kLastBubbleKind))
    return "it is damaged: a bubble makes no sense";
  return nullptr;
}

// Rows that are not used are skipped.
const char* parse_devices(Reader& reader, LiveSnapshot& out) {
  for (int64_t row = 0; row < sched::live_device_room; ++row) {
    const auto device = reader.take<LiveDevice>();
    if (row >= out.totals.devices) continue;
    out.devices.push_back(device);
    if (const char* wrong = check_device(device)) return wrong;
  }
  return nullptr;
}

const char* parse_rows(Reader reader, const LiveHeader& header, LiveSnapshot& out) {
  const auto levels = static_cast<int64_t>(header.levels);
  const auto pus = static_cast<int64_t>(header.pus);
  out.totals = reader.take<sched::LiveTotals>();
  if (!within(out.totals.bubbles, 0, static_cast<int64_t>(header.bubble_room)) ||
      !within(out.totals.devices, 0, sched::live_device_room) || out.totals.bubbles_left_out < 0 ||
      out.totals.open_regions < 0)
    return "it is damaged: the sums make no sense";
  if (const char* wrong = check_engines(out.totals.engines)) return wrong;
  for (int64_t index = 0; index < levels; ++index) {
    out.levels.push_back(reader.take<LiveLevel>());
    if (const char* wrong = check_level(out.levels.back(), index, pus)) return wrong;
  }
  for (int64_t pu = 0; pu < pus; ++pu) {
    out.pus.push_back(reader.take<LivePu>());
    if (const char* wrong = check_pu(out.pus.back(), pu, out.levels)) return wrong;
  }
  if (const char* wrong = parse_devices(reader, out)) return wrong;
  for (int64_t row = 0; row < out.totals.bubbles; ++row) {
    out.bubbles.push_back(reader.take<LiveBubble>());
    if (const char* wrong = check_bubble(out.bubbles.back(), levels)) return wrong;
  }
  return nullptr;
}

}  // namespace

std::string device_name(const LiveDevice& device) { return text_of(device.name); }

std::string source_name(const sched::LiveEngines& engines) { return text_of(engines.source); }

const char* parse_live_page(std::span<const uint64_t> words, LiveSnapshot& out) {
  out = {};
  if (words.size() < sched::live_words_of(1, 1, 0)) return "it is too short";
  Reader reader(words);
  const auto header = reader.take<LiveHeader>();
  if (const char* wrong = check_header(header, words.size())) return wrong;
  reader.skip(kControlWords);
  out.policy = text_of(header.policy);
  out.machine = text_of(header.machine);
  out.process = header.process;
  return parse_rows(reader, header, out);
}

// --- the page of a process -----------------------------------------------------------------------

const LiveControl& LivePage::control() const {
  return *reinterpret_cast<const LiveControl*>(words_.data() + kHeaderWords);
}

std::string LivePage::attach(int process) {
  const int descriptor = os::find_shared_memory(process, sched::live_name);
  int error = descriptor < 0 ? descriptor : memory_.attach(process, descriptor);
  if (error == -EPROTO) return "the memory that it calls xylem is not Xylem's";
  if (error < 0) return strerrordesc_np(-error);
  const std::span<std::byte> bytes = memory_.bytes();
  words_ = {reinterpret_cast<LiveWord*>(bytes.data()), bytes.size() / sizeof(LiveWord)};
  LiveSnapshot first;
  if (std::string wrong = read(first); !wrong.empty()) return wrong;
  const long inside = os::number_inside(process);
  if (inside >= 0 && first.process != static_cast<uint64_t>(inside))
    return fmt::format("its page is that of process {}, whose child it is", first.process);
  return {};
}

uint64_t LivePage::ask() {
  // relaxed: see LiveControl
  return const_cast<LiveControl&>(control()).request.fetch_add(1, std::memory_order_relaxed) + 1;
}

bool LivePage::may_answer(uint64_t number) const {
  const LiveWord& answers = words_[kHeaderWords + kControlWords];  // LiveTotals::answers
  // relaxed: read() decides
  return static_cast<int64_t>(answers.load(std::memory_order_relaxed) - number) >= 0;
}

// Before memory is taken for a copy. The header may change until it is copied: it is checked again.
const char* LivePage::check_size() const {
  if (words_.size() < sched::live_words_of(1, 1, 0)) return "it is too short";
  std::array<uint64_t, kHeaderWords> header;
  for (size_t word = 0; word < kHeaderWords; ++word)
    header[word] = words_[word].load(std::memory_order_acquire);
  return check_header(Reader(header).take<LiveHeader>(), words_.size());
}

std::string LivePage::read(LiveSnapshot& out) const {
  if (const char* wrong = check_size()) return wrong;
  std::vector<uint64_t> copy(words_.size());
  constexpr int most_tries = 200;  // a writer needs microseconds, unless it was killed in between
  for (int turn = 0; turn < most_tries; ++turn) {
    if (turn > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    // acquire: pairs with the stores of LiveWriter::write(); live_page.hpp has the proof
    const uint64_t before = control().sequence.load(std::memory_order_acquire);
    if (before % 2 != 0) continue;
    for (size_t word = 0; word < copy.size(); ++word)
      copy[word] = words_[word].load(std::memory_order_acquire);
    if (control().sequence.load(std::memory_order_relaxed) != before) continue;
    const char* wrong = parse_live_page(copy, out);
    return wrong ? wrong : "";
  }
  return "it is never at rest";
}

uint64_t LivePage::regions() const { return control().regions.load(std::memory_order_relaxed); }

int LivePage::monitor() const {
  return static_cast<int>(control().monitor.load(std::memory_order_relaxed));
}

}  // namespace xylem::tool
