// xylem/codelet.hpp: lambdas and classes as codelets, what they return and throw, ends of data.
#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>
#include <xylem/codelet.hpp>

namespace {

void check(bool condition, int line) {
  if (condition) return;
  std::fprintf(stderr, "line %d: not so\n", line);
  std::exit(1);
}
#define CHECK(condition) check(condition, __LINE__)

template <typename Call>
int error_of(Call call) {
  try {
    call();
  } catch (const std::system_error& error) {
    return error.code().value();
  }
  return 0;
}

struct Halve {
  static constexpr const char* name = "halve";
  void operator()(xylem::view<double> x) const {
    for (std::size_t i = 0; i < x.x(); ++i) x[i] /= 2;
  }
};

void parts() {
  std::vector<double> values(100, 8);
  xylem::data<double> x = xylem::vector_data<double>(values);
  x.partition(7);
  CHECK(x.part_count() == 7);
  const double factor = 3;
  for (int i = 0; i < 7; ++i) {
    xylem::submit(
        [factor](xylem::view<double> part) {
          for (std::size_t k = 0; k < part.x(); ++k) part[k] *= factor;
        },
        x.part(i).read_write());
    xylem::submit({.priority = 1}, Halve{}, x.part(i).read_write());
  }
  x.unpartition();
  {
    const xylem::acquired mine(x.read_write());
    CHECK(mine.get()[99] == 12);
    mine.get()[99] = 0;
  }
  x.unregister();
  CHECK(values[0] == 12 && values[98] == 12 && values[99] == 0);
}

void matrices() {
  std::array<int, 20> elements{};
  xylem::data<int> matrix = xylem::matrix_data(elements.data(), 3, 4, 5);
  xylem::data<int> sum = xylem::new_vector<int>(1);
  xylem::data<int> scratch = xylem::new_matrix<int>(3, 4);
  xylem::submit([](xylem::view<int> m) { m(2, 1) = m(3, 2) = 5; }, matrix.write());
  xylem::submit(
      [](xylem::view<const int> m, xylem::view<int> to, xylem::view<int> own) {
        own(3, 2) = 1;
        to[0] = own(3, 2);
        for (std::size_t i = 0; i < m.y(); ++i)
          for (std::size_t j = 0; j < m.x(); ++j) to[0] += m(i, j);
      },
      matrix.read(), sum.write(), scratch.scratch());
  for (int i = 0; i < 10; ++i) xylem::submit([](xylem::view<int> to) { ++to[0]; }, sum.commute());
  const xylem::acquired result(sum.read());
  CHECK(result.get()[0] == 21);
  CHECK(elements[2 * 5 + 1] == 5 && elements[3 * 5 + 2] == 5);
}

void errors() {
  int value = 1;
  xylem::data<int> data = xylem::variable_data(value);
  xylem::task fails = xylem::submit([](xylem::view<int>) { return EDOM; }, data.read_write());
  CHECK(error_of([&] { fails.wait(); }) == EDOM);
  CHECK(error_of([&] { xylem::acquired(data.read()); }) == ENODATA);
  CHECK(error_of([&] { xylem::wait_all(); }) == EDOM);
  xylem::task throws = xylem::submit(
      [](xylem::view<int>) { throw std::runtime_error("in a codelet"); }, data.write());
  xylem::task after = xylem::submit(
      {.after = {throws.get()}}, [](xylem::view<int> v) { v[0] = 7; }, data.write());
  CHECK(error_of([&] { throws.wait(); }) == EIO);
  after.wait();
  CHECK(error_of([&] { xylem::wait_all(); }) == EIO);
  CHECK(error_of([&] {
          xylem::submit([](xylem::view<int>, xylem::view<int>) {}, data.write(), data.write());
        }) == EINVAL);
  data.unregister();
  CHECK(value == 7);
}

// Parts of the program's own: the first row, and the others.
void parts_by_hand() {
  std::array<int, 12> elements{};
  xylem::data<int> matrix = xylem::matrix_data(elements.data(), 3, 4, 3);
  matrix.partition_by(2, [](xylem::view<int> whole, int number, xylem_view& part) {
    part.data = whole.row(number == 0 ? 0 : 1);
    part.y = number == 0 ? 1 : whole.y() - 1;
  });
  CHECK(matrix.part_count() == 2);
  for (int i = 0; i < 2; ++i)
    xylem::submit(
        [](xylem::view<int> part) {
          for (std::size_t row = 0; row < part.y(); ++row)
            part(row, 2) = static_cast<int>(part.y());
        },
        matrix.part(i).read_write());
  matrix.unpartition();
  CHECK(error_of([&] {
          matrix.partition_by(2, [](xylem::view<int>, int, xylem_view&) {
            throw std::system_error(EDOM, std::generic_category());
          });
        }) == EDOM);
  matrix.unregister();
  CHECK(elements[2] == 1 && elements[5] == 3 && elements[11] == 3 && elements[10] == 0);
}

void sums() {
  long total = 7;
  std::vector<long> values(1000, 3);
  xylem::data<long> sum = xylem::variable_data(total);
  xylem::data<long> x = xylem::vector_data<long>(values);
  sum.set_reduction(
      [](xylem::view<long> copy) { copy[0] = 0; },
      [](xylem::view<long> into, xylem::view<const long> from) { into[0] += from[0]; });
  x.partition(10);
  for (int i = 0; i < 10; ++i)
    xylem::submit(
        [](xylem::view<long> to, xylem::view<const long> part) {
          for (std::size_t k = 0; k < part.x(); ++k) to[0] += part[k];
        },
        sum.reduce(), x.part(i).read());
  x.unpartition();
  sum.unregister();
  CHECK(total == 3007);
}

struct Point {
  double x, y;
};

// Each kind of data, with memory of the program's and without.
void kinds() {
  std::array<int, 2 * 3 * 4> elements{};
  xylem::data<int> block = xylem::block_data(elements.data(), 2, 2, 2, 3, 12);
  xylem::data<int> dense = xylem::new_block<int>(2, 2, 2);
  Point point{1, 2};
  xylem::data<Point> user = xylem::user_data(point);
  xylem::data<double> number = xylem::new_variable<double>();
  xylem::submit([](xylem::view<Point> p, xylem::view<double> to) { to[0] = p[0].x = p[0].y; },
                user.read_write(), number.write());
  xylem::submit([](xylem::view<int> b) { b(1, 1, 1) = 5; }, block.read_write());
  xylem::submit([](xylem::view<const int> b, xylem::view<int> d) { d(1, 0, 1) = b(1, 1, 1) + 1; },
                block.read(), dense.write());
  {
    const xylem::acquired seen(dense.read());
    const xylem::acquired two(number.read());
    CHECK(seen.get()(1, 0, 1) == 6 && two.get()[0] == 2);
  }
  block.unregister();
  user.unregister();
  CHECK(elements[12 + 3 + 1] == 5 && point.x == 2);
}

// y = a x, with a sparse matrix of two rows.
void sparse() {
  std::array<float, 3> values = {1, 2, 3};
  std::array<std::uint32_t, 3> columns = {0, 1, 1};
  std::array<std::uint32_t, 3> starts = {0, 2, 3};
  std::array<float, 2> x = {10, 100}, y{};
  xylem::data<float> a = xylem::csr_data(values.data(), columns.data(), starts);
  xylem::data<float> vx = xylem::vector_data<float>(x), vy = xylem::vector_data<float>(y);
  xylem::submit(
      [](xylem::view<const float> m, xylem::view<const float> from, xylem::view<float> to) {
        const xylem_view& raw = m.raw();
        for (std::uint32_t row = 0; row < raw.rows; ++row)
          for (std::uint32_t e = raw.row_starts[row]; e < raw.row_starts[row + 1]; ++e)
            to[row] += m[e] * from[raw.columns[e]];
      },
      a.read(), vx.read(), vy.read_write());
  vy.unregister();
  CHECK(y[0] == 210 && y[1] == 300);
  CHECK(error_of([&] { xylem::csr_data(values.data(), columns.data(), {}); }) == EINVAL);
}

void callbacks() {
  int value = 0;
  int calls = 0;
  xylem::data<int> data = xylem::variable_data(value);
  for (int i = 0; i < 5; ++i)
    xylem::submit(
        {.callback = [](void* count) { ++*static_cast<int*>(count); }, .callback_argument = &calls},
        [](xylem::view<int> v) { ++v[0]; }, data.read_write());
  data.unregister();
  CHECK(value == 5 && calls == 5);
}

// No function for processors: where there are no devices nobody can run it.
struct OnDevices {
  static constexpr xylem_opencl opencl = {
      "__kernel void add(__global int* x, int n) { x[0] += n; }", "add", nullptr, nullptr};
  int more;
};

void devices_alone() {
  int value = 1;
  xylem::data<int> data = xylem::variable_data(value);
  const auto add = [&] { xylem::submit(OnDevices{4}, data.read_write()); };
  CHECK(error_of(add) == (xylem_device_count() > 0 ? 0 : ENODEV));
  data.unregister();
  CHECK(value == (xylem_device_count() > 0 ? 5 : 1));
}

// What it says of its tasks is asked by policies with models alone, with extents and without data.
struct Told {
  static inline std::atomic<int> asked = 0;
  std::size_t turns;
  void operator()(xylem::view<double> x, xylem::view<const double> y) const { x[0] += y[0]; }
  double work(xylem::view<double> x, xylem::view<const double> y) const {
    CHECK(!x.data() && x.x() == 3 && y.x() == 5 && turns == 4);
    asked |= 1;
    return static_cast<double>(turns * x.x());
  }
  double nanoseconds(int executor, xylem::view<double> x, xylem::view<const double> y) const {
    CHECK(!y.data() && x.x() == 3 && y.x() == 5 && turns == 4);
    CHECK(executor >= 0 && executor < xylem_executor_count());
    asked |= 2;
    return 1000;
  }
};

void told(bool by_models) {
  std::array<double, 3> x{};
  std::array<double, 5> y = {2};
  xylem::data<double> to = xylem::vector_data<double>(x), from = xylem::vector_data<double>(y);
  xylem::submit(Told{4}, to.read_write(), from.read()).wait();
  to.unregister();
  CHECK(x[0] == 2);
  CHECK(Told::asked == (by_models ? 3 : 0));
}

struct Team {
  static constexpr int most_threads = 2;
  void operator()(xylem::view<int> threads) const {
    int members = 0;
#pragma omp parallel reduction(+ : members)
    members += 1;
    threads[0] = members;
    CHECK(members == omp_get_max_threads());
  }
};

// tests/hetero/teams.c has how many, and when.
void teams() {
  std::array<int, 1> threads{};
  xylem::data<int> data = xylem::vector_data<int>(threads);
  xylem::submit(Team{}, data.read_write()).wait();
  data.unregister();
  CHECK(threads[0] >= 1 &&
        threads[0] <= std::min(2, xylem_executor_count() - xylem_device_count()));
}

}  // namespace

int main(int argc, char** argv) {
  CHECK(error_of([] { xylem::codelet_policy("nothing"); }) == EINVAL);
  const char* policy = argc > 1 ? argv[1] : "priority";
  xylem::codelet_policy(policy);
  told(std::strcmp(policy, "earliest") == 0);
  parts_by_hand();
  sums();
  kinds();
  sparse();
  callbacks();
  devices_alone();
  parts();
  matrices();
  teams();
  errors();
  xylem::wait_all();
  return 0;
}
