// A region as a tree: its outermost team and the teams that members open, one inside the other, as
// far as they are known; how a policy sees that tree, and what its plan says of each thread.
//
// Owns: TreeTeam, TeamTree and TreeView. Invariant: a team's maker is its member 0 too, so a member
// that makes a team is a bubble of the view, and threads are the members that make none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/placement.hpp"
#include "plan/plan.hpp"
#include "plan/view.hpp"

namespace xylem::plan {

struct TreeTeam {
  int outer = -1;  // index of the team that its maker is a member of; -1: it is the outermost
  int maker = 0;   // its maker's number there
  int n = 1;       // threads
  // By member, each with all teams that it makes; 0: not known. Empty: of none it is.
  std::vector<std::int64_t> loads = {};
  // [member * nodes + node]: what each member uses, with all teams that it makes. Empty: nobody
  // said.
  std::vector<std::int64_t> bytes = {};
  bool operator==(const TreeTeam&) const = default;
};

// Breadth-first: the outermost, then the teams of its members by number, then those of theirs. A
// member makes one team at most.
using TeamTree = std::vector<TreeTeam>;

// [team][member].
template <class Value>
using ByMember = std::vector<std::vector<Value>>;

// The team that each member makes; -1: none.
ByMember<int> made_by(const TeamTree& tree);

class TreeView {
 public:
  struct Wishes {
    int maker_pu = -1;         // where the outermost team's maker runs
    bool maker_stays = false;  // it runs there already
    bool each_alone = false;   // no two members of the outermost team stand in one run
    std::span<const int> pus =
        {};  // by member of the outermost team: where each ran last; or empty
    std::span<const int> nodes = {};                // MemoryHints::nodes, where the tree has bytes
    std::span<const std::uint64_t> distances = {};  // MemoryHints::distances, likewise
  };
  // `tree` and what `wishes` looks at live as long as this.
  TreeView(Levels levels, const TeamTree& tree, const Wishes& wishes);
  TreeView(const TreeView&) = delete;

  // Valid while this is.
  const View& view() const { return view_; }

  // Where each thread is after `plan`, which has passed check(), as a level; 0 where nothing moves
  // it. Of a member that makes a team: where that team's member 0 is.
  ByMember<int> levels(const Plan& plan) const;
  // The load of each thread; of a member that makes a team 0, as that team's member 0 has it.
  ByMember<std::int64_t> loads() const;

 private:
  // What an entity stands for: a team, or members of a team from `member` on.
  struct Origin {
    int team = 0;
    int member = -1;  // -1: the team, a bubble
  };

  void find_maker(const Wishes& wishes);
  void add_members(Forest& forest, int team, const Wishes& wishes);
  void add(Forest& forest, Entity entity, int parent, Origin origin);
  void add_bytes(int team, int member, std::size_t nodes);
  bool is_known_apart(int team, const Wishes& wishes) const;

  const TeamTree& tree_;
  ByMember<int> made_by_;
  int maker_team_ = -1;   // the innermost that the outermost's maker belongs to; -1: it may go
  int maker_alone_ = -1;  // its entity
  std::vector<int> bubble_of_;  // the entity of each team
  std::vector<Entity> entities_;
  std::vector<Origin> origins_;  // of each entity
  std::vector<std::int64_t> bytes_;
  View view_;
};

// [team]: where the members of each go, all but its maker.
std::vector<Placement> placements(const TeamTree& tree, const ByMember<int>& levels, Why why);

// [team]: the lowest level that holds all threads of the team and of the teams inside.
std::vector<int> parts(Levels levels, const TeamTree& tree, const ByMember<int>& thread_levels);

// The most that one PU has to do; what lies above PUs is shared evenly by those below.
double longest(Levels levels, const ByMember<int>& thread_levels,
               const ByMember<std::int64_t>& loads);

// What the PU with most has to do at least, wherever the threads are: the mean of all PUs, or the
// heaviest thread.
double least_longest(Levels levels, const ByMember<std::int64_t>& loads);

}  // namespace xylem::plan
