// Owns: SiteTable, in which what is remembered of a loop of the program is found by a key: where
// the loop stands in the program's code, and what else tells it apart.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace xylem::omp {

// Loops beyond that many are not remembered, nor some before: nobody looks at more places for one,
// as each start of a loop that finds none would look at all.
inline constexpr std::size_t most_sites = 1024;
inline constexpr std::size_t most_looks = 16;

// Never 0.
constexpr uint64_t site_key(std::initializer_list<uint64_t> words) {
  uint64_t key = 0;
  for (const uint64_t word : words) key = ((key << 16 | key >> 48) ^ word) * 0x9e3779b97f4a7c15;
  return key == 0 ? 1 : key;
}

// Site: with a member `std::atomic<uint64_t> key`, 0 as long as the place is free. Sites are never
// removed.
template <typename Site>
class SiteTable {
 public:
  // The site of that key, made if it is not there; null if there is no place. By any thread.
  Site* find(uint64_t key) {
    for (std::size_t i = 0; i < most_looks; ++i) {
      Site& site = sites_[((key >> 32) + i) % most_sites];
      // Pairs with the exchange: a site needs nothing besides its key.
      uint64_t seen = site.key.load(std::memory_order_acquire);
      if (seen == 0 && site.key.compare_exchange_strong(seen, key, std::memory_order_acq_rel))
        return &site;
      if (seen == key) return &site;
    }
    return nullptr;
  }
  // All places, also free ones.
  std::array<Site, most_sites>& all() { return sites_; }

 private:
  std::array<Site, most_sites> sites_;
};

}  // namespace xylem::omp
