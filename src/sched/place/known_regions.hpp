// Owns: the loads of members of a contention group's outermost teams as the sampler measured them,
// each with the teams that it opened: what a region is placed by when the program told no loads and
// it ran before (paper 002, section 2.3.1: statistics).
//
// The same for the size of the teams that its members opened: a team of fewer members than PUs is
// placed with room for them (Engine::nested).
//
// A region is known by its function and its size. Members go elsewhere only if the busiest PU would
// have had clearly less to do: where threads are near their data counts for more than a little.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "sched/place/engine.hpp"

namespace xylem::sched {

inline constexpr base::LockRank spare_rank{63, "spare_lock"};

class KnownRegions {
 public:
  static constexpr int most_members = 256;

  ~KnownRegions();

  // Around fork(): the child must not inherit a lock from a thread that it does not have.
  static void before_fork();
  static void after_fork(bool in_child);

  // An outermost team of n begins that runs `function`: where its members go by what was measured,
  // or null: as if nothing were known. `samples` is Pool::samples(). If it never ran before,
  // `inner` is the size of the teams that its members may open, 0 or 1: none. By the group's
  // thread, as end().
  const plan::Placement* begin(const Engine& engine, void (*function)(void*), int n, int inner,
                               uint32_t samples);

  // Where the sampler adds the time of the member's threads, between begin() and end(). Null: the
  // team is too large to be measured.
  std::atomic<int64_t>* cells() const { return open_ ? cells_ : nullptr; }

  // The region that begin() was called for has ended; the largest team that its members opened had
  // `inner` threads. Loads count only if there were samples since then.
  void end(const Engine& engine, int inner, uint32_t samples);

 private:
  struct Region {
    void (*function)(void*) = nullptr;
    int n = 0;
    std::array<int64_t, most_members> ns{};  // by member, since the last decision
    plan::Placement told;                    // n 0: none
    int inner = 0;  // threads of its members' teams; 0: they open none; -1: nobody knows
    int plans = 0;  // made because that changed
  };
  static void expect_inner(Region& region, int inner, const Engine& engine);
  Region* region_of(void (*function)(void*), int n);
  void add_up(Region& region);
  static void decide(Region& region, const Engine& engine);

  std::array<Region*, 8> regions_{};  // made when need be
  Region* open_ = nullptr;            // or the one that was open last
  size_t next_ = 0;                   // to be used again when all are
  uint32_t samples_before_ = 0;
  std::atomic<int64_t>* cells_ = nullptr;
};

}  // namespace xylem::sched
