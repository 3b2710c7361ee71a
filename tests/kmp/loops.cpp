// Worksharing loops as Clang calls them: each schedule, type, direction and length, near the limits
// of the type too, by 1 to 17 threads and in nested teams. Each iteration is run once, lastprivate
// has the last one's value, ordered regions come in order, and a thread's iterations ascend.
#include <omp.h>

#include <initializer_list>
#include <limits>

#include "expect.h"

namespace {

constexpr int longest = 41;
constexpr int most_threads = 17;

// What the threads of one loop did. Iterations are known by their number in the loop.
struct Record {
  int runs[longest] = {};          // of each iteration
  int reached[most_threads] = {};  // by thread: behind the last iteration that it ran
  int descents = 0;                // a thread ran an iteration before one that it had run
  int in_order = 0;                // iterations that have been in the ordered region
  int out_of_order = 0;            // those that were not the next

  void run(int number) {
    if (number < 0 || number >= longest) {
      expect_equal("an iteration that the loop does not have", number, -1);
      return;
    }
    add_one(&runs[number]);
    int& mine = reached[omp_get_thread_num()];
    if (mine > number) add_one(&descents);
    mine = number + 1;
  }
  void run_in_order(int number) {
    if (in_order++ != number) ++out_of_order;
  }
};

// A loop of `count` iterations, up or down by a positive step.
template <typename Int>
struct Range {
  const char* what;
  bool up;
  Int from;
  Int step;
  int count;

  Int behind() const { return up ? from + count * step : from - count * step; }
  Int last() const { return up ? from + (count - 1) * step : from - (count - 1) * step; }
};

// The same loop up and down, and what lastprivate left of it.
#define LOOP(name, clauses, ordered_part)                                    \
  template <typename Int>                                                    \
  Int name(Record& record, int threads, const Range<Int>& range) {           \
    const Int from = range.from, behind = range.behind(), step = range.step; \
    Int last = from;                                                         \
    if (range.up) {                                                          \
      _Pragma("omp parallel num_threads(threads)")                           \
          _Pragma(clauses) for (Int i = from; i < behind; i += step) {       \
        const int number = static_cast<int>((i - from) / step);              \
        record.run(number);                                                  \
        ordered_part;                                                        \
        last = i;                                                            \
      }                                                                      \
    } else {                                                                 \
      _Pragma("omp parallel num_threads(threads)")                           \
          _Pragma(clauses) for (Int i = from; i > behind; i -= step) {       \
        const int number = static_cast<int>((from - i) / step);              \
        record.run(number);                                                  \
        ordered_part;                                                        \
        last = i;                                                            \
      }                                                                      \
    }                                                                        \
    return last;                                                             \
  }

#define IN_ORDER _Pragma("omp ordered") record.run_in_order(number)

LOOP(unsaid, "omp for lastprivate(last)", )
LOOP(static_blocks, "omp for lastprivate(last) schedule(static)", )
LOOP(static_1, "omp for lastprivate(last) schedule(static,1)", )
LOOP(static_3, "omp for lastprivate(last) schedule(static,3)", )
LOOP(static_simd, "omp for lastprivate(last) schedule(simd:static,4)", )
LOOP(dynamic, "omp for lastprivate(last) schedule(dynamic)", )
LOOP(dynamic_3, "omp for lastprivate(last) schedule(monotonic:dynamic,3)", )
LOOP(guided, "omp for lastprivate(last) schedule(guided)", )
LOOP(guided_2, "omp for lastprivate(last) schedule(nonmonotonic:guided,2)", )
LOOP(guided_simd, "omp for simd lastprivate(last) schedule(simd:guided,2)", )
LOOP(runtime, "omp for lastprivate(last) schedule(runtime)", )
LOOP(runtime_monotonic, "omp for lastprivate(last) schedule(monotonic:runtime)", )
LOOP(automatic, "omp for lastprivate(last) schedule(auto)", )
LOOP(ordered, "omp for lastprivate(last) ordered", IN_ORDER)
LOOP(ordered_static_2, "omp for lastprivate(last) ordered schedule(static,2)", IN_ORDER)
LOOP(ordered_dynamic, "omp for lastprivate(last) ordered schedule(dynamic)", IN_ORDER)
LOOP(ordered_guided_2, "omp for lastprivate(last) ordered schedule(guided,2)", IN_ORDER)
LOOP(ordered_runtime, "omp for lastprivate(last) ordered schedule(runtime)", IN_ORDER)

template <typename Int>
using Loop = Int (*)(Record&, int, const Range<Int>&);

template <typename Int>
void expect_run(Loop<Int> loop, int threads, const Range<Int>& range, bool in_order) {
  Record record;
  const Int last = loop(record, threads, range);
  for (int i = 0; i < longest; i++) expect_equal(range.what, record.runs[i], i < range.count);
  expect_equal("iterations before one that the thread had run", record.descents, 0);
  expect_equal("in order", record.in_order, in_order ? range.count : 0);
  expect_equal("out of order", record.out_of_order, 0);
  if (range.count > 0) expect_true("lastprivate", last == range.last());
}

template <typename Int>
void run_all(int threads, const Range<Int>& range) {
  static constexpr Loop<Int> plain[] = {
      unsaid<Int>,    static_blocks<Int>, static_1<Int>,         static_3<Int>, static_simd<Int>,
      dynamic<Int>,   dynamic_3<Int>,     guided<Int>,           guided_2<Int>, guided_simd<Int>,
      automatic<Int>, runtime<Int>,       runtime_monotonic<Int>};
  static constexpr Loop<Int> in_order[] = {ordered<Int>, ordered_static_2<Int>,
                                           ordered_dynamic<Int>, ordered_guided_2<Int>,
                                           ordered_runtime<Int>};
  for (Loop<Int> loop : plain) expect_run(loop, threads, range, false);
  for (Loop<Int> loop : in_order) expect_run(loop, threads, range, true);
}

template <typename Int>
void run_at(const char* what, int threads, int count, Int far_step) {
  using Limits = std::numeric_limits<Int>;
  const Int length = static_cast<Int>(count);
  run_all<Int>(threads, {what, true, static_cast<Int>(Limits::max() - length), 1, count});
  run_all<Int>(threads, {what, true, Limits::min(), far_step, count});
  run_all<Int>(threads, {what, false, static_cast<Int>(Limits::min() + length), 1, count});
  run_all<Int>(threads, {what, false, Limits::max(), far_step, count});
  run_all<Int>(threads, {what, true, Limits::max() / 2, 3, count});
}

void run_types(int threads, int count) {
  run_at<int>("int", threads, count, 50'000'000);
  run_at<unsigned>("unsigned", threads, count, 100'000'000);
  run_at<long>("long", threads, count, 1L << 57);
  run_at<unsigned long long>("unsigned long long", threads, count, 1ULL << 58);
}

void run_lengths(int threads) {
  static constexpr omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided,
                                          omp_sched_auto};
  int at = threads;
  for (int count : {0, 1, 2, 5, 16, 17, longest}) {
    omp_set_schedule(kinds[at % 4], at % 3);
    run_types(threads, count);
    ++at;
  }
}

// Each thread of a team has a team of its own.
void run_nested() {
#pragma omp parallel num_threads(3)
  {
    omp_set_schedule(omp_sched_dynamic, 1 + omp_get_thread_num());
    for (int threads = 1; threads <= 4; threads++) run_types(threads, 16);
  }
}

// Members may be loops ahead of each other; static loops stand between those that have a record.
void run_without_barriers() {
  constexpr int rounds = 200, count = 20;
  static int runs[rounds][3];
#pragma omp parallel num_threads(5)
  for (int round = 0; round < rounds; round++) {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < count; i++) add_one(&runs[round][0]);
#pragma omp for schedule(static, 2) nowait
    for (int i = 0; i < count; i++) add_one(&runs[round][1]);
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < count; i++) add_one(&runs[round][2]);
  }
  for (const auto& round : runs)
    for (int loop : round) expect_equal("without barriers", loop, count);
}

}  // namespace

int main() {
  omp_set_max_active_levels(2);
  for (int threads = 1; threads <= most_threads; threads++) run_lengths(threads);
  run_nested();
  run_without_barriers();
  return expect_result();
}
