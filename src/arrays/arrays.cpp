// Owns: the table's slots, and what the runtime asks. See arrays.hpp.
#include "arrays/arrays.hpp"

#include <atomic>

#include "base/export.hpp"
#include "os/direct_calls.hpp"

namespace xylem::arrays {

namespace {

constexpr std::size_t slots = 8192, sites = 2048, longest_probe = 64;
constexpr uintptr_t empty = 0, left = 1, changing = 2;  // otherwise where the block begins

// `start` is written by who has made it `changing`, and publishes the rest (release).
struct Slot {
  std::atomic<uintptr_t> start;
  std::atomic<std::size_t> bytes;  // relaxed, as the next two: `start` orders them
  std::atomic<uintptr_t> site;
  std::atomic<uint32_t> ordinal;
};

struct Site {
  std::atomic<uintptr_t> address;   // 0: free; never changes again
  std::atomic<uint32_t> allocated;  // relaxed: a number
};

constinit Slot the_slots[slots];
constinit Site the_sites[sites];
// By where probing begins: blocks that live. Relaxed: who frees a block knows of its record.
constinit std::atomic<uint32_t> living[slots];
constinit std::atomic<os::ArrayListener> listener{nullptr};
// See arrays.hpp: holds and changes.
constinit std::atomic<bool> is_held{false};
constinit std::atomic<uint32_t> changes{0};

std::size_t spread(uintptr_t word, std::size_t room) {
  return static_cast<std::size_t>((word * 0x9e3779b97f4a7c15ull) >> 40) % room;
}

uint32_t next_ordinal(uintptr_t address) {
  const std::size_t first = spread(address, sites);
  for (std::size_t probe = 0; probe < longest_probe; ++probe) {
    Site& site = the_sites[(first + probe) % sites];
    uintptr_t known = site.address.load(std::memory_order_relaxed);
    if (known == 0 &&
        site.address.compare_exchange_strong(known, address, std::memory_order_relaxed))
      known = address;
    if (known == address) return site.allocated.fetch_add(1, std::memory_order_relaxed);
  }
  return UINT32_MAX;
}

bool take(Slot& slot, uintptr_t is) {
  // pairs with the release of who let go of the slot
  return slot.start.compare_exchange_strong(is, changing, std::memory_order_acquire,
                                            std::memory_order_relaxed);
}

bool insert(const os::KnownArray& array) {
  const std::size_t first = spread(array.start, slots);
  for (std::size_t probe = 0; probe < longest_probe; ++probe) {
    Slot& slot = the_slots[(first + probe) % slots];
    const uintptr_t is = slot.start.load(std::memory_order_relaxed);  // looked at again by take()
    if ((is != empty && is != left) || !take(slot, is)) continue;
    slot.bytes.store(array.bytes, std::memory_order_relaxed);
    slot.site.store(array.site, std::memory_order_relaxed);
    slot.ordinal.store(array.ordinal, std::memory_order_relaxed);
    living[first].fetch_add(1, std::memory_order_relaxed);
    slot.start.store(array.start, std::memory_order_release);  // pairs with the acquires in read()
    return true;
  }
  return false;
}

bool read(const Slot& slot, os::KnownArray& array) {
  array.start = slot.start.load(std::memory_order_acquire);  // pairs with the release in insert()
  if (array.start <= changing) return false;
  array.bytes = slot.bytes.load(std::memory_order_relaxed);
  array.site = slot.site.load(std::memory_order_relaxed);
  array.ordinal = slot.ordinal.load(std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_acquire);  // the fields before the second look
  return slot.start.load(std::memory_order_relaxed) == array.start;
}

bool is_known(uintptr_t start, std::size_t bytes) {
  const std::size_t first = spread(start, slots);
  for (std::size_t probe = 0; probe < longest_probe; ++probe) {
    os::KnownArray array;
    const Slot& slot = the_slots[(first + probe) % slots];
    if (read(slot, array) && array.start == start) return array.bytes >= bytes;
  }
  return false;
}

void remove(Slot& slot, uintptr_t start) {
  if (!take(slot, start)) return;
  living[spread(start, slots)].fetch_sub(1, std::memory_order_relaxed);
  slot.start.store(left, std::memory_order_release);  // pairs with the acquire in take()
}

}  // namespace

Change::Change() {
  changes.fetch_add(1);
  while (is_held.load()) os::yield_directly();
}

Change::~Change() { changes.fetch_sub(1); }

void record(void* start, std::size_t bytes, uintptr_t site) {
  if (start == nullptr) return;
  forget(start);
  const os::KnownArray array{reinterpret_cast<uintptr_t>(start), bytes, site, next_ordinal(site)};
  if (!insert(array)) return;
  // pairs with the release in xylem_arrays_listen_1
  const os::ArrayListener born = listener.load(std::memory_order_acquire);
  if (born != nullptr) born(array);
}

void forget(const void* start) {
  const auto address = reinterpret_cast<uintptr_t>(start);
  const std::size_t first = spread(address, slots);
  if (living[first].load(std::memory_order_relaxed) == 0) return;
  for (std::size_t probe = 0; probe < longest_probe; ++probe) {
    Slot& slot = the_slots[(first + probe) % slots];
    const uintptr_t is = slot.start.load(std::memory_order_relaxed);  // looked at again by take()
    if (is == empty) return;
    if (is != address) continue;
    const Change change;
    return remove(slot, address);
  }
}

void forget_range(const void* start, std::size_t bytes) {
  const auto low = reinterpret_cast<uintptr_t>(start);
  for (Slot& slot : the_slots) {
    os::KnownArray array;
    if (read(slot, array) && array.start < low + bytes && low < array.start + array.bytes)
      remove(slot, array.start);
  }
}

}  // namespace xylem::arrays

// os::VisitArrays
extern "C" XYLEM_EXPORT void xylem_arrays_visit_1(xylem::os::ArrayVisitor visit, void* context) {
  for (const auto& slot : xylem::arrays::the_slots) {
    xylem::os::KnownArray array;
    if (xylem::arrays::read(slot, array)) visit(array, context);
  }
}

// os::HoldArray
extern "C" XYLEM_EXPORT bool xylem_arrays_hold_1(uintptr_t start, std::size_t bytes) {
  namespace arrays = xylem::arrays;
  arrays::is_held.store(true);
  if (arrays::changes.load() == 0 && arrays::is_known(start, bytes)) return true;
  arrays::is_held.store(false);
  return false;
}

// os::LetGoOfArray
extern "C" XYLEM_EXPORT void xylem_arrays_let_go_1() { xylem::arrays::is_held.store(false); }

// os::ListenToArrays
extern "C" XYLEM_EXPORT void xylem_arrays_listen_1(xylem::os::ArrayListener born) {
  // pairs with the acquire in record()
  xylem::arrays::listener.store(born, std::memory_order_release);
}
