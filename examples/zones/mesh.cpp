#include "mesh.hpp"

#include <algorithm>
#include <cmath>

namespace zones {
namespace {

constexpr int widths[Mesh::across] = {3, 5, 9, 15};
constexpr int width_of_all = 3 + 5 + 9 + 15;

constexpr ProblemClass classes[] = {
    {'S', 1, 8, 20}, {'W', 2, 16, 40}, {'A', 4, 32, 80}, {'B', 8, 64, 160}};

// The zone's first point in one direction.
int first_of(int zone, int scale) {
  int sum = 0;
  for (int i = 0; i < zone; ++i) sum += widths[i] * scale;
  return sum;
}

}  // namespace

const ProblemClass* find_class(char name) {
  for (const ProblemClass& one : classes)
    if (one.name == name) return &one;
  return nullptr;
}

Mesh::Mesh(const ProblemClass& problem, double dt) {
  const int s = problem.scale;
  const double flat = 1.0 / (width_of_all * s + 1);
  const Triple spacing = {flat, flat, 1.0 / (problem.points_z + 1)};
  zones_.reserve(count());
  for (int y = 0; y < across; ++y)
    for (int x = 0; x < across; ++x)
      zones_.emplace_back(std::array{first_of(x, s), first_of(y, s), 0},
                          std::array{widths[x] * s, widths[y] * s, problem.points_z}, spacing, dt);
}

long Mesh::points() const {
  long sum = 0;
  for (const Zone& zone : zones_) sum += zone.points();
  return sum;
}

void Mesh::receive_faces(int number) {
  const int x = number % across;
  const int y = number / across;
  Zone& to = zones_[number];
  if (x > 0) to.receive_face(Side::west, zones_[number - 1]);
  if (x + 1 < across) to.receive_face(Side::east, zones_[number + 1]);
  if (y > 0) to.receive_face(Side::south, zones_[number - across]);
  if (y + 1 < across) to.receive_face(Side::north, zones_[number + across]);
}

Error Mesh::error(double time) const {
  Error error;
  double squares = 0;
  double change = 0;
  for (const Zone& zone : zones_) {
    const auto& size = zone.size();
    for (int k = 0; k < size[2]; ++k)
      for (int j = 0; j < size[1]; ++j)
        for (int i = 0; i < size[0]; ++i) {
          const Triple x = zone.position(i, j, k);
          const double exact = exact_solution(x, time);
          const double wrong = std::abs(zone.value(i, j, k) - exact);
          error.largest = std::max(error.largest, wrong);
          squares += wrong * wrong;
          change = std::max(change, std::abs(exact - exact_solution(x, 0)));
        }
  }
  error.rms = std::sqrt(squares / static_cast<double>(points()));
  error.of_change = error.largest / change;
  return error;
}

bool Mesh::same_bits(const Mesh& other) const {
  for (int i = 0; i < count(); ++i)
    if (!zones_[i].same_bits(other.zones_[i])) return false;
  return true;
}

}  // namespace zones
