// libgomp's entry points of doacross loops: `ordered(n)` with depend(source) and depend(sink).
// Bounds are normalized: loop i counts from 0 to counts[i], and the members share out loop 0.
#include <cstdarg>

#include "abi/gomp/loop_decode.hpp"
#include "base/export.hpp"
#include "omp/tool/tasks.hpp"

using namespace xylem::abi;
using xylem::omp::ScheduleKind;
namespace tool = xylem::omp::tool;

namespace {

// Both types of counts are 64 bits, and counts are not negative.
template <typename Int>
const uint64_t* words(const Int* vector) {
  static_assert(sizeof(Int) == sizeof(uint64_t));
  return reinterpret_cast<const uint64_t*>(vector);
}

template <typename Int>
xylem::omp::LoopRequest request(unsigned depth, const Int* counts, xylem::omp::Schedule schedule) {
  auto request = loop_request(true, Unsigned{0}, static_cast<Unsigned>(counts[0]), 1, schedule);
  request.depth = depth;
  request.sizes = words(counts);
  return request;
}

xylem::omp::Doacross* doacross() {
  xylem::omp::Doacross& found = xylem::omp::current_member().work.current().doacross;
  return found.is_open() ? &found : nullptr;  // not in a team of one
}

template <typename Int>
void post(const Int* vector) {
  auto* loop = doacross();
  if (!loop) return;
  if (tool::on()) [[unlikely]]
    return tool::doacross_post(xylem::omp::current_member(), *loop, words(vector));
  loop->post(words(vector));
}

// Both types are passed alike.
void wait(xylem::omp::Doacross& loop, uint64_t first, va_list rest) {
  auto* vector = static_cast<uint64_t*>(__builtin_alloca(loop.depth() * sizeof(uint64_t)));
  vector[0] = first;
  for (unsigned i = 1; i < loop.depth(); ++i) vector[i] = va_arg(rest, uint64_t);
  if (tool::on()) [[unlikely]]
    return tool::doacross_wait(xylem::omp::current_member(), loop, vector);
  loop.wait(vector);
}

}  // namespace

extern "C" {

XYLEM_EXPORT bool GOMP_loop_doacross_static_start(unsigned ncounts, long* counts, long chunk,
                                                  long* istart, long* iend) {
  return start_loop(
      request(ncounts, counts, make_schedule(ScheduleKind::static_schedule, chunk_size(chunk))),
      istart, iend);
}

XYLEM_EXPORT bool GOMP_loop_doacross_dynamic_start(unsigned ncounts, long* counts, long chunk,
                                                   long* istart, long* iend) {
  return start_loop(
      request(ncounts, counts, make_schedule(ScheduleKind::dynamic_schedule, chunk_size(chunk))),
      istart, iend);
}

XYLEM_EXPORT bool GOMP_loop_doacross_guided_start(unsigned ncounts, long* counts, long chunk,
                                                  long* istart, long* iend) {
  return start_loop(
      request(ncounts, counts, make_schedule(ScheduleKind::guided_schedule, chunk_size(chunk))),
      istart, iend);
}

XYLEM_EXPORT bool GOMP_loop_doacross_runtime_start(unsigned ncounts, long* counts, long* istart,
                                                   long* iend) {
  return start_loop(request(ncounts, counts, xylem::omp::runtime_schedule()), istart, iend);
}

XYLEM_EXPORT bool GOMP_loop_doacross_start(unsigned ncounts, long* counts, long sched, long chunk,
                                           long* istart, long* iend, uintptr_t* reductions,
                                           void** mem) {
  const auto loop = request(ncounts, counts, decode_schedule(sched, chunk_size(chunk)));
  return start_loop_with_extras(loop, istart, iend, reductions, mem);
}

XYLEM_EXPORT void GOMP_doacross_post(long* counts) { post(counts); }

// One argument for each nested loop.
XYLEM_EXPORT void GOMP_doacross_wait(long first, ...) {
  auto* loop = doacross();
  if (!loop) return;
  va_list rest;
  va_start(rest, first);
  wait(*loop, static_cast<uint64_t>(first), rest);
  va_end(rest);
}

XYLEM_EXPORT bool GOMP_loop_ull_doacross_static_start(unsigned ncounts, Unsigned* counts,
                                                      Unsigned chunk, Unsigned* istart,
                                                      Unsigned* iend) {
  return start_loop(
      request(ncounts, counts, make_schedule(ScheduleKind::static_schedule, chunk_size(chunk))),
      istart, iend);
}

XYLEM_EXPORT bool GOMP_loop_ull_doacross_dynamic_start(unsigned ncounts, Unsigned* counts,
                                                       Unsigned chunk, Unsigned* istart,
                                                       Unsigned* iend) {
  return start_loop(
      request(ncounts, counts, make_schedule(ScheduleKind::dynamic_schedule, chunk_size(chunk))),
      istart, iend);
}

XYLEM_EXPORT bool GOMP_loop_ull_doacross_guided_start(unsigned ncounts, Unsigned* counts,
                                                      Unsigned chunk, Unsigned* istart,
                                                      Unsigned* iend) {
  return start_loop(
      request(ncounts, counts, make_schedule(ScheduleKind::guided_schedule, chunk_size(chunk))),
      istart, iend);
}

XYLEM_EXPORT bool GOMP_loop_ull_doacross_runtime_start(unsigned ncounts, Unsigned* counts,
                                                       Unsigned* istart, Unsigned* iend) {
  return start_loop(request(ncounts, counts, xylem::omp::runtime_schedule()), istart, iend);
}

XYLEM_EXPORT bool GOMP_loop_ull_doacross_start(unsigned ncounts, Unsigned* counts, long sched,
                                               Unsigned chunk, Unsigned* istart, Unsigned* iend,
                                               uintptr_t* reductions, void** mem) {
  const auto loop = request(ncounts, counts, decode_schedule(sched, chunk_size(chunk)));
  return start_loop_with_extras(loop, istart, iend, reductions, mem);
}

XYLEM_EXPORT void GOMP_doacross_ull_post(Unsigned* counts) { post(counts); }

// One argument for each nested loop.
XYLEM_EXPORT void GOMP_doacross_ull_wait(Unsigned first, ...) {
  auto* loop = doacross();
  if (!loop) return;
  va_list rest;
  va_start(rest, first);
  wait(*loop, static_cast<uint64_t>(first), rest);
  va_end(rest);
}

}  // extern "C"
