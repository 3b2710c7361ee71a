// How near teammates end: pairs of threads of one innermost team that share a memory node after
// place(), on synthetic machines of 16, 64 and 256 PUs, for trees like those of paper 002,
// section 2.6.
//
// What a policy leaves on a queue of several PUs is taken by workers that come in any order: in
// each round every PU below takes one thread, in an order drawn by lot. Pairs count where the
// team's threads fit on the PUs of a node; others cannot be kept together.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "../../policy/drawing.hpp"
#include "plan/check.hpp"
#include "policy/policy.hpp"

namespace {

namespace plan = xylem::plan;
namespace policy = xylem::policy;

// Paper 002, figure 2.12: a cell that splits opens a team; a member whose child splits opens a team
// of its own and moves into it.
std::string mpu_cell(plan::Random& random, int depth, int team, int most_depth) {
  std::string out = "C{";
  for (int member = 0; member < team; ++member) {
    bool splits = depth + 1 < most_depth && random.below(100) < (depth == 0 ? 90 : 60);
    out += splits ? " " + mpu_cell(random, depth + 1, team, most_depth) : " t";
  }
  return out + " }";
}

// Paper 002, section 2.6.2: 16 zones, the largest 25 times the smallest, inner teams of 4.
std::string zones(plan::Random& random) {
  std::string out = "O{";
  for (int zone = 0; zone < 16; ++zone) {
    int load = zone == 0 ? 2500 : zone == 1 ? 100 : 100 + random.below(2400);
    out += " Z[load=" + std::to_string(load) + "]{ t*4 }";
  }
  return out + " }";
}

struct Pairs {
  double together = 0;
  double all = 0;
  double share() const { return all == 0 ? 1 : together / all; }
  void operator+=(const Pairs& more) { together += more.together, all += more.all; }
};

class Count {
 public:
  Count(const drawing::Machine& machine, const plan::View& view, const plan::Plan& answer)
      : machine_(machine), view_(view), nodes_(view.entities.size()), waiting_(view.levels.size()) {
    for (const plan::Holding& holding : plan::apply(answer, view))
      if (holding.level >= 0 && !holding.burst) take(holding.entity, holding.count, holding.level);
  }

  Pairs pairs() const {
    Pairs pairs;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const std::vector<int>& nodes = nodes_[i];
      if (!innermost(view_.entities[i]) || !possible(view_.entities[i])) continue;
      for (std::size_t a = 0; a < nodes.size(); ++a)
        for (std::size_t b = a + 1; b < nodes.size(); ++b)
          ++pairs.all, pairs.together += nodes[a] == nodes[b] ? 1 : 0;
    }
    return pairs;
  }

 private:
  bool innermost(const plan::Entity& bubble) const {
    for (int i = bubble.first_child; i < bubble.first_child + bubble.child_count; ++i)
      if (view_.entity(i).kind == plan::EntityKind::bubble) return false;
    return bubble.child_count > 0;
  }
  bool possible(const plan::Entity& team) const {
    return team.threads <= view_.level(machine_.nodes()[0]).pu_count;
  }

  void take(int index, int members, int level) {
    const plan::Entity& entity = view_.entity(index);
    if (entity.kind == plan::EntityKind::run) {
      for (int i = 0; i < members; ++i)
        nodes_[static_cast<std::size_t>(entity.parent)].push_back(node_of_pu(next_pu(level)));
      return;
    }
    for (int i = entity.first_child; i < entity.first_child + entity.child_count; ++i)
      take(i, view_.entity(i).count, level);
  }

  int next_pu(int level) {
    std::vector<int>& waiting = waiting_[static_cast<std::size_t>(level)];
    const xylem::topo::Level& queue = view_.level(level);
    if (waiting.empty()) {
      waiting.resize(static_cast<std::size_t>(queue.pu_count));
      std::iota(waiting.begin(), waiting.end(), queue.first_pu);
    }
    auto lot = waiting.begin() + random_.below(static_cast<int>(waiting.size()));
    int pu = *lot;
    waiting.erase(lot);
    return pu;
  }

  int node_of_pu(int pu) const {
    int level = plan::level_of_pu(view_.levels, pu);
    for (int node : machine_.nodes())
      if (plan::lies_below(view_.levels, level, node)) return node;
    return -1;
  }

  const drawing::Machine& machine_;
  const plan::View& view_;
  plan::Random random_{11};
  std::vector<std::vector<int>> nodes_;  // of each bubble: the node of each thread it holds itself
  std::vector<std::vector<int>> waiting_;  // of each level: PUs that have yet to take in this round
};

Pairs count(const policy::Policy& chosen, const drawing::Machine& machine, const plan::View& view) {
  plan::Plan answer;
  plan::Random random(7);
  chosen.place(view, random, answer);
  plan::Fault fault = plan::check(answer, view);
  EXPECT_FALSE(fault) << chosen.name << ": " << fault.what;
  return Count(machine, view, answer).pairs();
}

struct Shape {
  std::string name;
  std::function<std::string(plan::Random&)> draw;
};

std::vector<Shape> shapes() {
  std::vector<Shape> shapes;
  for (auto [team, depth] : {std::pair{4, 4}, {4, 6}, {5, 5}, {6, 5}, {8, 4}})
    shapes.push_back(
        {"mpu, teams of " + std::to_string(team) + ", depth " + std::to_string(depth),
         [team = team, depth = depth](plan::Random& random) {  // clang 14 captures no bindings
           return mpu_cell(random, 0, team, depth);
         }});
  shapes.push_back({"zones, 16 x 4", zones});
  return shapes;
}

constexpr int drawings = 8;  // of each shape

struct Row {
  Pairs cache, spread, random, null;
  double worst = 1;  // share of `cache` over the drawings
  int threads = 0;
};

Row measure(const drawing::Machine& machine, const Shape& shape) {
  Row row;
  for (int seed = 1; seed <= drawings; ++seed) {
    plan::Random random(static_cast<std::uint64_t>(seed));
    drawing::Tree tree(shape.draw(random), machine);
    plan::View view = tree.view();
    plan::Fault fault = plan::check(view);
    EXPECT_FALSE(fault) << fault.what;
    Pairs cache = count(policy::cache, machine, view);
    row.worst = std::min(row.worst, cache.share());
    row.cache += cache;
    row.spread += count(policy::spread, machine, view);
    row.random += count(policy::random, machine, view);
    row.null += count(policy::null, machine, view);
    row.threads += view.entity(0).threads;
  }
  return row;
}

TEST(Teammates, CacheKeepsThemOnANode) {
  std::printf("%-28s %4s %8s %7s %7s %7s %7s %7s\n", "tree", "PUs", "threads", "cache", "(worst)",
              "spread", "random", "null");
  for (const char* text :
       {"node*4(pu*4)", "node*8(cache*2(pu*4))", "node*16(cache*2(core*4(pu*2)))"})
    for (const Shape& shape : shapes()) {
      drawing::Machine machine(text);
      Row row = measure(machine, shape);
      std::printf("%-28s %4d %8d", shape.name.c_str(), machine.pu_count(), row.threads / drawings);
      if (row.cache.all == 0) {
        std::printf("   no node can hold a team\n");
        continue;
      }
      std::printf(" %6.1f%% %6.1f%% %6.1f%% %6.1f%% %6.1f%%\n", 100 * row.cache.share(),
                  100 * row.worst, 100 * row.spread.share(), 100 * row.random.share(),
                  100 * row.null.share());
      EXPECT_GE(row.worst, 0.95) << shape.name << " on " << text;
      EXPECT_LT(row.random.share(), 0.5) << shape.name << " on " << text;
      EXPECT_LT(row.null.share(), 0.5) << shape.name << " on " << text;
    }
}

}  // namespace
