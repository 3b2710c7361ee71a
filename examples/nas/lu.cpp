// LU: the dense factorisation of paper 001, Figure 6: column k is divided by
// its diagonal element, and all columns behind it are updated by it, in a loop
// that gets shorter with each k.
//
// Columns begin on pages, by padding, as the paper's did (section 3.2.1).
#include <omp.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include "nas/accounts.hpp"
#include "nas/code.hpp"
#include "nas/data.hpp"
#include "nas/random.hpp"

namespace nas {

namespace {

struct Matrix {
  double* elements = nullptr;
  std::size_t order = 0, column_words = 0;

  double* column(std::size_t j) const { return elements + j * column_words; }
};

// The diagonal outweighs the rest: no pivots are needed.
void fill(const Matrix& a) {
  std::vector<double> column(a.order);
  Random random;
  for (std::size_t j = 0; j < a.order; ++j) {
    for (double& element : column) element = random.next() - 0.5;
    column[j] += static_cast<double>(a.order);
    for (std::size_t i = 0; i < a.order; ++i) a.column(j)[i] = column[i];
  }
}

// Each of the columns by the thread that will have it, where that is decided by
// a schedule: then its pages are there.
void touch(const Matrix& a) {
#pragma omp parallel for schedule(runtime)
  for (std::size_t j = 0; j < a.order; ++j)
    for (std::size_t i = 0; i < a.order; ++i) a.column(j)[i] = 0;
}

void update(const Matrix& a, std::size_t j, std::size_t k) {
  double* column = a.column(j);
  const double *pivot = a.column(k), factor = column[k];
  for (std::size_t i = k + 1; i < a.order; ++i) column[i] -= pivot[i] * factor;
}

void tell_update(Accounts& accounts, const Matrix& a, std::size_t j, std::size_t k) {
  const std::size_t rows = a.order - k - 1;
  accounts.tell(a.column(j) + k, 1, 1, 0);
  accounts.tell(a.column(k) + k + 1, rows, 1, 0);
  accounts.tell(a.column(j) + k + 1, rows, 1, 1);
}

void step(const Matrix& a, std::size_t k, Accounts* told) {
  double* pivot = a.column(k);
  for (std::size_t i = k + 1; i < a.order; ++i) pivot[i] /= pivot[k];
  if (told != nullptr) {
    told->tell(pivot + k, 1, a.order - k - 1, 0);
    told->tell(pivot + k + 1, a.order - k - 1, 1, 1);
  }
#pragma omp parallel for schedule(runtime)
  for (std::size_t j = k + 1; j < a.order; ++j) {
    update(a, j, k);
    if (told != nullptr) tell_update(*told, a, j, k);
  }
}

// The largest difference of L U from the matrix, at some of its elements.
double error_of(const Matrix& a) {
  Random random, places(1);
  double worst = 0;
  std::vector<double> column(a.order);
  for (std::size_t j = 0; j < a.order; ++j) {
    for (double& element : column) element = random.next() - 0.5;
    column[j] += static_cast<double>(a.order);
    for (int some = 0; some < 8; ++some) {
      const auto i = static_cast<std::size_t>(places.next() * static_cast<double>(a.order));
      double sum = i <= j ? a.column(j)[i] : 0;
      for (std::size_t k = 0; k < i && k <= j; ++k) sum += a.column(k)[i] * a.column(j)[k];
      worst = std::max(worst, std::abs(sum - column[i]));
    }
  }
  return worst;
}

}  // namespace

Outcome run_lu(const Wanted& wanted, Data& data) {
  const long order = std::strtol(wanted.kind.c_str(), nullptr, 10);
  if (order < 2 || order > 20000) return {.known = false};
  const std::size_t page_words = static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / sizeof(double);
  Matrix a;
  a.order = static_cast<std::size_t>(order);
  a.column_words = (a.order + page_words - 1) / page_words * page_words;
  a.elements = data.array<double>(a.order, a.column_words, Slices::cyclic);
  Accounts* accounts = data.accounts();
  Accounts* told = accounts != nullptr && accounts->wants_to_be_told() ? accounts : nullptr;
  touch(a);
  fill(a);
  data.begin();
  const std::size_t last = wanted.iterations > 0
                               ? std::min(a.order - 1, static_cast<std::size_t>(wanted.iterations))
                               : a.order - 1;
  for (std::size_t k = 0; k < last; ++k) {
    step(a, k, told);
    data.iteration_ended();
  }
  const double error = error_of(a);
  return {.verified = error <= 1e-10 * static_cast<double>(order),
          .value = error,
          .wanted = 0,
          .comparable = last == a.order - 1};
}

}  // namespace nas
