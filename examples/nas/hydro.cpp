// Hydro: explicit hydrodynamics on an unstructured mesh of hexahedra, in the shape of LULESH:
// elements gather what is at their eight corners, write a force for each corner, and points add up
// those of all elements that they are corners of. Elements and points are found by lists, and both
// loops are dealt out in blocks.
//
// Not of the NAS benchmarks, and not LULESH's physics: it has its accesses. Verified by a serial
// run.
#include <omp.h>

#include <cstddef>
#include <vector>

#include "nas/code.hpp"
#include "nas/data.hpp"

namespace nas {

namespace {

constexpr int corners = 8;
constexpr double step = 1e-3;

struct Class {
  const char* name;
  int edge;  // elements along each edge of a cube
  int iterations;
};
constexpr Class classes[] = {{"S", 12, 10}, {"W", 24, 10}, {"A", 40, 10}};

// Three numbers for each, one array for each of them.
struct Vectors {
  double* of[3] = {};
};

struct Mesh {
  int elements = 0, points = 0;
  int* point_of = nullptr;   // [element * corners + corner]
  int* first = nullptr;      // by point, where its part of corner_of begins
  int* corner_of = nullptr;  // element * corners + corner
  double* energy = nullptr;  // of an element
  Vectors place, speed;      // of a point
  Vectors force;             // at a corner of an element
};

std::size_t size(int count) { return static_cast<std::size_t>(count); }

Vectors make_vectors(int extent, int slice, Data& data) {
  Vectors made;
  for (double*& one : made.of) one = data.array<double>(size(extent), size(slice));
  return made;
}

// What each point is a corner of, in the order of elements.
void make_lists(Mesh& mesh) {
  for (int at = 0; at < mesh.elements * corners; ++at) ++mesh.first[mesh.point_of[at] + 1];
  for (int point = 0; point < mesh.points; ++point) mesh.first[point + 1] += mesh.first[point];
  std::vector<int> next(mesh.first, mesh.first + mesh.points);
  for (int at = 0; at < mesh.elements * corners; ++at)
    mesh.corner_of[next[size(mesh.point_of[at])]++] = at;
}

Mesh make_mesh(int edge, Data& data) {
  const int side = edge + 1;
  Mesh mesh;
  mesh.elements = edge * edge * edge;
  mesh.points = side * side * side;
  mesh.point_of = data.array<int>(size(mesh.elements), corners);
  mesh.first = data.array<int>(size(mesh.points) + 1, 1);
  mesh.corner_of = data.array<int>(size(mesh.elements), corners);
  mesh.energy = data.array<double>(size(mesh.elements), 1);
  mesh.place = make_vectors(mesh.points, 1, data);
  mesh.speed = make_vectors(mesh.points, 1, data);
  mesh.force = make_vectors(mesh.elements, corners, data);
  for (int element = 0; element < mesh.elements; ++element) {
    const int x = element % edge, y = element / edge % edge, z = element / (edge * edge);
    mesh.energy[element] = element == 0 ? 100 : 1;
    for (int corner = 0; corner < corners; ++corner)
      mesh.point_of[element * corners + corner] =
          x + (corner & 1) + side * (y + (corner >> 1 & 1) + side * (z + (corner >> 2)));
  }
  for (int point = 0; point < mesh.points; ++point) {
    mesh.place.of[0][point] = point % side;
    mesh.place.of[1][point] = point / side % side;
    mesh.place.of[2][point] = point / (side * side);
  }
  make_lists(mesh);
  return mesh;
}

// Pressure drives corners away from the middle; the work is taken from the element's energy.
void push_corners(const Mesh& mesh, int element) {
  const int* points = mesh.point_of + element * corners;
  double work = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double* place = mesh.place.of[axis];
    const double* speed = mesh.speed.of[axis];
    double* force = mesh.force.of[axis] + element * corners;
    double middle = 0;
    for (int corner = 0; corner < corners; ++corner) middle += place[points[corner]] / corners;
    for (int corner = 0; corner < corners; ++corner) {
      force[corner] = mesh.energy[element] * (place[points[corner]] - middle);
      work += force[corner] * speed[points[corner]];
    }
  }
  mesh.energy[element] -= step * work;
}

void move_point(const Mesh& mesh, int point) {
  for (int axis = 0; axis < 3; ++axis) {
    double force = 0;
    for (int at = mesh.first[point]; at < mesh.first[point + 1]; ++at)
      force += mesh.force.of[axis][mesh.corner_of[at]];
    mesh.speed.of[axis][point] += step * force;
    mesh.place.of[axis][point] += step * mesh.speed.of[axis][point];
  }
}

void advance(const Mesh& mesh, int threads) {
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static)
    for (int element = 0; element < mesh.elements; ++element) push_corners(mesh, element);
#pragma omp for schedule(static)
    for (int point = 0; point < mesh.points; ++point) move_point(mesh, point);
  }
}

double sum_of(const Mesh& mesh) {
  double sum = 0;
  for (int element = 0; element < mesh.elements; ++element) sum += mesh.energy[element];
  for (int point = 0; point < mesh.points; ++point) sum += mesh.place.of[point % 3][point];
  return sum;
}

double serially(int edge, int iterations) {
  Data data(Placed::nowhere, nullptr);
  const Mesh mesh = make_mesh(edge, data);
  for (int iteration = 0; iteration < iterations; ++iteration) advance(mesh, 1);
  return sum_of(mesh);
}

}  // namespace

Outcome run_hydro(const Wanted& wanted, Data& data) {
  const auto* c = class_named(classes, wanted.kind);
  if (c == nullptr) return {.known = false};
  const int iterations = wanted.iterations > 0 ? wanted.iterations : c->iterations;
  const double expected = serially(c->edge, iterations);
  const Mesh mesh = make_mesh(c->edge, data);
  data.begin();
  for (int iteration = 0; iteration < iterations; ++iteration) {
    advance(mesh, omp_get_max_threads());
    data.iteration_ended();
  }
  const double sum = sum_of(mesh);
  return {.verified = sum == expected, .value = sum, .wanted = expected};
}

}  // namespace nas
