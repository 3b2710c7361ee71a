// FT: a differential equation solved by Fourier transforms in three dimensions.
// Threads share planes along z for the transforms in x and y, and planes along
// y for those in z: the whole array changes hands in each iteration.
//
// Written from the benchmark's published description.
#include <omp.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <vector>

#include "nas/code.hpp"
#include "nas/data.hpp"
#include "nas/random.hpp"

namespace nas {

namespace {

using Complex = std::complex<double>;

constexpr int most_iterations = 6;
struct Class {
  const char* name;
  int x, y, z;
  std::array<Complex, most_iterations> sums;
};
constexpr Class classes[] = {{"S",
                              64,
                              64,
                              64,
                              {{{5.546087004964e+02, 4.845363331978e+02},
                                {5.546385409189e+02, 4.865304269511e+02},
                                {5.546148406171e+02, 4.883910722336e+02},
                                {5.545423607415e+02, 4.901273169046e+02},
                                {5.544255039624e+02, 4.917475857993e+02},
                                {5.542683411902e+02, 4.932597244941e+02}}}},
                             {"W",
                              128,
                              128,
                              32,
                              {{{5.673612178944e+02, 5.293246849175e+02},
                                {5.631436885271e+02, 5.282149986629e+02},
                                {5.594024089970e+02, 5.270996558037e+02},
                                {5.560698047020e+02, 5.260027904925e+02},
                                {5.530898991250e+02, 5.249400845633e+02},
                                {5.504159734538e+02, 5.239212247086e+02}}}}};

struct Field {
  Complex* points = nullptr;
  int x = 0, y = 0, z = 0;

  std::ptrdiff_t plane() const { return std::ptrdiff_t{x} * y; }
  Complex* row(int k, int j) const { return points + k * plane() + std::ptrdiff_t{j} * x; }
};

// Lines that are transformed together; each has one of so many columns.
constexpr int columns = 16;

// The transform of lines of one length, in one direction, in a thread's own
// memory, whose accesses are not counted: they are nobody else's.
class Transform {
 public:
  Transform(int length, int sign)
      : length_(length),
        roots_(static_cast<std::size_t>(length)),
        other_(static_cast<std::size_t>(length * columns)) {
    for (int i = 0; i < length; ++i)
      roots_[static_cast<std::size_t>(i)] =
          std::polar(1.0, sign * 2 * std::numbers::pi * i / length);
  }

  // Stockham's: halves of the line are combined so often that the line comes
  // out in order.
  __attribute__((no_sanitize("thread"))) void run(std::vector<Complex>& lines) {
    for (int half = length_ / 2, blocks = 1; half >= 1; half /= 2, blocks *= 2) {
      step(lines.data(), other_.data(), half, blocks);
      lines.swap(other_);
    }
  }

 private:
  __attribute__((no_sanitize("thread"))) void step(const Complex* from, Complex* to, int half,
                                                   int blocks) {
    for (int p = 0; p < half; ++p) {
      const Complex root = roots_[static_cast<std::size_t>(p * blocks)];
      for (int q = 0; q < blocks * columns; ++q) {
        const Complex a = from[q + blocks * columns * p];
        const Complex b = from[q + blocks * columns * (p + half)];
        const double re = a.real() - b.real(), im = a.imag() - b.imag();
        to[q + blocks * columns * 2 * p] = {a.real() + b.real(), a.imag() + b.imag()};
        to[q + blocks * columns * (2 * p + 1)] = {re * root.real() - im * root.imag(),
                                                  re * root.imag() + im * root.real()};
      }
    }
  }

  int length_;
  std::vector<Complex> roots_;
  std::vector<Complex> other_;
};

// Lines along x: `columns` rows of a plane at a time.
void along_x(const Field& f, int sign) {
#pragma omp parallel
  {
    Transform transform(f.x, sign);
    std::vector<Complex> lines(static_cast<std::size_t>(f.x * columns));
#pragma omp for
    for (int k = 0; k < f.z; ++k)
      for (int j = 0; j < f.y; j += columns) {
        for (int c = 0; c < columns; ++c)
          for (int i = 0; i < f.x; ++i)
            lines[static_cast<std::size_t>(i * columns + c)] = f.row(k, j + c)[i];
        transform.run(lines);
        for (int c = 0; c < columns; ++c)
          for (int i = 0; i < f.x; ++i)
            f.row(k, j + c)[i] = lines[static_cast<std::size_t>(i * columns + c)];
      }
  }
}

void along_y(const Field& f, int sign) {
#pragma omp parallel
  {
    Transform transform(f.y, sign);
    std::vector<Complex> lines(static_cast<std::size_t>(f.y * columns));
#pragma omp for
    for (int k = 0; k < f.z; ++k)
      for (int i = 0; i < f.x; i += columns) {
        for (int j = 0; j < f.y; ++j)
          copy(f.row(k, j) + i, columns, &lines[static_cast<std::size_t>(j * columns)]);
        transform.run(lines);
        for (int j = 0; j < f.y; ++j)
          copy(&lines[static_cast<std::size_t>(j * columns)], columns, f.row(k, j) + i);
      }
  }
}

void along_z(const Field& f, int sign) {
#pragma omp parallel
  {
    Transform transform(f.z, sign);
    std::vector<Complex> lines(static_cast<std::size_t>(f.z * columns));
#pragma omp for
    for (int j = 0; j < f.y; ++j)
      for (int i = 0; i < f.x; i += columns) {
        for (int k = 0; k < f.z; ++k)
          copy(f.row(k, j) + i, columns, &lines[static_cast<std::size_t>(k * columns)]);
        transform.run(lines);
        for (int k = 0; k < f.z; ++k)
          copy(&lines[static_cast<std::size_t>(k * columns)], columns, f.row(k, j) + i);
      }
  }
}

void draw(const Field& f) {
  Random random;
  for (int k = 0; k < f.z; ++k)
    for (std::ptrdiff_t i = 0; i < f.plane(); ++i) {
      const double re = random.next();
      f.row(k, 0)[i] = {re, random.next()};
    }
}

int wave(int index, int size) { return (index + size / 2) % size - size / 2; }

// What a step of time does to each wave.
void make_factors(const Field& f, double* factors) {
  constexpr double alpha = 1e-6;
  const double scale = -4 * alpha * std::numbers::pi * std::numbers::pi;
#pragma omp parallel for
  for (int k = 0; k < f.z; ++k)
    for (int j = 0; j < f.y; ++j)
      for (int i = 0; i < f.x; ++i) {
        const int a = wave(i, f.x), b = wave(j, f.y), c = wave(k, f.z);
        factors[k * f.plane() + std::ptrdiff_t{j} * f.x + i] =
            std::exp(scale * (a * a + b * b + c * c));
      }
}

void evolve(const Field& waves, const Field& to, const double* factors) {
#pragma omp parallel for
  for (int k = 0; k < waves.z; ++k) {
    const double* factor = factors + k * waves.plane();
    Complex *from = waves.row(k, 0), *into = to.row(k, 0);
    for (std::ptrdiff_t i = 0; i < waves.plane(); ++i) into[i] = from[i] = from[i] * factor[i];
  }
}

Complex sum_of(const Field& f) {
  constexpr int points = 1024;
  double re = 0, im = 0;
#pragma omp parallel for reduction(+ : re, im)
  for (int i = 1; i <= points; ++i) {
    const Complex& point = f.row(5 * i % f.z, 3 * i % f.y)[i % f.x];
    re += point.real();
    im += point.imag();
  }
  const double all = static_cast<double>(f.plane()) * f.z;
  return {re / all, im / all};
}

Field make_field(const Class& c, Data& data) {
  const auto plane = static_cast<std::size_t>(c.x) * static_cast<std::size_t>(c.y);
  return {data.array<Complex>(static_cast<std::size_t>(c.z), plane), c.x, c.y, c.z};
}

}  // namespace

Outcome run_ft(const Wanted& wanted, Data& data) {
  const auto* c = class_named(classes, wanted.kind);
  if (c == nullptr) return {.known = false};
  const Field waves = make_field(*c, data), field = make_field(*c, data);
  auto* factors =
      data.array<double>(static_cast<std::size_t>(c->z), static_cast<std::size_t>(waves.plane()));
  make_factors(waves, factors);
  draw(waves);
  along_x(waves, -1);
  along_y(waves, -1);
  along_z(waves, -1);
  data.begin();
  const int iterations = wanted.iterations > 0 ? wanted.iterations : most_iterations;
  Outcome outcome{.verified = true, .comparable = iterations <= most_iterations};
  for (int iteration = 0; iteration < iterations; ++iteration) {
    evolve(waves, field, factors);
    along_z(field, 1);
    along_y(field, 1);
    along_x(field, 1);
    const Complex sum = sum_of(field);
    data.iteration_ended();
    if (iteration >= most_iterations) continue;
    const Complex expected = c->sums[static_cast<std::size_t>(iteration)];
    outcome.verified = outcome.verified && std::abs(sum - expected) <= 1e-12 * std::abs(expected);
    outcome.value = std::abs(sum);
    outcome.wanted = std::abs(expected);
  }
  return outcome;
}

}  // namespace nas
