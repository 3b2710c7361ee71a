// Eigen's product of matrices, whose threads spin for each other's parts without a yield: as often
// as the second argument says, with the first one's number of threads. Fails where a product
// differs from Eigen's with one thread by more than rounding.
#include <omp.h>

#include <Eigen/Dense>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 4;
  const int calls = argc > 2 ? std::atoi(argv[2]) : 20;
  const Eigen::Index n = 300;
  Eigen::MatrixXd a(n, n), b(n, n), right(n, n), product(n, n);
  for (Eigen::Index i = 0; i < n * n; ++i) {
    a.data()[i] = static_cast<double>(i * 7919 % 1000) / 1000 - 0.5;
    b.data()[i] = static_cast<double>(i * 104729 % 1000) / 1000 - 0.5;
  }
  Eigen::setNbThreads(1);
  right.noalias() = a * b;
  Eigen::setNbThreads(threads);
  for (int call = 0; call < calls; ++call) {
    const double begun = omp_get_wtime();
    product.setZero();
    product.noalias() = a * b;
    std::printf("%.3f ms\n", 1e3 * (omp_get_wtime() - begun));
    const double off = (product - right).cwiseAbs().maxCoeff();
    if (off < 1e-10) continue;
    std::printf("FAIL: product %d is off by %g\n", call, off);
    return 1;
  }
  return 0;
}
