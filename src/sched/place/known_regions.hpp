// Owns: what is known of a contention group's outermost regions from one time that they run to the
// next: the tree of their teams, the loads of members as the sampler measured them, and the
// placement of the whole tree by these, by what the program told, and by who else has regions open
// (paper 002, section 2.3.1: statistics).
//
// A region is known by its function and its size. Its tree is placed anew only when something of
// this changes. Measured loads move members only if the busiest PU would have had clearly less to
// do: where threads are near their data counts for more than a little.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/code_table.hpp"
#include "sched/place/engine.hpp"
#include "sched/place/known_team.hpp"
#include "sched/place/open_group.hpp"
#include "sched/place/told_loads.hpp"

namespace xylem::sched {

inline constexpr base::LockRank spare_rank{63, "spare_lock"};

// An outermost region that begins.
struct Beginning {
  void (*function)(void*) = nullptr;
  int n = 1;
  int inner = 1;  // threads of the teams that members may open, if it never ran before; 1: of none
  const ToldLoads& told;
  const OpenGroup& open;
  uint32_t others = 0;   // what OpenGroup::begin() said
  uint32_t samples = 0;  // Pool::samples()
};

class KnownRegions {
 public:
  static constexpr int most_measured = 256;

  ~KnownRegions();

  // Around fork(): the child must not inherit a lock from a thread that it does not have.
  static void before_fork();
  static void after_fork(bool in_child);

  // Where the members of the outermost team go by what is known; null: as if nothing were. Valid
  // until the next call. By the group's thread, as all.
  const plan::Placement* begin(const Engine& engine, const Beginning& beginning);

  // The same for a region that is placed by other means, after tree_of(). What is measured of it is
  // kept for take_measured().
  void begin_elsewhere(uint32_t samples);
  // Processor time by member of a region of n that was so placed, since it was asked last; empty:
  // less than `at_least_ns` in all. Between regions.
  std::vector<int64_t> take_measured(void (*function)(void*), int n, int64_t at_least_ns);

  // The tree that a region of n is known to have, or to have perhaps: as Beginning says. Between
  // regions.
  plan::TeamTree tree_of(void (*function)(void*), int n, int inner);
  // Of the region that is open, as it was known when it began; of a private one nothing is. By any
  // member.
  plan::TeamTree open_tree(int n) const { return open_ ? open_->shape : plan::TeamTree{{.n = n}}; }

  // Between begin() and end(): the outermost team, where its members find what is known of the
  // teams that they open; null: the region is a private one.
  KnownTeam* team() const { return open_ ? &open_->tree.top() : nullptr; }
  // Likewise: whether it runs for the first time, as far as is known.
  bool runs_first() const { return open_ && !open_->tree.ran(); }
  // Likewise: where the sampler adds the time of the member's threads. Null: it is not measured.
  std::atomic<int64_t>* cells() const { return is_measured_ ? cells_ : nullptr; }

  // The region has ended, at tick `now`. Measured loads count only if there were samples since it
  // began.
  void end(const Engine& engine, uint32_t samples, uint64_t now);

 private:
  struct Region {
    explicit Region(int threads) : n(threads), tree(threads) {}
    const int n;
    KnownTree tree;
    plan::TeamTree shape;           // of the tree, when it began last
    std::vector<int64_t> ns;        // measured since the last decision, by member
    std::vector<int64_t> loads;     // measured, by which it was decided; empty: by none
    int plans = 0;                  // made because the tree changed
    bool is_stale = true;           // the tree is not the one that was placed
    uint32_t told = 0, others = 0;  // Beginning, when it was placed
    bool may_be_measured = false;
    bool is_elsewhere = false;  // placed by other means, when it began last
  };
  struct Record {
    void (*function)(void*) = nullptr;
    int n = 0;
    std::unique_ptr<Region> region;
  };
  Region& region_of(void (*function)(void*), int n);
  static void place(Region& region, const Engine& engine, const Beginning& beginning);
  void add_up(Region& region);
  static void decide(Region& region, const Engine& engine);
  void begin_measuring(bool may_be_measured, uint32_t samples);

  base::CodeTable<Record> records_;
  Record* last_ = nullptr;    // that was looked for last
  Region* open_ = nullptr;    // null: none
  bool is_measured_ = false;  // the one that is open
  uint32_t samples_before_ = 0;
  std::atomic<int64_t>* cells_ = nullptr;
};

}  // namespace xylem::sched
