// What a policy answers: a list of moves, in the order in which they are to be carried out.
//
// Owns: Move, Plan and Share. Invariant (kept by check(Plan, View) of plan/check.hpp, not by Plan
// itself): after the moves every fiber of the view is in exactly one holder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/entity.hpp"

namespace xylem::plan {

// Puts an entity, or members first .. first+count-1 of a run, at the end of the queue of `level`.
// A bubble that does not burst goes closed, with all that belongs to it (what it had left on
// queues is gathered in again). A bubble that bursts opens at `level`: what it holds follows in
// moves of its own, or is left on that level's queue where the plan has no move for it. A top whose
// level is held_back is suspended whole and closed: nobody runs it until a later plan moves it.
struct Move {
  int entity = -1;
  int first = 0;  // bubble: 0
  int count = 1;  // bubble: 1
  int level = 0;  // or held_back
  bool burst = false;
  bool operator==(const Move&) const = default;
};

// What a worker does with a bubble that it meets on a queue: so many of the members that wait there
// go with it, the last ones, and it runs one of them; what is left goes to a level's queue.
struct Share {
  int members = 0;      // 0: as many as without the hook
  int rest_level = -1;  // -1: what is left stays where it is
};

// Keep one and clear() it between uses: it then allocates only to grow beyond its largest plan.
class Plan {
 public:
  // What is called, each time, when a policy makes more moves than the limit allows.
  using Exceeded = void (*)(void* context);

  void clear() {
    moves_.clear();
    exceeded_ = false;
  }
  void reserve(std::size_t moves) { moves_.reserve(moves); }
  std::span<const Move> moves() const { return moves_; }
  bool empty() const { return moves_.empty(); }

  // Keeps `most` moves and refuses what comes after; most_moves() of check.hpp says how many a view
  // can need. A policy that never stops making moves stops only if `tell` does not return.
  void limit(std::size_t most, Exceeded tell = nullptr, void* context = nullptr) {
    most_ = most;
    tell_ = tell;
    context_ = context;
  }
  // True if a move was refused since the last clear().
  bool exceeded() const { return exceeded_; }

  void move(int entity, int level) { add({entity, 0, 1, level, false}); }
  void move_members(int run, int first, int count, int level) {
    add({run, first, count, level, false});
  }
  void burst(int bubble, int level) { add({bubble, 0, 1, level, true}); }
  // `count` is that of the top: 1 for a bubble.
  void hold(int top, int count) { add({top, 0, count, held_back, false}); }

 private:
  void add(const Move& move) {
    if (moves_.size() < most_) {
      moves_.push_back(move);
      return;
    }
    exceeded_ = true;
    if (tell_ != nullptr) tell_(context_);
  }

  std::vector<Move> moves_;
  std::size_t most_ = SIZE_MAX;
  Exceeded tell_ = nullptr;
  void* context_ = nullptr;
  bool exceeded_ = false;
};

}  // namespace xylem::plan
