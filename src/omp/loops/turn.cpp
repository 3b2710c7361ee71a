// Owns: waiting for the turn of an ordered loop. See turn.hpp; progress.hpp says why no wake-up is
// lost in a row. Nor is one where there are no rows: who sleeps publishes them, then looks at the
// turn; who hands it on writes the turn, then looks for rows. All four are sequentially consistent;
// tests/model/turn_sleep.pml checks it by all interleavings.
#include "omp/loops/turn.hpp"

#include <algorithm>
#include <bit>
#include <memory>

#include "base/relax.hpp"

namespace xylem::omp {

namespace {

constexpr int most_rows = 256;
// In base::relax(): for who is next about a microsecond.
constexpr uint64_t short_spin = 40;
constexpr uint64_t most_between_polls = 128;

// As if all chunks before it were as long as the chunk.
uint64_t relaxes_until_next_poll(const Chunk& chunk, uint64_t turn) {
  const uint64_t before = chunk.first - turn;
  if (before <= chunk.count) return 1;  // it is next: no division
  return std::min((before - 1) / chunk.count + 1, most_between_polls);
}

}  // namespace

void Turn::reset(int members, bool all_run) {
  // relaxed: published with the record
  value_.store(0, std::memory_order_relaxed);
  const int rows = static_cast<int>(std::bit_ceil(unsigned(std::min(members, most_rows))));
  const auto row_bits = static_cast<uint8_t>(std::countr_zero(unsigned(rows)));
  if (row_bits > row_bits_) drop_rows();
  // They are seldom others, and the members that ran the record before have their cache line.
  if (row_bits != row_bits_) row_bits_ = row_bits;
  if (all_run != all_run_) all_run_ = all_run;
}

void Turn::drop_rows() {
  delete[] rows_.load(std::memory_order_relaxed);  // relaxed: nobody else looks
  rows_.store(nullptr, std::memory_order_relaxed);
}

Turn::Row* Turn::rows() {
  Row* there = rows_.load(std::memory_order_seq_cst);
  if (there != nullptr) return there;
  auto made = std::make_unique<Row[]>(size_t{1} << row_bits_);
  // pairs with the load in wake()
  if (!rows_.compare_exchange_strong(there, made.get(), std::memory_order_seq_cst)) return there;
  return made.release();
}

// By a product's high bits: neighbours stand in different rows, whatever the length of chunks.
size_t Turn::row_of(uint64_t first) const {
  const uint64_t spread = first * 0x9E3779B97F4A7C15u;
  return row_bits_ == 0 ? 0 : spread >> (64 - row_bits_);
}

// False if the turn stood still for too long.
bool Turn::spin(const Chunk& chunk) const {
  uint64_t seen = value();
  for (uint64_t spent = 0; seen < chunk.first;) {
    const uint64_t relaxes = relaxes_until_next_poll(chunk, seen);
    for (uint64_t i = 0; i < relaxes; ++i) base::relax();
    const uint64_t now = value();
    spent = now != seen && all_run_ ? 0 : spent + relaxes;
    if (now < chunk.first && spent >= short_spin) return false;
    seen = now;
  }
  return true;
}

void Turn::wait_long(const Chunk& chunk) {
  while (!spin(chunk)) {
    rows()[row_of(chunk.first)].sleep(value_, chunk.first);
    if (reached(chunk)) return;
  }
}

void Turn::wake(uint64_t first) {
  Row* rows = rows_.load(std::memory_order_seq_cst);  // pairs with rows()
  if (rows == nullptr) return;
  if (Row& row = rows[row_of(first)]; row.any()) row.wake(first);
}

void Turn::hand_on(const Chunk& chunk) {
  const uint64_t next = chunk.first + chunk.count;
  value_.store(next, std::memory_order_seq_cst);  // pairs with reached() and Sleepers::sleep()
  wake(next);
}

void Turn::skip(uint64_t from, uint64_t to) {
  // pairs as in hand_on()
  if (value_.compare_exchange_strong(from, to, std::memory_order_seq_cst)) wake(to);
}

}  // namespace xylem::omp
