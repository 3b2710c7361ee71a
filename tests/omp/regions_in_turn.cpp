// A program of a hundred regions in turn: what it told of each before its first run holds for the
// later ones. On a synthetic machine of 4 nodes with 4 processors each, where each region's members
// are told data that lies on other nodes than theirs.
#define XYLEM_WEAK
#include <omp.h>
#include <sys/mman.h>

#include <cstring>
#include <utility>

#include "../../include/xylem/memory.h"
#include "expect.h"

namespace {

constexpr int nodes = 4, regions = 100, rounds = 5;
constexpr size_t bytes = size_t{16} * 4096;
char* data[nodes];

void make_data() {
  for (int node = 0; node < nodes; ++node) {
    void* made = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    data[node] = static_cast<char*>(std::memset(made, 1, bytes));
    expect_equal("move", xylem_memory_move(data[node], bytes, node, nullptr), 0);
  }
}

// Each template is a region of its own: the compiler makes code of its own for it.
template <int region>
void run(bool tells) {
  const int shift = region % nodes;
  int node[nodes];
  for (int i = 0; tells && i < nodes; ++i)
    expect_equal("tell", xylem_hint_next(i, data[(i + shift) % nodes], bytes, xylem_use_both, 1),
                 0);
#pragma omp parallel num_threads(nodes)
  node[omp_get_thread_num()] = xylem_current_node();
  for (int i = 0; i < nodes; ++i) expect_equal("node", node[i], (i + shift) % nodes);
}

template <int... region>
void run_all(bool tells, std::integer_sequence<int, region...> /*regions*/) {
  (run<region>(tells), ...);
}

}  // namespace

int main() {
  make_data();
  for (int round = 0; round < rounds; ++round)
    run_all(round == 0, std::make_integer_sequence<int, regions>());
  return expect_result();
}
