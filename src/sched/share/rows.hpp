// Owns: the form of the table in which processes of one user tell each other which processors they
// may use and how many they need: a row for each process, in a file of such rows (os/row_file.hpp).
//
// A row counts if it is whole (its checksum fits), fresh, and its lock is held. What a row says is
// bounded and nothing is done by it but dividing processors (division.hpp): a row that lies costs
// processors, no more.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace xylem::sched {

// Processors by the kernel's numbers.
class CpuMask {
 public:
  static constexpr int most = 1024;

  static bool has_room_for(int cpu) { return cpu >= 0 && cpu < most; }
  // Precondition of both: has_room_for(cpu).
  void add(int cpu) { words_[word(cpu)] |= bit(cpu); }
  bool has(int cpu) const { return (words_[word(cpu)] & bit(cpu)) != 0; }
  void remove(int cpu) { words_[word(cpu)] &= ~bit(cpu); }
  int count() const {
    int sum = 0;
    for (const uint64_t bits : words_) sum += std::popcount(bits);
    return sum;
  }
  // Calls visit(cpu) in rising order.
  template <typename Visit>
  void each(Visit visit) const {
    for (size_t w = 0; w < words_.size(); ++w)
      for (uint64_t left = words_[w]; left != 0; left &= left - 1)
        visit(static_cast<int>(w) * 64 + std::countr_zero(left));
  }
  CpuMask operator&(const CpuMask& other) const {
    CpuMask both = *this;
    for (size_t w = 0; w < words_.size(); ++w) both.words_[w] &= other.words_[w];
    return both;
  }
  bool operator==(const CpuMask&) const = default;
  std::span<const uint64_t> words() const { return words_; }
  std::span<uint64_t> words() { return words_; }

 private:
  static size_t word(int cpu) { return static_cast<size_t>(cpu) / 64; }
  static uint64_t bit(int cpu) { return uint64_t{1} << (cpu % 64); }
  std::array<uint64_t, most / 64> words_{};
};

struct ProcessRow {
  int process = 0;      // its number
  int64_t told_ns = 0;  // when it said this, by the machine's monotonic clock
  int needs = 0;        // processors that it could use now; 0: it rests
  CpuMask cpus;         // which it may use
  bool operator==(const ProcessRow&) const = default;
};

inline constexpr size_t row_bytes = 192;
inline constexpr int most_rows = 256;
inline constexpr const char* table_kind = "processors-1";  // the number is the form's version
using RowBytes = std::array<std::byte, row_bytes>;

// A process that tells nothing for so long is stopped, or did not leave its row by itself: the
// others count it no more.
inline constexpr int64_t row_lives_ns = 1'000'000'000;

RowBytes write_row(const ProcessRow& row);
// Empty if the bytes are no whole row. Precondition: there are row_bytes of them.
std::optional<ProcessRow> read_row(std::span<const std::byte> bytes);

inline bool is_fresh(const ProcessRow& row, int64_t now_ns) {
  return row.told_ns <= now_ns && now_ns - row.told_ns < row_lives_ns;
}

}  // namespace xylem::sched
