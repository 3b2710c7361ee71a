// omp_* routines about devices, on a host that is the only device: number 0, the initial device.
// Errors are errno values, as the specification's "non-zero".
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "abi/omp/convert.hpp"
#include "base/export.hpp"
#include "omp/team/query.hpp"

using namespace xylem;
using abi::to_int;

namespace {

constexpr int host_device = 0;

// A box of a row-major array, and the rest of the array around it.
struct Box {
  std::size_t element_size;
  int dimensions;
  const std::size_t* volume;
  const std::size_t* destination_offsets;
  const std::size_t* source_offsets;
  const std::size_t* destination_sizes;
  const std::size_t* source_sizes;
};

bool multiply(std::size_t a, std::size_t b, std::size_t& product) {
  return !__builtin_mul_overflow(a, b, &product);
}

Box without_first_dimension(const Box& box) {
  return {box.element_size,       box.dimensions - 1,
          box.volume + 1,         box.destination_offsets + 1,
          box.source_offsets + 1, box.destination_sizes + 1,
          box.source_sizes + 1};
}

// Bytes of everything in an array but its first dimension.
bool slice_bytes(const Box& box, const std::size_t* sizes, std::size_t& bytes) {
  bytes = box.element_size;
  for (int i = 1; i < box.dimensions; ++i)
    if (!multiply(bytes, sizes[i], bytes)) return false;
  return true;
}

int copy_box(char* destination, const char* source, const Box& box) {
  std::size_t to = 0, from = 0, to_offset = 0, from_offset = 0, bytes = 0;
  if (!slice_bytes(box, box.destination_sizes, to) || !slice_bytes(box, box.source_sizes, from) ||
      !multiply(to, box.destination_offsets[0], to_offset) ||
      !multiply(from, box.source_offsets[0], from_offset))
    return EINVAL;
  destination += to_offset;
  source += from_offset;
  if (box.dimensions == 1) {
    if (!multiply(box.element_size, box.volume[0], bytes)) return EINVAL;
    std::memcpy(destination, source, bytes);
    return 0;
  }
  Box inner = without_first_dimension(box);
  for (std::size_t i = 0; i < box.volume[0]; ++i)
    if (int error = copy_box(destination + i * to, source + i * from, inner)) return error;
  return 0;
}

// The return code of interop routines, where the caller wants one.
void say_empty(int* code) {
  constexpr int empty = -1;  // omp_irc_empty
  if (code != nullptr) *code = empty;
}

}  // namespace

extern "C" {

XYLEM_EXPORT void omp_set_default_device(int device) {
  omp::own_icvs().default_device_var = device > 0 ? device : 0;
}
XYLEM_EXPORT void omp_set_default_device_(const std::int32_t* device) {
  omp_set_default_device(*device);
}
XYLEM_EXPORT void omp_set_default_device_8_(const std::int64_t* device) {
  omp_set_default_device(to_int(*device));
}

XYLEM_EXPORT int omp_get_default_device() { return omp::current_icvs().default_device_var; }
XYLEM_EXPORT int omp_get_default_device_() { return omp_get_default_device(); }

XYLEM_EXPORT int omp_get_num_devices() { return 0; }
XYLEM_EXPORT int omp_get_num_devices_() { return 0; }

XYLEM_EXPORT int omp_get_device_num() { return host_device; }
XYLEM_EXPORT int omp_get_device_num_() { return host_device; }

XYLEM_EXPORT int omp_get_initial_device() { return host_device; }
XYLEM_EXPORT int omp_get_initial_device_() { return host_device; }

XYLEM_EXPORT int omp_is_initial_device() { return 1; }
XYLEM_EXPORT int omp_is_initial_device_() { return 1; }

XYLEM_EXPORT void* omp_target_alloc(std::size_t size, int device) {
  return device == host_device ? std::malloc(size) : nullptr;
}
XYLEM_EXPORT void omp_target_free(void* block, int device) {
  if (device == host_device) std::free(block);
}
XYLEM_EXPORT int omp_target_is_present(const void*, int device) { return device == host_device; }

XYLEM_EXPORT int omp_target_memcpy(void* destination, const void* source, std::size_t bytes,
                                   std::size_t destination_offset, std::size_t source_offset,
                                   int destination_device, int source_device) {
  if (destination_device != host_device || source_device != host_device) return EINVAL;
  std::memcpy(static_cast<char*>(destination) + destination_offset,
              static_cast<const char*>(source) + source_offset, bytes);
  return 0;
}

// With both addresses null: how many dimensions are supported.
XYLEM_EXPORT int omp_target_memcpy_rect(
    void* destination, const void* source, std::size_t element_size, int dimensions,
    const std::size_t* volume, const std::size_t* destination_offsets,
    const std::size_t* source_offsets, const std::size_t* destination_sizes,
    const std::size_t* source_sizes, int destination_device, int source_device) {
  if (destination == nullptr && source == nullptr) return INT_MAX;
  if (destination_device != host_device || source_device != host_device) return EINVAL;
  if (destination == nullptr || source == nullptr || dimensions < 1) return EINVAL;
  return copy_box(static_cast<char*>(destination), static_cast<const char*>(source),
                  {element_size, dimensions, volume, destination_offsets, source_offsets,
                   destination_sizes, source_sizes});
}

// The host cannot be associated with itself.
XYLEM_EXPORT int omp_target_associate_ptr(const void*, const void*, std::size_t, std::size_t, int) {
  return EINVAL;
}
XYLEM_EXPORT int omp_target_disassociate_ptr(const void*, int) { return EINVAL; }

// No interop object can be made without a device. So the only one that a program has is
// omp_interop_none, which has no properties.
XYLEM_EXPORT int omp_get_num_interop_properties(const void*) { return 0; }
XYLEM_EXPORT std::intptr_t omp_get_interop_int(const void*, int, int* code) {
  say_empty(code);
  return 0;
}
XYLEM_EXPORT void* omp_get_interop_ptr(const void*, int, int* code) {
  say_empty(code);
  return nullptr;
}
XYLEM_EXPORT const char* omp_get_interop_str(const void*, int, int* code) {
  say_empty(code);
  return nullptr;
}
XYLEM_EXPORT const char* omp_get_interop_name(const void*, int) { return nullptr; }
XYLEM_EXPORT const char* omp_get_interop_type_desc(const void*, int) { return nullptr; }
XYLEM_EXPORT const char* omp_get_interop_rc_desc(const void*, int) { return nullptr; }

// Soft and hard are the same here.
XYLEM_EXPORT int omp_pause_resource(int, int device) {
  if (device != host_device) return -1;
  return omp::release_resources() ? 0 : -1;
}
XYLEM_EXPORT int omp_pause_resource_(const std::int32_t* kind, const std::int32_t* device) {
  return omp_pause_resource(*kind, *device);
}
XYLEM_EXPORT int omp_pause_resource_all(int kind) { return omp_pause_resource(kind, host_device); }
XYLEM_EXPORT int omp_pause_resource_all_(const std::int32_t* kind) {
  return omp_pause_resource_all(*kind);
}

}  // extern "C"
