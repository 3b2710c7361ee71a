// Owns: heat that spreads over a plate, in steps, with filters of filters: the plate is cut into
// blocks of rows, and each block into its first row, its last row, and the rows between. So the
// halo of a block is a row of its neighbour's: nothing is copied but between memories, and there a
// row for each side of a block.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>
#include <xylem/codelet.hpp>

namespace heat {

// What is OpenCL C is CUDA C++ with a few words before it. No fused multiply-adds: a step gives the
// same bits everywhere.
inline constexpr const char* step_source = R"(
#ifdef __OPENCL_VERSION__
#pragma OPENCL FP_CONTRACT OFF
#else
typedef unsigned long ulong;
#define __kernel extern "C" __global__
#define __global
__device__ inline size_t get_global_id(int dimension) {
  return dimension == 0 ? (size_t)blockIdx.x * blockDim.x + threadIdx.x
                        : (size_t)blockIdx.y * blockDim.y + threadIdx.y;
}
#endif
#define ROWS(type, m) __global type *m, ulong m##_x, ulong m##_y
// Row r of a block that has `inner` rows between its first and its last.
#define ROW(r) ((r) < 0 ? above : (r) == 0 ? first : (r) <= inner ? middle + ((r) - 1) * x \
                : (r) == inner + 1 ? last : below)

__kernel void heat_step(ROWS(const double, above), ROWS(const double, first), ROWS(const double, middle),
                        ROWS(const double, last), ROWS(const double, below), ROWS(double, to_first),
                        ROWS(double, to_middle), ROWS(double, to_last), double part) {
  const long x = middle_x, inner = middle_y;
  const long i = get_global_id(0), r = get_global_id(1);
  if (i >= x || r >= inner + 2) return;
  const __global double *up = ROW(r - 1), *here = ROW(r), *down = ROW(r + 1);
  __global double* to = r == 0 ? to_first : r <= inner ? to_middle + (r - 1) * x : to_last;
  if (i == 0 || i == x - 1)
    to[i] = here[i];
  else
    to[i] = here[i] + part * (((up[i] + down[i]) + (here[i - 1] + here[i + 1])) - 4 * here[i]);
}
)";

// One row of a step. The borders of the plate keep their heat.
inline void step_row(const double* up, const double* here, const double* down, double* to,
                     std::size_t x, double part) {
  to[0] = here[0];
  to[x - 1] = here[x - 1];
  for (std::size_t i = 1; i + 1 < x; ++i)
    to[i] = here[i] + part * (((up[i] + down[i]) + (here[i - 1] + here[i + 1])) - 4 * here[i]);
}

// A step of one block; its neighbours' rows are `above` and `below`.
struct Step {
  static constexpr const char* name = "heat_step";
  // A thread for each element of all rows.
  static void range(const xylem_view* views, const void*, std::size_t global[3], std::size_t*) {
    global[0] = views[6].x;
    global[1] = views[6].y + 2;
  }
  static constexpr xylem_opencl opencl = {step_source, "heat_step", nullptr, range};
  static constexpr xylem_cuda cuda = {.source = step_source,
                                      .image = nullptr,
                                      .kernel = "heat_step",
                                      .options = "--fmad=false",
                                      .range = range,
                                      .shared_bytes = 0,
                                      .launch = nullptr};
  double part;  // of the difference to its neighbours that an element takes over

  using Old = xylem::view<const double>;
  using New = xylem::view<double>;
  void operator()(Old above, Old first, Old middle, Old last, Old below, New to_first,
                  New to_middle, New to_last) const {
    const std::size_t x = middle.x(), n = middle.y();
    step_row(above.row(0), first.row(0), middle.row(0), to_first.row(0), x, part);
    for (std::size_t i = 0; i < n; ++i)
      step_row(i == 0 ? first.row(0) : middle.row(i - 1), middle.row(i),
               i + 1 < n ? middle.row(i + 1) : last.row(0), to_middle.row(i), x, part);
    step_row(middle.row(n - 1), last.row(0), below.row(0), to_last.row(0), x, part);
  }
};

// The rows of a plate but its first and last one, which are pieces of their own: cut into blocks of
// three rows or more, and these into three parts each.
class Plate {
 public:
  Plate(std::vector<double>& elements, std::size_t x, std::size_t y, int blocks)
      : top_(xylem::matrix_data(elements.data(), x, 1, x)),
        inner_(xylem::matrix_data(elements.data() + x, x, y - 2, x)),
        bottom_(xylem::matrix_data(elements.data() + (y - 1) * x, x, 1, x)),
        blocks_(blocks) {
    inner_.partition(1, blocks);
    for (int block = 0; block < blocks; ++block) inner_.part(block).partition_by(3, cut_block);
  }
  Plate(const Plate&) = delete;
  Plate& operator=(const Plate&) = delete;
  // The memory has the plate again, once all tasks are done.
  ~Plate() {
    for (int block = 0; block < blocks_; ++block) inner_.part(block).unpartition();
    inner_.unpartition();
  }

  int blocks() const { return blocks_; }
  xylem::handle<double> first(int block) const { return inner_.part(block).part(0); }
  xylem::handle<double> middle(int block) const { return inner_.part(block).part(1); }
  xylem::handle<double> last(int block) const { return inner_.part(block).part(2); }
  xylem::handle<double> above(int block) const {
    return block > 0 ? last(block - 1) : handle_of(top_);
  }
  xylem::handle<double> below(int block) const {
    return block + 1 < blocks_ ? first(block + 1) : handle_of(bottom_);
  }

 private:
  static xylem::handle<double> handle_of(const xylem::data<double>& data) { return data; }

  static void cut_block(xylem::view<double> block, int number, xylem_view& part) {
    const std::size_t begin = number == 0 ? 0 : number == 1 ? 1 : block.y() - 1;
    part.data = block.row(begin);
    part.y = number == 1 ? block.y() - 2 : 1;
  }

  xylem::data<double> top_;
  xylem::data<double> inner_;
  xylem::data<double> bottom_;
  int blocks_;
};

// Submits one step from a plate to another.
inline void step(const Plate& from, const Plate& to, double part) {
  for (int b = 0; b < from.blocks(); ++b)
    xylem::submit(Step{part}, from.above(b).read(), from.first(b).read(), from.middle(b).read(),
                  from.last(b).read(), from.below(b).read(), to.first(b).write(),
                  to.middle(b).write(), to.last(b).write());
}

// `steps` steps of the plate with tasks; the result is in `elements`.
inline void spread(std::vector<double>& elements, std::size_t x, std::size_t y, int blocks,
                   int steps, double part) {
  std::vector<double> other = elements;
  {
    const Plate one(elements, x, y, blocks);
    const Plate two(other, x, y, blocks);
    for (int i = 0; i < steps; ++i) i % 2 == 0 ? step(one, two, part) : step(two, one, part);
  }
  if (steps % 2 == 1) elements = other;
}

// The same without tasks.
inline void spread_serially(std::vector<double>& elements, std::size_t x, std::size_t y, int steps,
                            double part) {
  std::vector<double> other = elements;
  for (int i = 0; i < steps; ++i) {
    for (std::size_t row = 1; row + 1 < y; ++row) {
      const double* here = elements.data() + row * x;
      step_row(here - x, here, here + x, other.data() + row * x, x, part);
    }
    std::swap(elements, other);
  }
}

}  // namespace heat
