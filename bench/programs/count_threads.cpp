// Prints how near algorithms 2 and 3 of paper 003 come to an exact search on 10,000 drawn tables of
// each kind, and how long they take for 16 to 4,096 threads. docs/counting.md quotes it.
#include <chrono>
#include <cstdio>

#include "count/drawn_tables.hpp"

namespace {

using namespace xylem;

void print(const char* name, const test::Distance& distance, int tables) {
  std::printf("  %-16s optimal %5.1f%%  within 1%% %5.1f%%  mean loss %5.2f%%  worst %6.1f%%\n",
              name, 100.0 * distance.optimal / tables, 100.0 * distance.within_percent / tables,
              100.0 * distance.sum / tables, 100.0 * distance.worst);
}

void print(const char* name, const test::Distances& distances, int tables) {
  std::printf(" %s\n", name);
  print("local accesses", distances.local_accesses, tables);
  print("critical node", distances.critical_node, tables);
  print("critical thread", distances.critical_thread, tables);
}

void compare(const char* name, test::Kind kind) {
  const test::Comparison made = test::compare_with_exact(kind, 10000, 1);
  std::printf("%d tables, %s\n", made.tables, name);
  print("algorithm 2", made.algorithm_2, made.tables);
  print("algorithm 3", made.algorithm_3, made.tables);
}

// Milliseconds, the median of nine.
template <typename Algorithm>
double time_of(const count::ThreadQuestion& question, Algorithm algorithm) {
  std::vector<double> times;
  for (int round = 0; round < 9; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    algorithm(question);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    times.push_back(time.count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void print_time(int threads, int nodes) {
  plan::Random random(2);
  const test::DrawnTable drawn = test::draw_table(random, threads, nodes);
  const count::ThreadQuestion question = drawn.question();
  const double second = time_of(question, [](const auto& q) { return most_local_mapping(q); });
  const double third = time_of(question, [](const auto& q) { return shortest_path_mapping(q); });
  std::printf("%5d threads, %2d nodes: algorithm 2 %8.3f ms, algorithm 3 %8.3f ms\n", threads,
              nodes, second, third);
}

}  // namespace

int main() {
  compare("even, as the paper's Table 1", test::Kind::even);
  compare("of threads whose data was first touched", test::Kind::touched);
  for (const int threads : {16, 64, 256, 1024, 4096})
    for (const int nodes : {4, 64}) print_time(threads, nodes);
}
