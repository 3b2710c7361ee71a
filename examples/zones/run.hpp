// The time steps, with two levels of OpenMP teams and without OpenMP.
#pragma once

#include <optional>
#include <vector>

#include "mesh.hpp"
#include "work_places.hpp"

namespace zones {

// What the program tells Xylem of each outer thread's load.
enum class Told { points, alike, nothing };

struct Teams {
  int outer = 16;
  int inner = 4;
  Told told = Told::points;
  bool count_places = false;  // see WorkPlaces
};

// What one thread of the outer team computes in each step.
struct Share {
  std::vector<int> zones;
  long points = 0;
};

struct Times {
  double seconds = 0;                // all time steps
  std::vector<double> busy;          // seconds that each share took, without waiting
  int outer_made = 0;                // threads that the runtime gave: the outer team
  int inner_made = 0;                // and the largest inner team
  std::optional<Locality> locality;  // if it was counted
};

// The zones dealt to `outer` threads: the largest first, each to the one with the least so far.
std::vector<Share> deal(const Mesh& mesh, int outer);

// The largest share over the mean.
double imbalance(const std::vector<Share>& shares);
double imbalance(const std::vector<double>& shares);

Times run_nested(Mesh& mesh, int steps, const Teams& teams);
Times run_serially(Mesh& mesh, int steps);

}  // namespace zones
