// Turns the zero set of an octree's function into triangles by marching cubes, near the points
// only (elsewhere the function is a guess). Layers of the grid are computed in parallel, each on
// its own, and joined in their order: the mesh has the same bits for any number of threads.
#pragma once

#include "mesh.hpp"
#include "octree.hpp"
#include "point_tree.hpp"

namespace mpu {

// resolution: grid cells along the longest side of the cloud's box; at least 8.
Mesh polygonise(const Octree& surface, const PointTree& points, int resolution);

}  // namespace mpu
