// Draws a mesh as a shaded picture: a clay figure on a pale floor under two lights.
#pragma once

#include <string>

#include "mesh.hpp"

namespace mpu {

// A square PNG of `size` pixels a side. Throws std::runtime_error if it cannot be written.
void draw_picture(const Mesh& mesh, int size, const std::string& path);

}  // namespace mpu
