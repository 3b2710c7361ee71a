// omp_* memory routines, and both compilers' entry points for the allocate clause and directive.
#include "omp/alloc/allocators.hpp"

#include "abi/omp/convert.hpp"
#include "base/export.hpp"
#include "base/report.hpp"
#include "omp/team/query.hpp"

using namespace xylem;
using abi::to_int;
using omp::AllocatorHandle;
using omp::AllocatorTrait;

namespace {

// The default allocator is asked for only when it is needed: it may start the runtime.
AllocatorHandle default_for(AllocatorHandle allocator) {
  return allocator != 0 ? allocator : omp::current_icvs().default_allocator;
}

void* allocate(std::size_t alignment, std::size_t size, AllocatorHandle allocator, bool zeroed) {
  return omp::allocate({size, alignment, default_for(allocator), zeroed}, 0);
}

void* allocate_array(std::size_t alignment, std::size_t count, std::size_t size,
                     AllocatorHandle allocator) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return nullptr;
  return allocate(alignment, bytes, allocator, true);
}

}  // namespace

extern "C" {

XYLEM_EXPORT AllocatorHandle omp_init_allocator(std::uintptr_t memory_space, int count,
                                                const AllocatorTrait* traits) {
  return omp::make_allocator(memory_space, count, traits);
}
XYLEM_EXPORT AllocatorHandle omp_init_allocator_(const std::uintptr_t* memory_space,
                                                 const std::int32_t* count,
                                                 const AllocatorTrait* traits) {
  return omp::make_allocator(*memory_space, *count, traits);
}
XYLEM_EXPORT AllocatorHandle omp_init_allocator_8_(const std::uintptr_t* memory_space,
                                                   const std::int64_t* count,
                                                   const AllocatorTrait* traits) {
  return omp::make_allocator(*memory_space, to_int(*count), traits);
}

XYLEM_EXPORT void omp_destroy_allocator(AllocatorHandle allocator) {
  omp::destroy_allocator(allocator);
}
XYLEM_EXPORT void omp_destroy_allocator_(const AllocatorHandle* allocator) {
  omp::destroy_allocator(*allocator);
}

// omp_null_allocator means the default of the specification.
XYLEM_EXPORT void omp_set_default_allocator(AllocatorHandle allocator) {
  omp::own_icvs().default_allocator = allocator != 0 ? allocator : 1;
}
XYLEM_EXPORT void omp_set_default_allocator_(const AllocatorHandle* allocator) {
  omp_set_default_allocator(*allocator);
}

XYLEM_EXPORT AllocatorHandle omp_get_default_allocator() {
  return omp::current_icvs().default_allocator;
}
XYLEM_EXPORT AllocatorHandle omp_get_default_allocator_() { return omp_get_default_allocator(); }

XYLEM_EXPORT void* omp_alloc(std::size_t size, AllocatorHandle allocator) {
  return allocate(0, size, allocator, false);
}
XYLEM_EXPORT void* omp_aligned_alloc(std::size_t alignment, std::size_t size,
                                     AllocatorHandle allocator) {
  return allocate(alignment, size, allocator, false);
}
XYLEM_EXPORT void* omp_calloc(std::size_t count, std::size_t size, AllocatorHandle allocator) {
  return allocate_array(0, count, size, allocator);
}
XYLEM_EXPORT void* omp_aligned_calloc(std::size_t alignment, std::size_t count, std::size_t size,
                                      AllocatorHandle allocator) {
  return allocate_array(alignment, count, size, allocator);
}
XYLEM_EXPORT void* omp_realloc(void* block, std::size_t size, AllocatorHandle allocator,
                               AllocatorHandle) {
  // Without a block and an allocator there is nothing to take the allocator from.
  AllocatorHandle wanted = block == nullptr ? default_for(allocator) : allocator;
  return omp::reallocate(block, {size, 0, wanted, false}, 0);
}
XYLEM_EXPORT void omp_free(void* block, AllocatorHandle) { omp::deallocate(block); }

// For variables with an allocator: their memory must be there, nobody looks at the result.
XYLEM_EXPORT void* GOMP_alloc(std::size_t alignment, std::size_t size, AllocatorHandle allocator) {
  void* block = allocate(alignment, size, allocator, false);
  if (block == nullptr && size != 0) base::fatal("out of memory allocating %zu bytes", size);
  return block;
}
XYLEM_EXPORT void GOMP_free(void* block, AllocatorHandle) { omp::deallocate(block); }

// Clang's, with the number of the calling thread first.
XYLEM_EXPORT void* __kmpc_alloc(int, std::size_t size, AllocatorHandle allocator) {
  return allocate(0, size, allocator, false);
}
XYLEM_EXPORT void* __kmpc_aligned_alloc(int, std::size_t alignment, std::size_t size,
                                        AllocatorHandle allocator) {
  return allocate(alignment, size, allocator, false);
}
XYLEM_EXPORT void* __kmpc_calloc(int, std::size_t count, std::size_t size,
                                 AllocatorHandle allocator) {
  return allocate_array(0, count, size, allocator);
}
XYLEM_EXPORT void* __kmpc_realloc(int, void* block, std::size_t size, AllocatorHandle allocator,
                                  AllocatorHandle old_allocator) {
  return omp_realloc(block, size, allocator, old_allocator);
}
XYLEM_EXPORT void __kmpc_free(int, void* block, AllocatorHandle) { omp::deallocate(block); }
XYLEM_EXPORT AllocatorHandle __kmpc_init_allocator(int, std::uintptr_t memory_space, int count,
                                                   const AllocatorTrait* traits) {
  return omp::make_allocator(memory_space, count, traits);
}
XYLEM_EXPORT void __kmpc_destroy_allocator(int, AllocatorHandle allocator) {
  omp::destroy_allocator(allocator);
}
XYLEM_EXPORT void __kmpc_set_default_allocator(int, AllocatorHandle allocator) {
  omp_set_default_allocator(allocator);
}
XYLEM_EXPORT AllocatorHandle __kmpc_get_default_allocator(int) {
  return omp_get_default_allocator();
}

// The handles as data, for code that finds them by the linker.
XYLEM_EXPORT extern const AllocatorHandle omp_null_allocator = 0;
XYLEM_EXPORT extern const AllocatorHandle omp_default_mem_alloc = 1;
XYLEM_EXPORT extern const AllocatorHandle omp_large_cap_mem_alloc = 2;
XYLEM_EXPORT extern const AllocatorHandle omp_const_mem_alloc = 3;
XYLEM_EXPORT extern const AllocatorHandle omp_high_bw_mem_alloc = 4;
XYLEM_EXPORT extern const AllocatorHandle omp_low_lat_mem_alloc = 5;
XYLEM_EXPORT extern const AllocatorHandle omp_cgroup_mem_alloc = 6;
XYLEM_EXPORT extern const AllocatorHandle omp_pteam_mem_alloc = 7;
XYLEM_EXPORT extern const AllocatorHandle omp_thread_mem_alloc = 8;
XYLEM_EXPORT extern const std::uintptr_t omp_default_mem_space = 0;
XYLEM_EXPORT extern const std::uintptr_t omp_large_cap_mem_space = 1;
XYLEM_EXPORT extern const std::uintptr_t omp_const_mem_space = 2;
XYLEM_EXPORT extern const std::uintptr_t omp_high_bw_mem_space = 3;
XYLEM_EXPORT extern const std::uintptr_t omp_low_lat_mem_space = 4;

}  // extern "C"
