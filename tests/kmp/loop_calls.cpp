// LLVM's entry points of loops, called by hand with what no clause of Clang's makes: all numbers of
// schedules, raw bounds at the edges of the types, sections one by one, teams' loops and collapsed
// nests.
#include <omp.h>

#include <climits>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "expect.h"

extern "C" {
int __kmpc_global_thread_num(void*);
void __kmpc_barrier(void*, int);
void __kmpc_dispatch_init_4(void*, int, int, int32_t, int32_t, int32_t, int32_t);
void __kmpc_dispatch_init_4u(void*, int, int, uint32_t, uint32_t, int32_t, int32_t);
void __kmpc_dispatch_init_8(void*, int, int, int64_t, int64_t, int64_t, int64_t);
void __kmpc_dispatch_init_8u(void*, int, int, uint64_t, uint64_t, int64_t, int64_t);
int __kmpc_dispatch_next_4(void*, int, int*, int32_t*, int32_t*, int32_t*);
int __kmpc_dispatch_next_4u(void*, int, int*, uint32_t*, uint32_t*, int32_t*);
int __kmpc_dispatch_next_8(void*, int, int*, int64_t*, int64_t*, int64_t*);
int __kmpc_dispatch_next_8u(void*, int, int*, uint64_t*, uint64_t*, int64_t*);
void __kmpc_dispatch_deinit(void*, int);
int __kmpc_sections_init(void*, int);
int __kmpc_next_section(void*, int, int);
void __kmpc_end_sections(void*, int);
void __kmpc_dist_for_static_init_4(void*, int, int, int*, int32_t*, int32_t*, int32_t*, int32_t*,
                                   int32_t, int32_t);
void __kmpc_team_static_init_4(void*, int, int*, int32_t*, int32_t*, int32_t*, int32_t, int32_t);
void __kmpc_dist_dispatch_init_4(void*, int, int, int*, int32_t, int32_t, int32_t, int32_t);
}

namespace {

bool any_order = false;  // XYLEM_NONMONOTONIC is set

// One name for the entry points of each type.
void init(int thread, int number, int32_t lower, int32_t upper, int32_t step, int32_t chunk) {
  __kmpc_dispatch_init_4(nullptr, thread, number, lower, upper, step, chunk);
}
void init(int thread, int number, uint32_t lower, uint32_t upper, int32_t step, int32_t chunk) {
  __kmpc_dispatch_init_4u(nullptr, thread, number, lower, upper, step, chunk);
}
void init(int thread, int number, int64_t lower, int64_t upper, int64_t step, int64_t chunk) {
  __kmpc_dispatch_init_8(nullptr, thread, number, lower, upper, step, chunk);
}
void init(int thread, int number, uint64_t lower, uint64_t upper, int64_t step, int64_t chunk) {
  __kmpc_dispatch_init_8u(nullptr, thread, number, lower, upper, step, chunk);
}
int next(int thread, int* last, int32_t* lower, int32_t* upper, int32_t* step) {
  return __kmpc_dispatch_next_4(nullptr, thread, last, lower, upper, step);
}
int next(int thread, int* last, uint32_t* lower, uint32_t* upper, int32_t* step) {
  return __kmpc_dispatch_next_4u(nullptr, thread, last, lower, upper, step);
}
int next(int thread, int* last, int64_t* lower, int64_t* upper, int64_t* step) {
  return __kmpc_dispatch_next_8(nullptr, thread, last, lower, upper, step);
}
int next(int thread, int* last, uint64_t* lower, uint64_t* upper, int64_t* step) {
  return __kmpc_dispatch_next_8u(nullptr, thread, last, lower, upper, step);
}

template <typename Int, typename Step>
struct Call {
  int number;
  Int lower;
  Step step;
  int count;
  Step chunk;

  // Each thread's iterations ascend, but where the number or the user says any order.
  bool ascends() const { return !any_order && (number & 127) != 44; }
  Int value(int iteration) const {
    return static_cast<Int>(static_cast<uint64_t>(lower) +
                            static_cast<uint64_t>(iteration) * static_cast<uint64_t>(step));
  }
};

// What a member does in the loop: counts its iterations, and checks what each chunk is said to be.
template <typename Int, typename Step>
void run_chunks(const Call<Int, Step>& call, int* runs, int* chunks, int* lasts) {
  const int thread = __kmpc_global_thread_num(nullptr);
  const Int upper =
      call.count == 0 ? static_cast<Int>(call.lower - call.step) : call.value(call.count - 1);
  init(thread, call.number, call.lower, upper, call.step, call.chunk);
  int last = -1, first_wanted = 0;
  Int from, to;
  Step step = 0;
  while (next(thread, &last, &from, &to, &step)) {
    int iteration = first_wanted;
    while (iteration < call.count && call.value(iteration) != from) ++iteration;
    if (call.ascends()) first_wanted = iteration;
    add_one(chunks);
    expect_true("the step is the loop's", step == call.step);
    for (;; ++iteration) {
      if (iteration >= call.count) {
        expect_true("a chunk of the loop's iterations", false);
        break;
      }
      add_one(&runs[iteration]);
      if (call.value(iteration) == to) break;
    }
    expect_equal("the last chunk is said to be it", last, iteration == call.count - 1);
    if (last) add_one(lasts);
  }
  __kmpc_dispatch_deinit(nullptr, thread);
}

template <typename Int, typename Step>
int run_call(int threads, const Call<Int, Step>& call) {
  std::vector<int> runs(static_cast<size_t>(call.count) + 1);
  int chunks = 0, lasts = 0;
#pragma omp parallel num_threads(threads)
  run_chunks(call, runs.data(), &chunks, &lasts);
  for (int i = 0; i < call.count; i++) expect_equal("runs", runs[static_cast<size_t>(i)], 1);
  expect_equal("last chunks", lasts, call.count > 0);
  return chunks;
}

// Plain numbers, those for chunks one by one, and modifiers.
std::vector<int> numbers() {
  std::vector<int> all;
  for (int kind = 33; kind <= 47; kind++)
    for (int modifier : {0, 1 << 29, 1 << 30}) all.insert(all.end(), {kind | modifier, kind + 128});
  return all;
}

template <typename Int, typename Step>
void run_edges(int threads, int number, int count, Step chunk, Int least, Int most) {
  const Int length = static_cast<Int>(count > 0 ? count - 1 : 0);
  const Int room = count == 0 ? 8 : 0;  // the other bound of an empty loop
  run_call<Int, Step>(threads, {number, static_cast<Int>(most - length), 1, count, chunk});
  run_call<Int, Step>(threads, {number, static_cast<Int>(least + length), -1, count, chunk});
  run_call<Int, Step>(threads, {number, static_cast<Int>(least + room), 3, count, chunk});
  run_call<Int, Step>(threads, {number, static_cast<Int>(most - room), -7, count, chunk});
}

void run_numbers(int threads) {
  for (int number : numbers())
    for (int count : {0, 1, 2, 17, 40})
      for (int chunk : {0, 1, 4}) {
        run_edges<int32_t, int32_t>(threads, number, count, chunk, INT32_MIN, INT32_MAX);
        run_edges<uint32_t, int32_t>(threads, number, count, chunk, 0, UINT32_MAX);
        run_edges<int64_t, int64_t>(threads, number, count, chunk, INT64_MIN, INT64_MAX);
        run_edges<uint64_t, int64_t>(threads, number, count, chunk, 0, UINT64_MAX);
      }
}

// A team of one runs a loop as one chunk, unless the number says that chunks come one by one.
void chunks_of_one_thread() {
  expect_equal("dynamic", run_call<int32_t, int32_t>(1, {35, 0, 1, 12, 3}), 1);
  expect_equal("one by one", run_call<int32_t, int32_t>(1, {163, 0, 1, 12, 3}), 4);
}

// Sizes under schedule(simd:..) are whole chunks; those of 26 iterations by 4 of a team of 3.
void whole_chunks() {
  for (int number : {45, 46}) {
    int broken = 0;
#pragma omp parallel num_threads(3)
    {
      const int thread = __kmpc_global_thread_num(nullptr);
      init(thread, number, int32_t{0}, int32_t{25}, int32_t{1}, int32_t{4});
      int last;
      int32_t from, to, step;
      while (next(thread, &last, &from, &to, &step))
        if (!last && (to - from + 1) % 4 != 0) add_one(&broken);
    }
    expect_equal("chunks that are not whole", broken, 0);
  }
}

void sections(int threads, int count) {
  std::vector<int> runs(static_cast<size_t>(count) + 1);
#pragma omp parallel num_threads(threads)
  {
    const int thread = __kmpc_global_thread_num(nullptr);
    if (__kmpc_sections_init(nullptr, thread)) {
      int section;
      while ((section = __kmpc_next_section(nullptr, thread, count)) < count)
        add_one(&runs[static_cast<size_t>(section)]);
    } else {
      expect_equal("a team of one runs all by itself", omp_get_num_threads(), 1);
      for (int i = 0; i < count; i++) add_one(&runs[static_cast<size_t>(i)]);
    }
    __kmpc_end_sections(nullptr, thread);
  }
  for (int i = 0; i < count; i++) expect_equal("section", runs[static_cast<size_t>(i)], 1);
}

// Outside of a teams construct there is one team, which has the whole loop.
void one_team(int threads) {
  enum { count = 50 };
  int runs[3][count] = {}, lasts[3] = {};
#pragma omp parallel num_threads(threads)
  {
    const int thread = __kmpc_global_thread_num(nullptr);
    int last = 0;
    int32_t from = 0, to = count - 1, of_team = 0, step = 0;
    __kmpc_dist_for_static_init_4(nullptr, thread, 33, &last, &from, &to, &of_team, &step, 1, 3);
    expect_equal("the team's end", of_team, count - 1);
    if (last) add_one(&lasts[0]);
    for (; from <= of_team; from += step, to += step)
      for (int i = from; i <= to && i <= of_team; i++) add_one(&runs[0][i]);

    __kmpc_dist_dispatch_init_4(nullptr, thread, 35, &last, 0, count - 1, 1, 2);
    expect_equal("the team has the end", last, 1);
    while (next(thread, &last, &from, &to, &step))
      for (int i = from; i <= to; i++) add_one(&runs[1][i]);
    __kmpc_dispatch_deinit(nullptr, thread);
  }
  int32_t from = 0, to = count - 1, step = 0;
  __kmpc_team_static_init_4(nullptr, __kmpc_global_thread_num(nullptr), &lasts[2], &from, &to,
                            &step, 1, 7);
  for (; from < count; from += step, to += step)
    for (int i = from; i <= to && i < count; i++) add_one(&runs[2][i]);
  for (const auto& loop : runs)
    for (int run : loop) expect_equal("iterations of one team", run, 1);
  expect_equal("who has the end of a team's static loop", lasts[0], 1);
  expect_equal("one team has the end", lasts[2], 1);
}

// --- collapsed nests -----------------------------------------------------------------------------

struct Bounds {
  int32_t type, variable_type, comparison, outer;
  uint64_t lower, lower_slope, upper, upper_slope;
  int64_t step;
  uint64_t iterations;
};
extern "C" int __kmpc_for_collapsed_init(void*, int, Bounds*, Bounds*, int, int*);
extern "C" uint64_t __kmpc_process_loop_nest_rectang(void*, int, Bounds*, int);
extern "C" void __kmpc_calc_original_ivs_rectang(void*, uint64_t, const Bounds*, uint64_t*, int);

enum { int32_type = 5, less = 3, greater_or_equal = 1 };

// for (i = 0; i < n; i++) for (j = i; j < n; j++)
void triangle(int threads, int n) {
  std::vector<int> runs(static_cast<size_t>(n * n) + 1);
  int lasts = 0;
#pragma omp parallel num_threads(threads)
  {
    Bounds nest[2] = {{int32_type, int32_type, less, 0, 0, 0, static_cast<uint64_t>(n), 0, 1, 0},
                      {int32_type, int32_type, less, 0, 0, 1, static_cast<uint64_t>(n), 0, 1, 0}};
    Bounds part[2];
    int last = 7;
    if (__kmpc_for_collapsed_init(nullptr, __kmpc_global_thread_num(nullptr), nest, part, 2,
                                  &last)) {
      const int first_row = static_cast<int>(part[0].lower);
      const int last_row = static_cast<int>(part[0].upper);
      for (int i = first_row; i <= last_row; i++) {
        const int from = i == first_row ? static_cast<int>(part[1].lower) : i;
        const int to = i == last_row ? static_cast<int>(part[1].upper) : n - 1;
        for (int j = from; j <= to; j++) add_one(&runs[static_cast<size_t>(i * n + j)]);
      }
    }
    if (last) add_one(&lasts);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) expect_equal("point", runs[static_cast<size_t>(i * n + j)], j >= i);
  expect_equal("who has the last point", lasts, n > 0);
}

// for (i = 0; i < 5; i++) for (j = 3 + i; j >= -4 + i; j -= 2)
void parallelogram() {
  Bounds nest[2] = {
      {int32_type, int32_type, less, 0, 0, 0, 5, 0, 1, 0},
      {int32_type, int32_type, greater_or_equal, 0, 3, 1, static_cast<uint64_t>(-4), 1, -2, 0}};
  expect_equal("all", static_cast<long long>(__kmpc_process_loop_nest_rectang(nullptr, 0, nest, 2)),
               20);
  uint64_t number = 0;
  for (int i = 0; i < 5; i++)
    for (int j = 3 + i; j >= -4 + i; j -= 2) {
      uint64_t values[2];
      __kmpc_calc_original_ivs_rectang(nullptr, number++, nest, values, 2);
      expect_equal("i", static_cast<int>(values[0]), i);
      expect_equal("j", static_cast<int>(values[1]), j);
    }
}

}  // namespace

int main(int count, char**) {
  any_order = count > 1;
  for (int threads : {1, 2, 5, 16}) {
    omp_set_schedule(threads % 2 ? omp_sched_guided : omp_sched_static, 0);
    run_numbers(threads);
    for (int count : {0, 1, 3, 40}) sections(threads, count);
    one_team(threads);
    for (int n : {0, 1, 2, 30}) triangle(threads, n);
  }
  chunks_of_one_thread();
  whole_chunks();
  parallelogram();
  return expect_result();
}
