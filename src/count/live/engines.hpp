// Owns: Engines, which act in the running program: from what a source counted in an iteration of
// the program's outer loop they choose where pages and threads go (arbiter.hpp), and the members of
// the iteration's first region carry that out. One program thread is watched, and its outermost
// regions.
//
// Invariant: between two beginnings of iterations a source that sees everything counts exactly one
// of them; what another one saw is kept from iteration to iteration, and estimated from
// (estimate.hpp). Threads whose pages were planned stay on the PUs that the plan was made for: it
// would be worth nothing where they are stolen. Threads that were moved, or have other iterations
// of loops, and whose iterations are slower since, are moved back and not moved again.
//
// Who calls: region_begins() and tell() the program's thread, outside of regions; member_begins()
// each member, on its own, after region_begins() of its region and before the region's end. Members
// write slots of their own; the beginning and end of regions order them with the thread's calls.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "count/engine/arbiter.hpp"
#include "count/engine/loops.hpp"
#include "count/iteration/iterations.hpp"
#include "count/live/allowed.hpp"
#include "count/live/plan_recorder.hpp"
#include "count/source/program_arrays.hpp"
#include "count/source/source.hpp"

namespace xylem::count {

// Whether threads that were moved stay.
class Trial {
 public:
  // An iteration took so long. Says whether threads are to go back.
  bool ended_iteration(int64_t ns);
  void begin() { state_ = State::tried; }
  // The program does something else now: what it took before compares with nothing.
  void forget_times();

  bool may_begin() const { return state_ == State::untried && iterations_ >= enough; }
  bool is_open() const { return state_ == State::untried; }
  int64_t before_ns() const { return before_ns_; }
  int64_t after_ns() const { return after_ns_; }

 private:
  enum class State : uint8_t { untried, tried, settled };
  static constexpr int enough = 2;  // iterations before and after, of which the shortest counts
  static constexpr double slower = 1.05;  // times as long: less is noise

  State state_ = State::untried;
  int iterations_ = 0;  // in this state, but for the first after the move, which has the move in it
  bool has_moved_ = false;
  int64_t before_ns_ = 0, after_ns_ = 0;  // 0: none yet
};

// An outermost region is about to open.
struct RegionBegins {
  uint64_t code = 0;      // names its code
  int n = 1;              // threads
  bool is_bound = false;  // by somebody's wish, so that its threads are not placed
  LoopsRan loops;         // since the region before
};

class Engines {
 public:
  // `verbose`: says what is done and why.
  Engines(EnginesAllowed allowed, const Source& source, bool verbose);

  // From now on the recorder hears where pages are to be. It lives as long as the engines.
  void record_into(PlanRecorder& recorder) { recorder_ = &recorder; }

  // From now on what a source saw that does not see everything is kept, for write_touches().
  void keep_touches() { keeps_touches_ = true; }
  // 0 or a negative errno. By the program's thread, when the process ends.
  int write_touches(const char* path);

  // An iteration begins with the next region, and from now on only where that is told.
  void tell(int64_t now_ns);
  void region_begins(const RegionBegins& region, int64_t now_ns);
  // The PU of each member of the region, if it has n; empty: they go where they would go anyway.
  std::span<const int> pus(int n) const;
  // By member of a region of n: whose iterations it has of loops with owners; empty: its own.
  std::span<const int> owners(int n) const;
  // Where nothing may move (EnginesAllowed::count): accesses of the last iteration by member and
  // memory node, [member * nodes + node], if its largest region had n members; else empty.
  std::span<const int64_t> table(int n) const;
  uint64_t tables() const { return tables_; }  // that there were
  // The member of that number runs on the PU. Moves the pages that it is to move.
  void member_begins(int number, int pu);

  const Iterations& iterations() const { return iterations_; }

 private:
  void iteration_begins(int n, bool follows);
  // What may move besides pages.
  struct MayMove {
    bool threads = false;
    bool iterations = false;
  };
  MayMove may_move(bool follows, const LoopsRan& loops) const;
  void warn_of_what_stays(bool follows, const LoopsRan& loops) const;
  std::vector<int> begin_trial(const Choice& choice, std::vector<int> pus);
  void make_table(const Counts& accesses, int members);
  bool finish_iteration(Counts& accesses);
  bool add_seen(Counts& accesses, int members, bool follows);
  Counts from_samples();
  Counts from_touches(std::span<const ProgramArray> known);
  void decide_later(int64_t begun);
  std::vector<int> pus_now(int members, bool follows) const;
  Choice decide(const Counts& accesses, std::span<const int> pus, MayMove may_move);
  void deal(std::span<const PageMove> moves, std::span<const int> pus, int n);
  void record_moves(std::span<const PageHome> homes);
  void send_back();
  std::vector<int> room(std::size_t threads) const;
  double iterations_left() const;
  void say_choice(const Choice& choice) const;

  const EnginesAllowed allowed_;
  const Source source_;
  const bool verbose_;
  Iterations iterations_;
  bool is_told_ = false;      // an iteration begins with the next region
  bool tells_ = false;        // the program says where iterations begin
  bool is_counting_ = false;  // the source began to count with an iteration
  LoopsRan loops_;            // in the iteration
  std::vector<int> node_of_pu_;
  std::vector<int> pu_of_;                       // by member: where it ran last
  int members_ = 1;                              // of the iteration's largest region so far
  std::vector<int> placed_;                      // PUs by member; empty: threads are not placed
  std::vector<int> owners_;                      // owners(); empty: each has its own
  std::vector<int> former_, former_owners_;      // the same before the trial began
  std::vector<std::vector<PageMove>> moves_of_;  // by member, in the region that begins
  std::vector<PageMove> last_moves_;             // of the iteration before, by page
  PageHistory history_;
  Trial trial_;
  Counts seen_;                   // by a source that does not see everything, in all iterations
  uint64_t iterations_seen_ = 0;  // how many, those of long ago counted less, as in seen_
  PlanRecorder* recorder_ = nullptr;
  bool keeps_touches_ = false;
  Counts kept_touches_;         // all, if they are kept
  std::vector<int64_t> table_;  // table() of `table_members_`
  int table_members_ = 0;
  uint64_t tables_ = 0;
  int64_t decides_again_ns_ = 0;  // with such a source: not before
};

}  // namespace xylem::count
