// Owns: costs of access. See near_access.hpp.
#include "hetero/data/near_access.hpp"

#include <algorithm>

namespace xylem::hetero {

double NearAccess::away_ns(int near, int at, size_t bytes) const {
  if (at == unknown_node || at == near) return 0;
  const auto size = static_cast<double>(bytes);
  return std::max(costs->read_ns(near, at, size) - costs->read_ns(near, near, size), 0.0);
}

double NearAccess::copy_ns(int near, int at, size_t bytes, bool fresh) const {
  const auto size = static_cast<double>(bytes);
  const double pages = fresh ? size / static_cast<double>(costs->page_bytes) : 0;
  return costs->read_ns(near, at == unknown_node ? near : at, size) +
         costs->write_ns(near, near, size) + fresh_page_ns * pages;
}

}  // namespace xylem::hetero
