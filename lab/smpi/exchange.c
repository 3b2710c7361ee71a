// The messages of NAS CG: the conjugate gradient method, its matrix in blocks on a square of ranks.
// Built by mpicc the ranks exchange alone; built by smpicc they also compute, in simulated time.
//
//   exchange ORDER ITERATIONS SECONDS
//
// ORDER: rows of the matrix. ITERATIONS: outer ones, of 25 inner steps each. SECONDS: what a rank
// computes for one product of its block with a vector. Rank 0 prints the seconds that all took.
// Every product is checked: the program ends with 1 where a sum is wrong.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { inner_steps = 25 };

static int side, row, column;  // of the ranks' square, and where this rank is in it
static int part;               // elements of a vector that a rank of a column has
static double *vector, *received;

static void compute(double seconds) {
#ifdef SMPI_SAMPLE_LOCAL
  smpi_execute_flops(seconds * 1e9);  // hosts of lab/smpi make 1 Gflop a second
#else
  (void)seconds;
#endif
}

static void exchange(double* out, double* in, int count, int with) {
  MPI_Sendrecv(out, count, MPI_DOUBLE, with, 1, in, count, MPI_DOUBLE, with, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

// The sum over the ranks of a row, by halves.
static void sum_over_row(double* values, int count) {
  for (int distance = side / 2; distance > 0; distance /= 2) {
    exchange(values, received, count, row * side + (column ^ distance));
    for (int i = 0; i < count; i++) values[i] += received[i];
  }
}

// The sum of products with the block, which then goes to who needs it as a column: the rank that
// the diagonal mirrors.
static int multiply(double seconds) {
  const int mirrored = column * side + row;
  for (int i = 0; i < part; i++) vector[i] = column + 1;
  compute(seconds);
  sum_over_row(vector, part);
  if (mirrored != row * side + column) exchange(vector, received, part, mirrored);
  return vector[0] == side * (side + 1) / 2 && vector[part - 1] == vector[0];
}

static int dot_product(void) {
  double sum = 1;
  sum_over_row(&sum, 1);
  return sum == side;
}

static int solve(int iterations, double seconds) {
  int right = 1;
  for (int outer = 0; outer < iterations; outer++) {
    right &= dot_product();
    for (int step = 0; step < inner_steps; step++) {
      right &= multiply(seconds);
      right &= dot_product();
      right &= dot_product();
    }
    right &= multiply(seconds);  // the residual
    right &= dot_product();
    right &= dot_product();
  }
  return right;
}

int main(int count, char** words) {
  int rank, size;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  while (side * side < size) side++;
  if (count != 4 || side * side != size || (side & (side - 1)) != 0) {
    if (rank == 0) fprintf(stderr, "exchange ORDER ITERATIONS SECONDS, on 4, 16 or 64 ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  row = rank / side;
  column = rank % side;
  part = atoi(words[1]) / side;
  vector = malloc(sizeof *vector * (size_t)part);
  received = malloc(sizeof *received * (size_t)part);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  int right = solve(atoi(words[2]), atof(words[3])), all_right = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%.6f\n", MPI_Wtime() - begin);
  MPI_Allreduce(&right, &all_right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  free(vector);
  free(received);
  MPI_Finalize();
  return all_right ? 0 : 1;
}
