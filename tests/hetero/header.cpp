// xylem/codelet.hpp: lambdas and classes as codelets, what they return and throw, ends of data.
#include <array>
#include <cstdio>
#include <cstdlib>
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

}  // namespace

int main() {
  parts();
  matrices();
  errors();
  xylem::wait_all();
  return 0;
}
