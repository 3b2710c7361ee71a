// Owns: the table of pieces. See heap_pieces.hpp.
#include "mem/heap/heap_pieces.hpp"

#include <array>
#include <atomic>
#include <new>

namespace xylem::mem {

namespace {

constexpr int address_bits = 47;  // user addresses that the kernel gives unasked
constexpr int piece_bits = 20, leaf_bits = 14, root_bits = address_bits - piece_bits - leaf_bits;
static_assert(piece_bytes == std::size_t{1} << piece_bits);

// Entries are written by who owns the piece, before and after its blocks live (release), and read
// by who asks about an address (acquire). Who asks about a live block got its address from who was
// given it, after the entry was written.
using Leaf = std::array<std::atomic<std::uint16_t>, std::size_t{1} << leaf_bits>;

// Written once each by whoever needs it first (release), read by all (acquire), who so see zeros.
constinit std::array<std::atomic<Leaf*>, std::size_t{1} << root_bits> leaves{};

std::size_t piece_of(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) >> piece_bits;
}

std::atomic<Leaf*>& slot_of(std::size_t piece) { return leaves[piece >> leaf_bits]; }

std::atomic<std::uint16_t>& entry_in(Leaf& leaf, std::size_t piece) {
  return leaf[piece & (leaf.size() - 1)];
}

bool is_known_space(std::size_t piece) { return piece >> leaf_bits < leaves.size(); }

Leaf* leaf_for(std::size_t piece) {
  if (!is_known_space(piece)) return nullptr;
  std::atomic<Leaf*>& slot = slot_of(piece);
  Leaf* leaf = slot.load(std::memory_order_acquire);
  if (leaf != nullptr) return leaf;
  Leaf* fresh = new (std::nothrow) Leaf{};
  if (fresh == nullptr) return nullptr;
  if (slot.compare_exchange_strong(leaf, fresh, std::memory_order_acq_rel)) return fresh;
  delete fresh;
  return leaf;
}

void set_pieces(const void* start, std::size_t bytes, std::uint16_t number) {
  const std::size_t first = piece_of(start);
  for (std::size_t piece = first; piece < first + bytes / piece_bytes; ++piece)
    entry_in(*leaf_for(piece), piece).store(number, std::memory_order_release);
}

}  // namespace

bool record_pieces(const void* start, std::size_t bytes, std::uint16_t number) {
  const std::size_t first = piece_of(start);
  for (std::size_t piece = first; piece < first + bytes / piece_bytes; ++piece)
    if (leaf_for(piece) == nullptr) return false;
  set_pieces(start, bytes, number);
  return true;
}

void forget_pieces(const void* start, std::size_t bytes) { set_pieces(start, bytes, 0); }

std::uint16_t heap_number_of(const void* address) {
  const std::size_t piece = piece_of(address);
  if (!is_known_space(piece)) return 0;
  Leaf* leaf = slot_of(piece).load(std::memory_order_acquire);
  return leaf != nullptr ? entry_in(*leaf, piece).load(std::memory_order_acquire) : 0;
}

}  // namespace xylem::mem
