// Owns: the table of chunks. See heap_chunks.hpp.
#include "mem/heap/heap_chunks.hpp"

#include <array>
#include <atomic>
#include <new>

namespace xylem::mem {

namespace {

constexpr int address_bits = 47;  // user addresses that the kernel gives unasked
constexpr int chunk_bits = 20, leaf_bits = 14, root_bits = address_bits - chunk_bits - leaf_bits;
static_assert(chunk_bytes == std::size_t{1} << chunk_bits);

// Entries are written by who owns the chunk, before and after its blocks live (release), and read
// by who asks about an address (acquire). Who asks about a live block got its address from who was
// given it, after the entry was written.
using Leaf = std::array<std::atomic<std::uint16_t>, std::size_t{1} << leaf_bits>;

// Written once each by whoever needs it first (release), read by all (acquire), who so see zeros.
constinit std::array<std::atomic<Leaf*>, std::size_t{1} << root_bits> leaves{};

std::size_t chunk_of(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) >> chunk_bits;
}

std::atomic<Leaf*>& slot_of(std::size_t chunk) { return leaves[chunk >> leaf_bits]; }

std::atomic<std::uint16_t>& entry_in(Leaf& leaf, std::size_t chunk) {
  return leaf[chunk & (leaf.size() - 1)];
}

bool is_known_space(std::size_t chunk) { return chunk >> leaf_bits < leaves.size(); }

Leaf* leaf_for(std::size_t chunk) {
  if (!is_known_space(chunk)) return nullptr;
  std::atomic<Leaf*>& slot = slot_of(chunk);
  Leaf* leaf = slot.load(std::memory_order_acquire);
  if (leaf != nullptr) return leaf;
  Leaf* fresh = new (std::nothrow) Leaf{};
  if (fresh == nullptr) return nullptr;
  if (slot.compare_exchange_strong(leaf, fresh, std::memory_order_acq_rel)) return fresh;
  delete fresh;
  return leaf;
}

void set_chunks(const void* start, std::size_t bytes, std::uint16_t number) {
  const std::size_t first = chunk_of(start);
  for (std::size_t chunk = first; chunk < first + bytes / chunk_bytes; ++chunk)
    entry_in(*leaf_for(chunk), chunk).store(number, std::memory_order_release);
}

}  // namespace

bool record_chunks(const void* start, std::size_t bytes, std::uint16_t number) {
  const std::size_t first = chunk_of(start);
  for (std::size_t chunk = first; chunk < first + bytes / chunk_bytes; ++chunk)
    if (leaf_for(chunk) == nullptr) return false;
  set_chunks(start, bytes, number);
  return true;
}

void forget_chunks(const void* start, std::size_t bytes) { set_chunks(start, bytes, 0); }

std::uint16_t heap_number_of(const void* address) {
  const std::size_t chunk = chunk_of(address);
  if (!is_known_space(chunk)) return 0;
  Leaf* leaf = slot_of(chunk).load(std::memory_order_acquire);
  return leaf != nullptr ? entry_in(*leaf, chunk).load(std::memory_order_acquire) : 0;
}

}  // namespace xylem::mem
