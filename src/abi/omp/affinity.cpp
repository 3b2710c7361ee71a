// omp_* routines about places and the affinity of threads.
#include <algorithm>
#include <vector>

#include "abi/omp/affinity_text.hpp"
#include "abi/omp/convert.hpp"
#include "base/export.hpp"
#include "omp/env/places.hpp"
#include "omp/team/affinity_display.hpp"
#include "omp/team/query.hpp"

using namespace xylem;
using abi::AffinityText;
using abi::c_text;
using abi::fortran_text;
using abi::to_int;

namespace {

constexpr AffinityText affinity_text{omp::Door::gnu};

// Null when there are no places.
const omp::PlaceList* all_places() {
  omp::ensure_runtime();
  return omp::globals().places;
}

bool is_place(int place) {
  const omp::PlaceList* places = all_places();
  return places != nullptr && place >= 0 && place < places->size();
}

template <typename Integer>
void copy_proc_ids(int place, Integer* ids) {
  if (!is_place(place)) return;
  std::vector<int> os_indices;
  omp::os_indices_of_place(place, os_indices);
  std::copy(os_indices.begin(), os_indices.end(), ids);
}

template <typename Integer>
void copy_partition(Integer* places) {
  const omp::Icvs& icvs = omp::current_icvs();
  for (int i = 0; i < icvs.place_count; ++i) places[i] = icvs.place_first + i;
}

}  // namespace

extern "C" {

XYLEM_EXPORT int omp_get_num_places() {
  const omp::PlaceList* places = all_places();
  return places != nullptr ? places->size() : 0;
}
XYLEM_EXPORT int omp_get_num_places_() { return omp_get_num_places(); }

XYLEM_EXPORT int omp_get_place_num_procs(int place) {
  if (!is_place(place)) return 0;
  return static_cast<int>(omp::globals().places->place(place).size());
}
XYLEM_EXPORT int omp_get_place_num_procs_(const std::int32_t* place) {
  return omp_get_place_num_procs(*place);
}
XYLEM_EXPORT int omp_get_place_num_procs_8_(const std::int64_t* place) {
  return omp_get_place_num_procs(to_int(*place));
}

XYLEM_EXPORT void omp_get_place_proc_ids(int place, int* ids) { copy_proc_ids(place, ids); }
XYLEM_EXPORT void omp_get_place_proc_ids_(const std::int32_t* place, std::int32_t* ids) {
  copy_proc_ids(*place, ids);
}
XYLEM_EXPORT void omp_get_place_proc_ids_8_(const std::int64_t* place, std::int64_t* ids) {
  copy_proc_ids(to_int(*place), ids);
}

XYLEM_EXPORT int omp_get_place_num() { return omp::place_num(); }
XYLEM_EXPORT int omp_get_place_num_() { return omp::place_num(); }

XYLEM_EXPORT int omp_get_partition_num_places() { return omp::current_icvs().place_count; }
XYLEM_EXPORT int omp_get_partition_num_places_() { return omp_get_partition_num_places(); }

XYLEM_EXPORT void omp_get_partition_place_nums(int* places) { copy_partition(places); }
XYLEM_EXPORT void omp_get_partition_place_nums_(std::int32_t* places) { copy_partition(places); }
XYLEM_EXPORT void omp_get_partition_place_nums_8_(std::int64_t* places) { copy_partition(places); }

XYLEM_EXPORT void omp_set_affinity_format(const char* format) {
  omp::set_affinity_format(c_text(format));
}
XYLEM_EXPORT void omp_set_affinity_format_(const char* format, std::size_t length) {
  omp::set_affinity_format(fortran_text(format, length));
}

XYLEM_EXPORT std::size_t omp_get_affinity_format(char* buffer, std::size_t room) {
  return affinity_text.format(buffer, room);
}
XYLEM_EXPORT std::int32_t omp_get_affinity_format_(char* buffer, std::size_t room) {
  return affinity_text.fortran_format(buffer, room);
}

XYLEM_EXPORT void omp_display_affinity(const char* format) {
  affinity_text.display(c_text(format));
}
XYLEM_EXPORT void omp_display_affinity_(const char* format, std::size_t length) {
  affinity_text.display(fortran_text(format, length));
}

XYLEM_EXPORT std::size_t omp_capture_affinity(char* buffer, std::size_t room, const char* format) {
  return affinity_text.capture(buffer, room, c_text(format));
}
XYLEM_EXPORT std::int32_t omp_capture_affinity_(char* buffer, const char* format, std::size_t room,
                                                std::size_t length) {
  return affinity_text.fortran_capture(buffer, room, fortran_text(format, length));
}

}  // extern "C"
