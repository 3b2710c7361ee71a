// Owns: which members have left constructs early (cancellation), and what they owed to others
// there: the turns of ordered loops and the posts of doacross loops that were theirs.
//
// A record says of one member: of the constructs numbered from..to it runs no further chunk. One is
// enough, for each construct that can be cancelled ends with a barrier, and a member that leaves
// the region goes to its end.
//
// Invariant: a turn does not stay at a chunk of a static loop that its owner will not run, and its
// doacross cells are open. Three may see to it: the leaver, for each construct that exists
// (settle); who makes a later one; and who hands a turn on to such a chunk. The leaver: record,
// look, walk. The others: write what the leaver would find (the construct, the turn), look. The
// looks are read-modify-writes (acq_rel) of one counter, so whoever comes second sees what the
// first wrote.
#pragma once

#include <atomic>
#include <cstdint>

namespace xylem::omp {

struct Member;
struct Team;
struct WorkShare;

class Absences {
 public:
  Absences() = default;
  ~Absences() { clear(); }
  Absences(const Absences&) = delete;
  Absences& operator=(const Absences&) = delete;

  // Nobody is absent. After all members have ended.
  void clear() {
    // relaxed: nobody else is there
    if (records_.load(std::memory_order_relaxed)) [[unlikely]]
      forget_all();
  }
  // The poll: true if somebody left early.
  bool any() { return changes_.fetch_add(0, std::memory_order_acq_rel) != 0; }
  // Record and poll. `num` is the caller's, one of n.
  void add(int n, int num, uint32_t from, uint32_t to);
  // True if the member will run no further chunk of the construct. After a poll.
  bool covers(int num, uint32_t construct) const;

 private:
  void forget_all();

  // acq_rel, see above. Times that a record was written.
  std::atomic<uint32_t> changes_{0};
  // By member: from << 32 | to; 0: present. Made at the first absence (release, acquire). The
  // records are relaxed: the polls order them.
  std::atomic<std::atomic<uint64_t>*> records_{nullptr};
};

// The member goes to the end of its loop (cancel for), or of the region (cancel parallel): others
// stop waiting for it in loops, and in barriers too. May wait for the turn of the chunk that it
// runs.
void leave_construct(Member& member);
void leave_region(Member& member);

// For who has published a construct.
void settle_new(Team& team, WorkShare& seeds);
// For who has handed a turn on.
void settle_turn(Team& team, WorkShare& seeds);

}  // namespace xylem::omp
