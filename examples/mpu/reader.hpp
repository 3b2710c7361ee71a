// Reads point clouds: OFF and ascii PLY (with faces, or with normals), and .xyz / .pwn lines of
// "x y z nx ny nz". Throws std::runtime_error with one clear sentence on bad input.
#pragma once

#include <string>

#include "points.hpp"

namespace mpu {

PointCloud read_points(const std::string& path);

}  // namespace mpu
