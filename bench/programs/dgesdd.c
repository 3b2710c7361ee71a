/* dgesdd LIBRARY ORDER: the singular values and vectors of a seeded matrix by OpenBLAS's dgesdd.
 *
 * LIBRARY is the file of an OpenBLAS built for OpenMP. It is loaded while the program runs, so that
 * the bench can be built where there is none. Its OpenMP runtime is the one that this program
 * links. Exit code 0: U S V' is the matrix; 1: it is not; 2: bad use; 3: the library cannot be
 * used. */
#include <dlfcn.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { column_major = 102, plain = 111, most_rows = 20000 };

typedef void decomposition(const char* job, const int* m, const int* n, double* a, const int* lda,
                           double* s, double* u, const int* ldu, double* vt, const int* ldvt,
                           double* work, const int* lwork, int* iwork, int* info);
typedef void product(int order, int transpose_a, int transpose_b, int m, int n, int k, double alpha,
                     const double* a, int lda, const double* b, int ldb, double beta, double* c,
                     int ldc);

/* The address of a function; ends the program where the library has none. */
static void* function_of(void* library, const char* name) {
  void* const found = dlsym(library, name);
  if (found == NULL) {
    fprintf(stderr, "dgesdd: the library has no %s\n", name);
    exit(3);
  }
  return found;
}

static double* zeros(size_t count) {
  double* const values = calloc(count, sizeof(double));
  if (values == NULL) {
    fprintf(stderr, "dgesdd: no memory for %zu numbers\n", count);
    exit(3);
  }
  return values;
}

static double* seeded(int n) {
  unsigned long long seed = 3;
  double* const matrix = zeros((size_t)n * (size_t)n);
  for (long i = 0; i < (long)n * n; i++) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    matrix[i] = (double)(seed >> 11) / (double)(1ULL << 53) - 0.5;
  }
  return matrix;
}

/* The largest entry of |U S V' - A|. */
static double largest_error(product* multiply, int n, double* u, const double* s,
                            const double* vt) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) u[(long)j * n + i] *= s[j];
  double* const found = zeros((size_t)n * (size_t)n);
  multiply(column_major, plain, plain, n, n, n, 1.0, u, n, vt, n, 0.0, found, n);
  double* const original = seeded(n);
  double worst = 0;
  for (long i = 0; i < (long)n * n; i++) {
    const double error = fabs(found[i] - original[i]);
    if (!(error <= worst)) worst = error; /* also one that is not a number */
  }
  free(found);
  free(original);
  return worst;
}

static int decompose(decomposition* dgesdd, product* multiply, int n) {
  double* const a = seeded(n);
  double* const s = zeros((size_t)n);
  double* const u = zeros((size_t)n * (size_t)n);
  double* const vt = zeros((size_t)n * (size_t)n);
  int* const iwork = (int*)zeros(4 * (size_t)n);
  double wanted = 0;
  int size = -1, info = 0;
  dgesdd("A", &n, &n, a, &n, s, u, &n, vt, &n, &wanted, &size, iwork, &info);
  size = (int)wanted;
  double* const work = zeros((size_t)size);
  const double before = omp_get_wtime();
  dgesdd("A", &n, &n, a, &n, s, u, &n, vt, &n, work, &size, iwork, &info);
  const double seconds = omp_get_wtime() - before;
  const double error = info == 0 ? largest_error(multiply, n, u, s, vt) : NAN;
  /* That of the openblas test for order 400, by the order: sums get longer with it. */
  const double allowed = 1e-11 * fmax(1, n / 400.0);
  printf("order %d, %d threads: %.3f s, error %.3e\n", n, omp_get_max_threads(), seconds, error);
  if (!(error < allowed)) fprintf(stderr, "dgesdd: |U S V' - A| is %.3e, info %d\n", error, info);
  free(a), free(s), free(u), free(vt), free(iwork), free(work);
  return error < allowed ? 0 : 1;
}

int main(int count, char** words) {
  const int n = count == 3 ? atoi(words[2]) : 0;
  if (n < 1 || n > most_rows) {
    fprintf(stderr, "usage: dgesdd LIBRARY ORDER, an order of 1 to %d\n", most_rows);
    return 2;
  }
  void* const library = dlopen(words[1], RTLD_NOW);
  if (library == NULL) {
    fprintf(stderr, "dgesdd: %s\n", dlerror());
    return 3;
  }
  decomposition* dgesdd;
  product* multiply;
  void* const found[] = {function_of(library, "dgesdd_"), function_of(library, "cblas_dgemm")};
  memcpy(&dgesdd, &found[0], sizeof dgesdd);
  memcpy(&multiply, &found[1], sizeof multiply);
  return decompose(dgesdd, multiply, n);
}
