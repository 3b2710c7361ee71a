/* Linear algebra for the openblas test. Two uses:
 *   program ORDER FILE           computes with seeded matrices and writes the results
 *   program compare A B TOLERANCE TITLE   compares two such files, part by part
 * Computed: C = A B and C = A' B by dgemm; singular values and |U S V' - A| of a matrix by dgesdd;
 * the LU factors by dgetrf; and many small dgemm calls in a row. Only what is
 * unique is written: singular vectors may change their signs, so their product is. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { row_major = 101, column_major = 102, plain = 111, transposed = 112 };

void cblas_dgemm(int order, int transpose_a, int transpose_b, int m, int n, int k, double alpha,
                 const double* a, int lda, const double* b, int ldb, double beta, double* c,
                 int ldc);
void dgesdd_(const char* job, const int* m, const int* n, double* a, const int* lda, double* s,
             double* u, const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork,
             int* iwork, int* info);
void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* pivots, int* info);

typedef struct Part {
  char name[16];
  long count;
} Part;

static double* seeded(int n, unsigned long long seed) {
  double* matrix = malloc((size_t)n * n * sizeof(double));
  for (long i = 0; i < (long)n * n; i++) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    matrix[i] = (double)(seed >> 11) / (double)(1ULL << 53) - 0.5;
  }
  return matrix;
}

static void keep(FILE* file, const char* name, const double* values, long count) {
  Part part = {"", count};
  strncpy(part.name, name, sizeof part.name - 1);
  if (fwrite(&part, sizeof part, 1, file) != 1 ||
      fwrite(values, sizeof(double), (size_t)count, file) != (size_t)count) {
    exit(3);
  }
}

static void products(FILE* file, int n) {
  double* a = seeded(n, 1);
  double* b = seeded(n, 2);
  double* c = calloc((size_t)n * n, sizeof(double));
  cblas_dgemm(column_major, plain, plain, n, n, n, 1.0, a, n, b, n, 0.0, c, n);
  keep(file, "dgemm", c, (long)n * n);
  cblas_dgemm(row_major, transposed, plain, n, n, n, 0.5, a, n, b, n, 1.0, c, n);
  keep(file, "dgemm A'B + C", c, (long)n * n);
  for (int turn = 0; turn < 200; turn++) {
    int m = 64 + turn % 100;
    cblas_dgemm(column_major, plain, plain, m, m, m, 1.0 / m, a, n, b, n, 0.5, c, n);
  }
  keep(file, "small dgemms", c, (long)n * n);
  free(a);
  free(b);
  free(c);
}

static void singular_values(FILE* file, int n) {
  double* a = seeded(n, 3);
  double* s = malloc((size_t)n * sizeof(double));
  double* u = malloc((size_t)n * n * sizeof(double));
  double* vt = malloc((size_t)n * n * sizeof(double));
  int* iwork = malloc(8 * (size_t)n * sizeof(int));
  int info = 0;
  int size = -1;
  double wanted = 0;
  dgesdd_("A", &n, &n, a, &n, s, u, &n, vt, &n, &wanted, &size, iwork, &info);
  size = (int)wanted;
  double* work = malloc((size_t)size * sizeof(double));
  dgesdd_("A", &n, &n, a, &n, s, u, &n, vt, &n, work, &size, iwork, &info);
  if (info != 0) exit(4);
  keep(file, "singular values", s, n);
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) u[(long)j * n + i] *= s[j];
  }
  double* product = calloc((size_t)n * n, sizeof(double));
  cblas_dgemm(column_major, plain, plain, n, n, n, 1.0, u, n, vt, n, 0.0, product, n);
  keep(file, "U S V'", product, (long)n * n);
  double* original = seeded(n, 3);
  double worst = 0;
  for (long i = 0; i < (long)n * n; i++) worst = fmax(worst, fabs(product[i] - original[i]));
  if (!(worst < 1e-11)) {
    printf("FAIL: |U S V' - A| is %.3e, expected below 1e-11\n", worst);
    exit(1);
  }
}

static void factors(FILE* file, int n) {
  double* a = seeded(n, 4);
  int* pivots = malloc((size_t)n * sizeof(int));
  int info = 0;
  dgetrf_(&n, &n, a, &n, pivots, &info);
  if (info != 0) exit(5);
  keep(file, "dgetrf", a, (long)n * n);
}

static double* next_part(FILE* file, Part* part) {
  if (fread(part, sizeof *part, 1, file) != 1) return NULL;
  double* values = malloc((size_t)part->count * sizeof(double));
  return fread(values, sizeof(double), (size_t)part->count, file) == (size_t)part->count ? values
                                                                                         : NULL;
}

static int compare(const char* one, const char* other, double tolerance, const char* title) {
  FILE* first = fopen(one, "rb");
  FILE* second = fopen(other, "rb");
  Part part, again;
  double* a;
  int failed = first == NULL || second == NULL;
  int parts = 0;
  while (!failed && (a = next_part(first, &part)) != NULL) {
    double* b = next_part(second, &again);
    if (b == NULL || again.count != part.count) return 1;
    double largest = 0, worst = 0;
    for (long i = 0; i < part.count; i++) {
      largest = fmax(largest, fabs(a[i]));
      worst = fmax(worst, isnan(b[i]) ? INFINITY : fabs(a[i] - b[i]));
    }
    int right = worst <= tolerance * largest;
    printf("%s: %s, %s: %ld numbers, largest difference %.2e of the largest entry, allowed %.1e\n",
           right ? "ok" : "FAIL", title, part.name, part.count, worst / largest, tolerance);
    failed |= !right;
    parts++;
  }
  return failed || parts != 6;
}

int main(int count, char** arguments) {
  if (count == 6 && strcmp(arguments[1], "compare") == 0) {
    return compare(arguments[2], arguments[3], atof(arguments[4]), arguments[5]);
  }
  if (count != 3) return 2;
  int n = atoi(arguments[1]);
  FILE* file = fopen(arguments[2], "wb");
  if (file == NULL) return 3;
  products(file, n);
  singular_values(file, n);
  factors(file, n);
  return fclose(file) == 0 ? 0 : 3;
}
