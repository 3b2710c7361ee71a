// Owns: times by costs. See costs.hpp.
#include "plan/costs.hpp"

namespace xylem::plan {

double Costs::read_ns(int from, int to, double bytes) const {
  return bytes > 0 ? read_latency_ns[at(from, to)] + bytes * read_ns_per_byte[at(from, to)] : 0;
}

double Costs::write_ns(int from, int to, double bytes) const {
  return bytes > 0 ? write_latency_ns[at(from, to)] + bytes * write_ns_per_byte[at(from, to)] : 0;
}

}  // namespace xylem::plan
