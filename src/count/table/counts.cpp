// Owns: the hash table behind Counts. See counts.hpp.
#include "count/table/counts.hpp"

#include <algorithm>

namespace xylem::count {

namespace {

constexpr std::size_t least_room = 16;

std::size_t hash_of(uint64_t row, int node) {
  uint64_t z = row * 0x9e3779b97f4a7c15U + static_cast<uint64_t>(node);
  z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93U;
  return z ^ (z >> 32);
}

uint64_t sum_of(uint64_t a, uint64_t b, uint64_t most) { return b > most - a ? most : a + b; }

bool is_before(const Cell& a, const Cell& b) {
  return a.row != b.row ? a.row < b.row : a.node < b.node;
}

double distance(double a, double b) { return a < b ? b - a : a - b; }

}  // namespace

Counts::Counts(Rows rows, int nodes, std::size_t page_bytes)
    : rows_(rows), nodes_(nodes), page_bytes_(page_bytes) {}

// The cell of the pair, or the free place where it would be. The table is not empty and not full.
Cell& Counts::place_of(uint64_t row, int node) {
  const std::size_t mask = places_.size() - 1;
  std::size_t at = hash_of(row, node) & mask;
  while (places_[at].accesses() != 0 && (places_[at].row != row || places_[at].node != node))
    at = (at + 1) & mask;
  return places_[at];
}

void Counts::grow() {
  std::vector<Cell> old(std::max(least_room, places_.size() * 2));
  old.swap(places_);
  for (const Cell& cell : old)
    if (cell.accesses() != 0) place_of(cell.row, cell.node) = cell;
}

void Counts::add(uint64_t row, int node, uint64_t reads, uint64_t writes) {
  if (reads == 0 && writes == 0) return;
  if (2 * (used_ + 1) > places_.size()) grow();
  Cell& cell = place_of(row, node);
  if (cell.accesses() == 0) {
    cell = {row, node, 0, 0};
    ++used_;
  }
  cell.reads = sum_of(cell.reads, std::min(reads, most_accesses), most_accesses);
  cell.writes = sum_of(cell.writes, std::min(writes, most_accesses), most_accesses);
}

bool Counts::merge(const Counts& other) {
  if (other.rows_ != rows_ || other.nodes_ != nodes_ || other.page_bytes_ != page_bytes_)
    return false;
  if (&other == this) {
    for (Cell& cell : places_) {
      cell.reads = sum_of(cell.reads, cell.reads, most_accesses);
      cell.writes = sum_of(cell.writes, cell.writes, most_accesses);
    }
    return true;
  }
  for (const Cell& cell : other.places_) add(cell.row, cell.node, cell.reads, cell.writes);
  return true;
}

void Counts::decay(int halvings) {
  std::vector<Cell> old;
  old.swap(places_);
  used_ = 0;
  if (halvings >= 62) return;
  for (const Cell& cell : old)
    add(cell.row, cell.node, cell.reads >> halvings, cell.writes >> halvings);
}

void Counts::clear() {
  places_.clear();
  used_ = 0;
}

Cell Counts::at(uint64_t row, int node) const {
  if (used_ == 0) return {row, node, 0, 0};
  Cell cell = const_cast<Counts*>(this)->place_of(row, node);  // which changes nothing
  cell.row = row;
  cell.node = node;
  return cell;
}

uint64_t Counts::accesses() const {
  uint64_t sum = 0;
  for (const Cell& cell : places_) sum = sum_of(sum, cell.accesses(), UINT64_MAX);
  return sum;
}

std::vector<Cell> Counts::sorted() const {
  std::vector<Cell> cells;
  cells.reserve(used_);
  for (const Cell& cell : places_)
    if (cell.accesses() != 0) cells.push_back(cell);
  std::sort(cells.begin(), cells.end(), is_before);
  return cells;
}

double difference(const Counts& one, const Counts& other) {
  if (one.rows() != other.rows() || one.nodes() != other.nodes() ||
      one.page_bytes() != other.page_bytes())
    return 1;
  if (one.empty() || other.empty()) return one.empty() && other.empty() ? 0 : 1;
  const auto of_one = static_cast<double>(one.accesses());
  const auto of_other = static_cast<double>(other.accesses());
  double apart = 0;
  for (const Cell& cell : one.sorted()) {
    const Cell there = other.at(cell.row, cell.node);
    apart += distance(static_cast<double>(cell.accesses()) / of_one,
                      static_cast<double>(there.accesses()) / of_other);
  }
  for (const Cell& cell : other.sorted())
    if (one.at(cell.row, cell.node).accesses() == 0)
      apart += static_cast<double>(cell.accesses()) / of_other;
  return apart / 2;
}

}  // namespace xylem::count
