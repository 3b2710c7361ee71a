// Reads the Matrix Market exchange format: sparse ("coordinate") and square, real, integer or
// pattern (whose entries count 1), general, symmetric or skew-symmetric.
#pragma once

#include <string>

#include "matrix.hpp"

namespace jobs {

// Throws std::runtime_error with one clear sentence.
Matrix read_matrix_market(const std::string& path);

}  // namespace jobs
