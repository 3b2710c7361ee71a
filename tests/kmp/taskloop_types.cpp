// Taskloops over every integer type: each iteration once, the last one's value, ranges at the ends
// of the type, both directions.
#include <omp.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "expect.h"

namespace {

enum class Amount { none, grainsize, num_tasks };

struct Ran {
  std::vector<int> times;
  long double last = 0;
};

template <class Type, class Body>
void up(Type first, Type last, Type step, Amount amount, int value, Body body) {
  switch (amount) {
    case Amount::none:
#pragma omp taskloop
      for (Type i = first; i <= last; i += step) body(i);
      break;
    case Amount::grainsize:
#pragma omp taskloop grainsize(value)
      for (Type i = first; i <= last; i += step) body(i);
      break;
    case Amount::num_tasks:
#pragma omp taskloop num_tasks(value) nogroup
      for (Type i = first; i <= last; i += step) body(i);
  }
}

template <class Type, class Body>
void down(Type first, Type last, Type step, int value, Body body) {
#pragma omp taskloop num_tasks(value)
  for (Type i = first; i >= last; i -= step) body(i);
}

// `count` steps from `first`, `place` of each value.
template <class Type>
void check(const char* what, const std::vector<int>& times) {
  for (const int seen : times) expect_equal(what, seen, 1);
}

template <class Type>
void loops(int members) {
  using Limits = std::numeric_limits<Type>;
  constexpr int count = 25;
  const Type step = 3;
  for (const Type low : {static_cast<Type>(Limits::min() + 4), static_cast<Type>(20)}) {
    const Type high = static_cast<Type>(low + step * (count - 1));
    for (const Amount amount : {Amount::none, Amount::grainsize, Amount::num_tasks}) {
      for (const int value : {1, 4, 100}) {
        std::vector<int> times(count);
        const auto note = [&](Type i) {
          __atomic_fetch_add(&times[static_cast<size_t>((i - low) / step)], 1, __ATOMIC_RELAXED);
        };
#pragma omp parallel num_threads(members)
#pragma omp single
        up<Type>(low, high, step, amount, value, note);
        check<Type>("times that an iteration ran", times);
        std::vector<int> again(count);
#pragma omp parallel num_threads(members)
#pragma omp single
        down<Type>(high, low, step, value, [&](Type i) {
          __atomic_fetch_add(&again[static_cast<size_t>((i - low) / step)], 1, __ATOMIC_RELAXED);
        });
        check<Type>("times that an iteration ran on the way down", again);
      }
    }
  }
}

// More tasks than a queue holds, and an empty loop.
void many(int members) {
  long sum = 0;
  int none = 0;
#pragma omp parallel num_threads(members)
#pragma omp single
  {
#pragma omp taskloop num_tasks(20000) reduction(+ : sum)
    for (int i = 0; i < 20000; i++) sum += i;
#pragma omp taskloop shared(none)
    for (int i = 5; i < 5; i++) none = 1;
  }
  expect_equal("the sum of many tasks", sum, 20000L * 19999 / 2);
  expect_equal("an empty loop", none, 0);
}

}  // namespace

int main() {
  for (int members = 1; members <= 16; members += 5) {
    loops<int8_t>(members);
    loops<uint8_t>(members);
    loops<int16_t>(members);
    loops<uint16_t>(members);
    loops<int32_t>(members);
    loops<uint32_t>(members);
    loops<int64_t>(members);
    loops<uint64_t>(members);
    many(members);
  }
  return expect_result();
}
