// Owns: executors. See executors.hpp.
#include "hetero/run/executors.hpp"

#include <algorithm>

#include "plan/levels.hpp"

namespace xylem::hetero {

namespace {

struct Everything {
  Memories memories;
  std::vector<Executor> executors;
  std::vector<std::vector<int>> neighbours;  // by executor
};
constinit Everything* everything = nullptr;  // written once, before the first task

// Levels are numbered breadth-first: the higher the number of the level that two PUs share, the
// nearer they are.
std::vector<int> others_of(const topo::Machine& machine, int executor, int count) {
  const int self = machine.pu_level(executor);
  std::vector<int> others;
  for (int step = 1; step < count; ++step) others.push_back((executor + step) % count);
  std::stable_sort(others.begin(), others.end(), [&](int one, int other) {
    const auto shared = [&](int pu) {
      return plan::common_level(machine.levels(), self, machine.pu_level(pu));
    };
    return shared(one) > shared(other);
  });
  return others;
}

}  // namespace

void make_executors(const topo::Machine& machine) {
  auto* made = new Everything;
  const int count = std::min(machine.pu_count(), most_executors);
  made->executors.resize(static_cast<size_t>(count));
  for (int executor = 0; executor < count; ++executor)
    made->neighbours.push_back(others_of(machine, executor, count));
  everything = made;
}

std::span<const Executor> executors() { return everything->executors; }
std::span<const int> neighbours(int executor) {
  return everything->neighbours[static_cast<size_t>(executor)];
}
Memories& memories() { return everything->memories; }

}  // namespace xylem::hetero
