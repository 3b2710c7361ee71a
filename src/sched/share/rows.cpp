// Owns: rows as bytes. See rows.hpp.
#include "sched/share/rows.hpp"

#include <algorithm>
#include <cstring>

namespace xylem::sched {

namespace {

constexpr uint64_t magic = 0x31776f526d6c7958;  // "XylmRow1"

// The bytes of a row, in the machine's own order: the table is the machine's.
struct Words {
  uint64_t magic, process;
  int64_t told_ns;
  uint64_t needs;
  uint64_t cpus[CpuMask::most / 64];
  uint64_t spare[3];
  uint64_t checksum;
};
static_assert(sizeof(Words) == row_bytes);

// Of all words before it. A row that two writers mixed, or that was read while it was written, does
// not have it.
uint64_t checksum_of(const Words& words) {
  std::array<uint64_t, row_bytes / sizeof(uint64_t)> all;
  std::memcpy(all.data(), &words, sizeof words);
  uint64_t sum = 0xcbf29ce484222325;
  for (size_t i = 0; i + 1 < all.size(); ++i) {
    sum = (sum ^ all[i]) * 0x100000001b3;
    sum ^= sum >> 29;
  }
  return sum;
}

}  // namespace

RowBytes write_row(const ProcessRow& row) {
  Words words{};
  words.magic = magic;
  words.process = static_cast<uint64_t>(row.process);
  words.told_ns = row.told_ns;
  words.needs = static_cast<uint64_t>(row.needs);
  std::ranges::copy(row.cpus.words(), words.cpus);
  words.checksum = checksum_of(words);
  return std::bit_cast<RowBytes>(words);
}

std::optional<ProcessRow> read_row(std::span<const std::byte> bytes) {
  Words words;
  std::memcpy(&words, bytes.data(), sizeof words);
  if (words.magic != magic || words.checksum != checksum_of(words)) return std::nullopt;
  if (words.process == 0 || words.process > INT32_MAX || words.needs > CpuMask::most)
    return std::nullopt;
  ProcessRow row;
  row.process = static_cast<int>(words.process);
  row.told_ns = words.told_ns;
  row.needs = static_cast<int>(words.needs);
  std::ranges::copy(words.cpus, row.cpus.words().begin());
  return row;
}

}  // namespace xylem::sched
