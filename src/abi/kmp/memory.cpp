// kmp_* memory routines of Clang's and Intel's omp.h. A block of theirs is one of the process's
// malloc. A name that ends in _ is Fortran's, arguments by address.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

#include "base/export.hpp"

extern "C" {

XYLEM_EXPORT void* kmp_malloc(std::size_t size) { return std::malloc(size); }
XYLEM_EXPORT void* kmp_malloc_(const std::size_t* size) { return kmp_malloc(*size); }

XYLEM_EXPORT void* kmp_aligned_malloc(std::size_t size, std::size_t alignment) {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
    errno = EINVAL;
    return nullptr;
  }
  return std::aligned_alloc(std::max(alignment, sizeof(void*)), size);
}
XYLEM_EXPORT void* kmp_aligned_malloc_(const std::size_t* size, const std::size_t* alignment) {
  return kmp_aligned_malloc(*size, *alignment);
}

XYLEM_EXPORT void* kmp_calloc(std::size_t count, std::size_t size) {
  return std::calloc(count, size);
}
XYLEM_EXPORT void* kmp_calloc_(const std::size_t* count, const std::size_t* size) {
  return kmp_calloc(*count, *size);
}

XYLEM_EXPORT void* kmp_realloc(void* block, std::size_t size) { return std::realloc(block, size); }
XYLEM_EXPORT void* kmp_realloc_(void* const* block, const std::size_t* size) {
  return kmp_realloc(*block, *size);
}

XYLEM_EXPORT void kmp_free(void* block) { std::free(block); }
XYLEM_EXPORT void kmp_free_(void* const* block) { kmp_free(*block); }

}  // extern "C"
