// Reductions in each way that Clang's code can combine them: few variables (atomic operations),
// many and such of classes (one thread after the other), with a barrier and without, in teams of
// one.
#include <omp.h>
#include <unistd.h>

#include <cstdlib>
#include <set>
#include <vector>

#include "expect.h"

namespace {

constexpr int turns = 200;

struct Fraction {
  long over = 0, under = 0;
};
Fraction& operator+=(Fraction& a, const Fraction& b) {
  a.over += b.over;
  a.under += b.under;
  return a;
}
#pragma omp declare reduction(+ : Fraction : omp_out += omp_in)
#pragma omp declare reduction(append : std::vector<int> : omp_out \
                                  .insert(omp_out.end(), omp_in.begin(), omp_in.end()))

long triangle(long n) { return n * (n + 1) / 2; }

void one_variable(int n) {
  for (int turn = 0; turn < turns; turn++) {
    long sum = 5;
#pragma omp parallel num_threads(n) reduction(+ : sum)
    sum += omp_get_thread_num() + 1;
    expect_equal("a sum", sum, 5 + triangle(n));
  }
}

void kinds(int n) {
  for (int turn = 0; turn < turns; turn++) {
    int most = -1, least = 99;
    double product = 1;
    unsigned bits = 0;
#pragma omp parallel num_threads(n) reduction(max : most) reduction(min : least) \
    reduction(* : product) reduction(| : bits)
    {
      most = least = omp_get_thread_num();
      product *= 2;
      bits |= 1u << omp_get_thread_num();
    }
    expect_equal("the most", most, n - 1);
    expect_equal("the least", least, 0);
    expect_near("a product", product, static_cast<double>(1u << n), 1e-12);
    expect_equal("bits", bits, (1u << n) - 1);
  }
}

void many_variables(int n) {
  for (int turn = 0; turn < turns; turn++) {
    long a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0;
#pragma omp parallel num_threads(n) reduction(+ : a, b, c, d, e, f, g)
    a = b = c = d = e = f = g = omp_get_thread_num() + 1;
    expect_true("seven sums",
                a == triangle(n) && b == a && c == a && d == a && e == a && f == a && g == a);
  }
}

void objects(int n) {
  for (int turn = 0; turn < turns; turn++) {
    Fraction sum;
    std::vector<int> all;
#pragma omp parallel num_threads(n) reduction(+ : sum) reduction(append : all)
    {
      const int mine = omp_get_thread_num();
      sum += Fraction{mine, 1};
      all.push_back(mine);
    }
    expect_equal("over", sum.over, triangle(n - 1));
    expect_equal("under", sum.under, n);
    expect_equal("appended", static_cast<long>(all.size()), n);
  }
}

// A loop's reduction ends with a barrier: the sum is whole for each member behind it.
void loops(int n) {
  long sum = 0;
  double array[3] = {};
#pragma omp parallel num_threads(n)
  {
    for (int turn = 1; turn <= turns; turn++) {
#pragma omp for reduction(+ : sum)
      for (int i = 0; i < 100; i++) sum += i;
      expect_equal("after the loop", sum, turn * 4950L);
#pragma omp barrier
#pragma omp for nowait reduction(+ : array)
      for (int i = 0; i < 30; i++) array[i % 3] += 1;
    }
  }
  for (double part : array) expect_near("an array's part", part, 10.0 * turns, 1e-12);
}

// With a barrier at its end one member adds what all have: it is asked to, and no other is.
extern "C" int __kmpc_global_thread_num(void* location);
extern "C" int __kmpc_reduce(void* location, int thread, int variables, size_t size, void* own,
                             void (*combine)(void*, void*), void* storage);
extern "C" void __kmpc_end_reduce(void* location, int thread, void* storage);

struct Location {
  int reserved = 0, flags = 0x10 /* atomics would do */, more[2] = {};
  const char* text = ";unknown;unknown;0;0;;";
};

void add_first(void* into, void* from) {
  *static_cast<long**>(into)[0] += *static_cast<long**>(from)[0];
}

// Not where some members may never come, or the environment wants it otherwise.
bool one_adds_for_all() { return !omp_get_cancellation() && !getenv("KMP_FORCE_REDUCTION"); }

void one_member_adds(int n) {
  if (!one_adds_for_all()) return;
  long sum = 0;
  int adders = 0, others = 0;
  static int storage[8];
#pragma omp parallel num_threads(n)
  for (int turn = 0; turn < turns; turn++) {
    Location here;
    long mine = omp_get_thread_num() + 1;
    long* own[] = {&mine};
    const int thread = __kmpc_global_thread_num(&here);
    const int way = __kmpc_reduce(&here, thread, 1, sizeof own, own, add_first, storage);
    if (way == 1) {
      sum += mine;
      adders++;
      __kmpc_end_reduce(&here, thread, storage);
    } else {
#pragma omp atomic
      others += way == 0;
    }
    expect_equal("what all have", sum, (turn + 1) * triangle(n));
#pragma omp barrier
  }
  expect_equal("those that add", adders, turns);
  expect_equal("the others", others, turns * (n - 1));
}

// Rounded sums: their last bits tell in which order the parts were added. In teams of more than
// four, or if the environment asks for it, that is one order.
const bool deterministic = getenv("KMP_DETERMINISTIC_REDUCTION") != nullptr;

double rounded_part(int i) { return (i % 2 == 0 ? 1 : -1) * 1e16 / (i + 3); }

void come_late(int member, int turn, int n) {
  if (member == turn % n) usleep(100);
}

void one_order(int n) {
  if (n <= (deterministic ? 1 : 4) || !one_adds_for_all()) return;
  std::set<double> of_regions, of_loops;
  for (int turn = 0; turn < turns; turn++) {
    double sum = 1;
#pragma omp parallel num_threads(n) reduction(+ : sum)
    {
      come_late(omp_get_thread_num(), turn, n);
      sum += rounded_part(omp_get_thread_num());
    }
    of_regions.insert(sum);
    double array[2] = {1, 1};
#pragma omp parallel num_threads(n)
#pragma omp for schedule(static) nowait reduction(+ : array)
    for (int i = 0; i < n; i++) {
      come_late(i, turn, n);
      array[i % 2] += rounded_part(i);
      array[1 - i % 2] -= rounded_part(2 * i);
    }
    of_loops.insert(array[0] + array[1] / 3);
  }
  expect_equal("sums of a region's parts", static_cast<long>(of_regions.size()), 1);
  expect_equal("sums of a loop's parts", static_cast<long>(of_loops.size()), 1);
}

void nested(int n) {
  long sum = 0;
#pragma omp parallel num_threads(n) reduction(+ : sum)
  {
    long inner = 0;
#pragma omp parallel num_threads(3) reduction(+ : inner)
    inner += 1;
    sum += inner;
  }
  expect_equal("sums of nested teams", sum, 3L * n);
}

}  // namespace

int main() {
  omp_set_max_active_levels(2);
  for (int n : {1, 2, 3, 7, 8, 16}) {
    one_variable(n);
    kinds(n);
    many_variables(n);
    objects(n);
    loops(n);
    one_member_adds(n);
    one_order(n);
    nested(n);
  }
  return expect_result();
}
