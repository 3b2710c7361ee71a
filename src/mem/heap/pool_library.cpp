// Owns: loading the pools. See pool_library.hpp.
#include "mem/heap/pool_library.hpp"

#include <atomic>
#include <new>

#include "base/report.hpp"
#include "os/shared_object.hpp"
#include "os/tls.hpp"

namespace xylem::mem {

namespace {

constexpr const char* library_name = "libtbbmalloc.so.2";
// In the order of PoolLibrary's members.
constexpr const char* symbols[] = {
    "_ZN3rml14pool_create_v1ElPKNS_13MemPoolPolicyEPPNS_10MemoryPoolE",
    "_ZN3rml11pool_mallocEPNS_10MemoryPoolEm", "_ZN3rml19pool_aligned_mallocEPNS_10MemoryPoolEmm",
    "_ZN3rml9pool_freeEPNS_10MemoryPoolEPv", "_ZN3rml10pool_msizeEPNS_10MemoryPoolEPv"};
constexpr std::size_t symbol_count = sizeof symbols / sizeof *symbols;

constinit const PoolLibrary missing{};
// What pool_library() found: null before, &missing if there is none. Written by whoever comes first
// (release), read by all who allocate (acquire), who so see the table behind it.
constinit std::atomic<const PoolLibrary*> found_library{nullptr};

const PoolLibrary* find() {
  if (os::sanitizer_loaded()) return &missing;
  void* found[symbol_count] = {};
  if (!os::load_library(library_name, symbols, found)) {
    base::warn_once(
        "%s cannot be loaded: each block on a node takes pages of its own; install oneTBB's "
        "allocator (Debian: libtbbmalloc2) for heaps of small blocks",
        library_name);
    return &missing;
  }
  auto* table = new (std::nothrow) PoolLibrary;
  if (table == nullptr) return &missing;
  table->create = reinterpret_cast<decltype(table->create)>(found[0]);
  table->allocate = reinterpret_cast<decltype(table->allocate)>(found[1]);
  table->allocate_aligned = reinterpret_cast<decltype(table->allocate_aligned)>(found[2]);
  table->free = reinterpret_cast<decltype(table->free)>(found[3]);
  table->usable = reinterpret_cast<decltype(table->usable)>(found[4]);
  return table;
}

// Several threads may find it at once: the first one's table counts.
const PoolLibrary* find_once() {
  const PoolLibrary* mine = find();
  const PoolLibrary* first = nullptr;
  if (found_library.compare_exchange_strong(first, mine, std::memory_order_acq_rel)) return mine;
  if (mine != &missing) delete mine;
  return first;
}

}  // namespace

const PoolLibrary* pool_library() {
  const PoolLibrary* library = found_library.load(std::memory_order_acquire);
  if (library == nullptr) library = find_once();
  return library != &missing ? library : nullptr;
}

}  // namespace xylem::mem
