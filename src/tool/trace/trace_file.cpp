// Reading traces. See trace_file.hpp.
#include "tool/trace/trace_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <sstream>

#include "tool/command/common.hpp"
#include "trace/format.hpp"

namespace xylem::tool {

namespace {

using trace::Block;
using trace::BlockType;
using trace::FileHeader;
using trace::Record;

constexpr uint32_t kMostPus = 1u << 20;

// What a moment was by both clocks, since the trace's start.
struct Clock {
  uint64_t ticks = 0;
  int64_t ns = 0;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::optional<Trace> read(std::string& why) {
    why = read_header();
    if (!why.empty()) return std::nullopt;
    while (at_ < bytes_.size() && trace_.damage.empty()) trace_.damage = read_block();
    put_times();
    for (const TraceSource& source : trace_.sources) trace_.dropped += source.dropped;
    return std::move(trace_);
  }

 private:
  template <typename T>
  bool take(T& out) {
    if (bytes_.size() - at_ < sizeof(T)) return false;
    std::memcpy(&out, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return true;
  }

  std::string text(size_t from, size_t count) const {
    return {reinterpret_cast<const char*>(bytes_.data()) + from, count};
  }

  std::string read_header();
  std::string read_levels(const std::string& text);
  std::string read_block();
  std::string read_records(const Block& block);
  int source_of(const Block& block);
  void put_times();
  int64_t ns_of(uint64_t ticks) const;

  std::span<const std::byte> bytes_;
  size_t at_ = 0;
  Trace trace_;
  std::map<uint32_t, int> source_index_;
  double ns_per_tick_ = 1;  // by the header's measure
  bool ticks_are_ns_ = false;
  Clock last_;
};

std::string Reader::read_header() {
  FileHeader header;
  if (!take(header) || std::memcmp(header.magic, trace::file_magic, sizeof header.magic) != 0)
    return "it is no trace of Xylem's";
  if (header.version != trace::file_version || header.table != trace::table_mark() ||
      header.record_bytes != sizeof(Record))
    return "it was written by another version of Xylem";
  const uint64_t texts = uint64_t{header.program_bytes} + header.machine_bytes;
  if (header.bytes < sizeof header || header.bytes % 8 != 0 || header.bytes > bytes_.size() ||
      texts > header.bytes - sizeof header || header.pus == 0 || header.pus > kMostPus ||
      header.ticks_per_second == 0)
    return "its header is damaged";
  trace_.program = printable(text(sizeof header, header.program_bytes));
  trace_.process = static_cast<int>(header.process);
  trace_.pus = static_cast<int>(header.pus);
  ticks_are_ns_ = header.processor_ticks == 0;
  ns_per_tick_ = 1e9 / static_cast<double>(header.ticks_per_second);
  at_ = header.bytes;
  return read_levels(text(sizeof header + header.program_bytes, header.machine_bytes));
}

std::string Reader::read_levels(const std::string& machine) {
  std::istringstream lines(machine);
  TraceLevel level;
  int os_index = 0, cache_depth = 0;
  while (lines >> level.kind >> os_index >> cache_depth >> level.parent >> level.first_pu >>
         level.pus >> level.name) {
    const int index = static_cast<int>(trace_.levels.size());
    const bool rooted = index == 0 ? level.parent == -1 : level.parent >= 0 && level.parent < index;
    if (!rooted || level.first_pu < 0 || level.pus < 1 || level.pus > trace_.pus ||
        level.first_pu > trace_.pus - level.pus)
      return "its description of the machine is damaged";
    level.name = printable(level.name);
    trace_.levels.push_back(level);
  }
  return trace_.levels.empty() || !lines.eof() ? "its description of the machine is damaged" : "";
}

std::string Reader::read_block() {
  Block block;
  const size_t start = at_;
  if (!take(block)) return fmt::format("it is cut off at byte {}", start);
  if (block.magic != trace::block_magic) return fmt::format("it is damaged at byte {}", start);
  switch (block.type) {
    case BlockType::records:
      return read_records(block);
    case BlockType::end:
      trace_.ended_well = true;
      [[fallthrough]];
    case BlockType::clock:
      if (block.ns >= last_.ns && block.ticks >= last_.ticks) last_ = {block.ticks, block.ns};
      return "";
  }
  return fmt::format("it is damaged at byte {}", start);
}

int Reader::source_of(const Block& block) {
  const auto [found, is_new] =
      source_index_.try_emplace(block.source, static_cast<int>(trace_.sources.size()));
  if (is_new)
    trace_.sources.push_back(
        {block.source, static_cast<trace::SourceKind>(std::min<uint16_t>(block.source_kind, 2)),
         0});
  return found->second;
}

std::string Reader::read_records(const Block& block) {
  const size_t start = at_;
  const int source = source_of(block);
  trace_.sources[static_cast<size_t>(source)].dropped = block.dropped;
  for (uint32_t i = 0; i < block.count; ++i) {
    Record record;
    if (!take(record)) return fmt::format("it is cut off in the block at byte {}", start);
    if (record.kind() >= trace::event_count)
      return fmt::format("it is damaged in the block at byte {}", start);
    trace_.events.push_back({0, source, record});
  }
  return "";
}

int64_t Reader::ns_of(uint64_t ticks) const {
  const double rate = !ticks_are_ns_ && last_.ticks > 0
                          ? static_cast<double>(last_.ns) / static_cast<double>(last_.ticks)
                          : ns_per_tick_;
  const double ns = static_cast<double>(ticks) * rate;
  constexpr double most = 1e16;  // four months; more is damage
  return static_cast<int64_t>(std::min(ns, most));
}

// Stable: a source puts its records in order, but for wakes, which it puts when the thread goes on.
void Reader::put_times() {
  const auto sooner = [](const TraceEvent& a, const TraceEvent& b) {
    return a.record.ticks() < b.record.ticks();
  };
  std::stable_sort(trace_.events.begin(), trace_.events.end(), sooner);
  for (TraceEvent& event : trace_.events) event.time = ns_of(event.record.ticks());
  trace_.duration = ns_of(last_.ticks);
  if (!trace_.events.empty())
    trace_.duration = std::max(trace_.duration, trace_.events.back().time);
}

}  // namespace

std::optional<Trace> read_trace(std::span<const std::byte> bytes, std::string& why) {
  return Reader(bytes).read(why);
}

int Trace::common_level(int64_t a, int64_t b) const {
  if (!has_level(a) || !has_level(b)) return 0;
  // A parent's index is less than its child's: the larger one cannot hold the other.
  while (a != b) {
    int64_t& lower = a > b ? a : b;
    lower = levels[static_cast<size_t>(lower)].parent;
  }
  return static_cast<int>(a);
}

int Trace::level_of_pu(int64_t pu) const {
  for (size_t level = levels.size(); level-- > 0;)
    if (levels[level].pus == 1 && levels[level].first_pu == pu) return static_cast<int>(level);
  return 0;
}

}  // namespace xylem::tool
