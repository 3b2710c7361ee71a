// Owns: what a benchmark is to the program: a name, classes, and a run that
// verifies itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

namespace nas {

class Data;

struct Wanted {
  std::string kind = "S";  // the benchmark's class; of LU: the order of the matrix
  int iterations = 0;      // of the outer loop; 0: as many as the class has
};

struct Outcome {
  bool known = true;      // the class is one of the benchmark's
  bool verified = false;  // by the published numbers, or by what the result must be
  double value = 0;       // what was compared
  double wanted = 0;
  // Fewer or more iterations than the class has: nothing is published for them.
  bool comparable = true;
};

// The class of that name; null: the benchmark has none.
template <typename Classes>
const auto* class_named(const Classes& classes, const std::string& name) {
  const auto found = std::ranges::find(classes, name, [](const auto& each) { return each.name; });
  return found == std::end(classes) ? nullptr : &*found;
}

// Element by element: what the compiler makes a call of memmove is not counted.
template <typename T>
void copy(const T* from, int count, T* to) {
  for (int i = 0; i < count; ++i) to[i] = from[i];
}

Outcome run_cg(const Wanted& wanted, Data& data);
Outcome run_mg(const Wanted& wanted, Data& data);
Outcome run_ft(const Wanted& wanted, Data& data);
Outcome run_bt(const Wanted& wanted, Data& data);
Outcome run_sp(const Wanted& wanted, Data& data);
Outcome run_ssor(const Wanted& wanted, Data& data);
Outcome run_lu(const Wanted& wanted, Data& data);
Outcome run_hydro(const Wanted& wanted, Data& data);
Outcome run_sparse(const Wanted& wanted, Data& data);

}  // namespace nas
