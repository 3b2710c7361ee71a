// User-declared reductions in C++: a class with constructor and initializer, std::vector, min with
// position, and the same through inscan (prefix sums) and through a task reduction.
#include <omp.h>

#include <string>
#include <vector>

#include "expect.h"

struct Best {
  double value = 1e300;
  int where = -1;
  Best() = default;
  Best(double v, int w) : value(v), where(w) {}
  void take(const Best& other) {
    if (other.value < value || (other.value == value && other.where < where)) *this = other;
  }
};

using Numbers = std::vector<int>;

static void append(Numbers& to, const Numbers& from) {
  to.insert(to.end(), from.begin(), from.end());
}

static const std::string& longer(const std::string& one, const std::string& other) {
  return other.size() > one.size() ? other : one;
}

#pragma omp declare reduction(best:Best : omp_out.take(omp_in))
#pragma omp declare reduction(join:Numbers : append(omp_out, omp_in))
#pragma omp declare reduction(longest                              \
                              : std::string                        \
                              : omp_out = longer(omp_out, omp_in)) \
    initializer(omp_priv = std::string("-"))

static void smallest_with_position(int members) {
  Best best;
#pragma omp parallel for num_threads(members) reduction(best : best)
  for (int i = 0; i < 1000; i++) best.take(Best((i * 37) % 1000, i));
  expect_near("smallest", best.value, 0, 0);
  expect_equal("its position", best.where, 0);
}

static void joined_vectors(int members) {
  Numbers all;
#pragma omp parallel for num_threads(members) reduction(join : all) schedule(dynamic, 7)
  for (int i = 0; i < 500; i++) all.push_back(i);
  expect_equal("elements", static_cast<long long>(all.size()), 500);
  std::vector<int> times(500);
  for (int i : all) times[i]++;
  for (int i = 0; i < 500; i++) expect_equal("times an element came", times[i], 1);
}

static void longest_string(int members) {
  std::string found = "x";
#pragma omp parallel for num_threads(members) reduction(longest : found)
  for (int i = 0; i < 60; i++) {
    if (static_cast<int>(found.size()) < i) found = std::string(i, 'a');
  }
  expect_equal("longest", static_cast<long long>(found.size()), 59);
}

static void prefix_sums(int members) {
  constexpr int turns = 300;
  long inclusive[turns];
  long sum = 0;
#pragma omp parallel for num_threads(members) reduction(inscan, + : sum)
  for (int i = 0; i < turns; i++) {
    sum += i;
#pragma omp scan inclusive(sum)
    inclusive[i] = sum;
  }
  for (long i = 0; i < turns; i++) expect_equal("inclusive scan", inclusive[i], i * (i + 1) / 2);
}

static void task_reduction(int members) {
  Best best;
#pragma omp parallel num_threads(members)
#pragma omp single
#pragma omp taskgroup task_reduction(best : best)
  for (int i = 0; i < 100; i++) {
#pragma omp task in_reduction(best : best) firstprivate(i)
    best.take(Best(1000 - i, i));
  }
  expect_near("smallest over tasks", best.value, 901, 0);
  expect_equal("its task", best.where, 99);
}

int main() {
  for (int members = 1; members <= 16; members += 5) {
    smallest_with_position(members);
    joined_vectors(members);
    longest_string(members);
    prefix_sums(members);
    task_reduction(members);
  }
  return expect_result();
}
