// Owns: the sections construct. See sections.hpp.
#include "omp/loops/sections.hpp"

namespace xylem::omp {

LoopRequest sections_request(unsigned count) {
  LoopRequest request;
  request.space = unsigned_space(true, 1, uint64_t{count} + 1, 1);
  request.schedule = make_schedule(ScheduleKind::dynamic_schedule, 1);
  request.exact_chunks = true;
  return request;
}

void sections_start(Member& member, unsigned count, const Extras& extras) {
  LoopRequest request = sections_request(count);
  request.extras = extras;
  loop_start(member, request);
}

unsigned sections_next(Member& member) {
  ChunkBounds section;
  return loop_next(member, section) ? static_cast<unsigned>(section.start) : 0;
}

}  // namespace xylem::omp
