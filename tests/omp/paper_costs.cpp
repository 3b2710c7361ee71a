// Writes a file of costs (XYLEM_COSTS_FILE) for a synthetic machine as if they had been measured:
// those of paper 000, Table 1. Arguments: the machine in words, with four nodes; the file.
#include <cstdio>

#include "../unit/paper_machine.hpp"
#include "mem/cost/costs_file.hpp"
#include "topo/machine.hpp"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto machine = xylem::topo::load_machine(argv[1], true);
  if (!machine || machine.value()->node_count() != 4) {
    std::fprintf(stderr, "no machine of four nodes: %s\n", argv[1]);
    return 1;
  }
  xylem::plan::Costs costs = xylem::plan::paper_machine();
  costs.measured = true;
  costs.measured_at = costs.measured_pairs = 1;
  const uint64_t key = xylem::mem::costs_key(*machine.value());
  const int error = xylem::mem::write_costs(argv[2], key, costs);
  if (error != 0) std::fprintf(stderr, "%s cannot be written: %d\n", argv[2], error);
  return error == 0 ? 0 : 1;
}
