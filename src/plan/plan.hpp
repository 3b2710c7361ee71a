// What a policy answers: a list of moves, in the order in which they are to be carried out.
//
// Owns: Move and Plan. Invariant (kept by check(Plan, View) of plan/check.hpp, not by Plan itself):
// after the moves every fiber of the view is in exactly one holder.
#pragma once

#include <span>
#include <vector>

namespace xylem::plan {

// Puts an entity, or members first .. first+count-1 of a run, at the end of the queue of `level`.
// A bubble that does not burst goes closed, with all that belongs to it (what it had left on
// queues is gathered in again). A bubble that bursts opens at `level`: what it holds follows in
// moves of its own, or is left on that level's queue where the plan has no move for it.
struct Move {
  int entity = -1;
  int first = 0;  // bubble: 0
  int count = 1;  // bubble: 1
  int level = 0;
  bool burst = false;
  bool operator==(const Move&) const = default;
};

// Keep one and clear() it between uses: it then allocates only to grow beyond its largest plan.
class Plan {
 public:
  void clear() { moves_.clear(); }
  void reserve(std::size_t moves) { moves_.reserve(moves); }
  std::span<const Move> moves() const { return moves_; }
  bool empty() const { return moves_.empty(); }

  void move(int entity, int level) { moves_.push_back({entity, 0, 1, level, false}); }
  void move_members(int run, int first, int count, int level) {
    moves_.push_back({run, first, count, level, false});
  }
  void burst(int bubble, int level) { moves_.push_back({bubble, 0, 1, level, true}); }

 private:
  std::vector<Move> moves_;
};

}  // namespace xylem::plan
