// Owns: LLVM's entry points of collapsed loop nests, whose loops may depend on each other.
#include "abi/kmp/kmp.hpp"
#include "abi/kmp/nest_decode.hpp"
#include "omp/loops/loop_schedule.hpp"
#include "omp/tool/work.hpp"

using namespace xylem::abi::kmp;
namespace tool = xylem::omp::tool;
using xylem::omp::LoopNest;
using xylem::omp::NestLevel;

namespace {

void decode_nest(std::span<NestBounds> nest, NestLevel* levels) {
  for (size_t i = 0; i < nest.size(); ++i) {
    levels[i] = decode_level(nest[i]);
    include_bound(nest[i]);
  }
}

// The member's part of all points, by their numbers.
xylem::omp::Chunk part_of_member(uint64_t points) {
  const xylem::omp::Member& member = xylem::omp::current_member();
  return xylem::omp::static_block(points, member.team->n, member.num);
}

// The range of the points with those numbers, of which there is one.
void find_range(const LoopNest& points, const xylem::omp::Chunk& part,
                std::span<const NestBounds> nest, NestBounds* range) {
  auto* first = static_cast<uint64_t*>(__builtin_alloca(2 * nest.size() * sizeof(uint64_t)));
  auto* last = first + nest.size();
  points.find(part.first, first);
  points.find(part.first + part.count - 1, last);
  put_range(nest, first, last, range);
}

// The construct, and the member's part of it. Inlined in the entry point: a tool is told where that
// was called.
[[gnu::always_inline]] inline void tell_nest(uint64_t points, const xylem::omp::Chunk& part) {
  tool::begin_divided(tool::here(), tool::WorkKind::loop_static, points);
  if (any(part)) tool::tell_divided_chunk({.count = points}, part);
}

}  // namespace

extern "C" {

// Any nest, divided evenly. True: the member runs the points of `range`, in the nest's order.
XYLEM_EXPORT int32_t __kmpc_for_collapsed_init(const Location*, ThreadNumber, NestBounds* bounds,
                                               NestBounds* range, int32_t depth,
                                               int32_t* has_last) {
  const std::span<NestBounds> nest{bounds, static_cast<size_t>(depth)};
  auto* levels = static_cast<NestLevel*>(__builtin_alloca(nest.size() * sizeof(NestLevel)));
  decode_nest(nest, levels);
  const LoopNest points({levels, nest.size()});
  const uint64_t count = points.points();
  const xylem::omp::Chunk part = part_of_member(count);
  if (has_last) *has_last = any(part) && part.first + part.count == count;
  if (tool::on()) [[unlikely]]
    tell_nest(count, part);
  if (!any(part)) return false;
  find_range(points, part, nest, range);
  return true;
}

// A nest in which no loop's count depends on another: the iterations of all together, which a loop
// of the compiled code's own then shares out.
XYLEM_EXPORT uint64_t __kmpc_process_loop_nest_rectang(const Location*, ThreadNumber,
                                                       NestBounds* bounds, int32_t depth) {
  uint64_t all = 1;
  for (NestBounds& loop : std::span{bounds, static_cast<size_t>(depth)}) {
    loop.iterations = decode_level(loop).iterations(0);
    include_bound(loop);
    all *= loop.iterations;
  }
  return all;
}

// The variables' values in one of those iterations.
XYLEM_EXPORT void __kmpc_calc_original_ivs_rectang(const Location*, uint64_t iteration,
                                                   const NestBounds* bounds, uint64_t* values,
                                                   int32_t depth) {
  uint64_t points = 1;
  for (int32_t i = 0; i < depth; ++i) points *= bounds[i].iterations;
  for (int32_t i = 0; i < depth; ++i) {
    points /= bounds[i].iterations;
    const NestLevel level = decode_level(bounds[i]);
    const uint64_t outer_value = level.depends() ? values[level.outer] : 0;
    values[i] = level.value(outer_value, iteration / points % bounds[i].iterations);
  }
}

}  // extern "C"
