// Owns: allocating memory and replicated data, include/xylem/memory.h.
#include "mem/heap/blocks.hpp"

#include <cerrno>

#include "abi/xylem/placement.hpp"
#include "base/export.hpp"
#include "base/report.hpp"
#include "mem/map/replicated.hpp"
#include "omp/team/runtime.hpp"
#include "xylem/memory.h"

namespace {

using xylem::mem::Contents;
using xylem::mem::Replicated;

void* or_errno(void* block, int error) {
  if (block == nullptr) errno = error;
  return block;
}

void* allocate(size_t size, const xylem_memory_how* asked, Contents contents) {
  xylem::abi::Placed placed;
  if (const int error = xylem::abi::read_placement(asked, placed)) return or_errno(nullptr, error);
  return or_errno(xylem::mem::allocate_block(size, placed.how, contents), ENOMEM);
}

void* allocate_array(size_t count, size_t size, const xylem_memory_how* asked) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return or_errno(nullptr, ENOMEM);
  return allocate(bytes, asked, Contents::zeros);
}

// A handle is the object's address.
xylem_replicated* handle_of(Replicated* data) { return reinterpret_cast<xylem_replicated*>(data); }
Replicated* data_of(xylem_replicated* handle) { return reinterpret_cast<Replicated*>(handle); }
const Replicated* data_of(const xylem_replicated* handle) {
  return reinterpret_cast<const Replicated*>(handle);
}

}  // namespace

extern "C" {

XYLEM_EXPORT void* xylem_malloc_placed(size_t size, const xylem_memory_how* how) {
  return allocate(size, how, Contents::any);
}

XYLEM_EXPORT void* xylem_calloc_placed(size_t count, size_t size, const xylem_memory_how* how) {
  return allocate_array(count, size, how);
}

XYLEM_EXPORT void* xylem_malloc(size_t size) { return allocate(size, nullptr, Contents::any); }

XYLEM_EXPORT void* xylem_calloc(size_t count, size_t size) {
  return allocate_array(count, size, nullptr);
}

XYLEM_EXPORT void* xylem_malloc_on_node(size_t size, int node) {
  xylem_memory_how how = {};
  how.placement = xylem_place_node;
  how.node = node;
  return allocate(size, &how, Contents::any);
}

XYLEM_EXPORT void* xylem_realloc(void* block, size_t size) {
  if (block == nullptr) return xylem_malloc(size);
  int error = 0;
  void* resized = xylem::mem::resize_block(block, size, error);
  if (resized == nullptr && error == -EINVAL)
    xylem::base::fatal(
        "xylem_realloc: %p is no block that xylem_malloc or its kin gave, or was freed already; "
        "resize a block where it came from",
        block);
  return or_errno(resized, ENOMEM);
}

XYLEM_EXPORT void xylem_free(void* block) {
  if (block == nullptr || xylem::mem::free_block(block)) return;
  xylem::base::fatal(
      "xylem_free: %p is no block that xylem_malloc or its kin gave, or was freed already; free a "
      "block once, where it came from",
      block);
}

XYLEM_EXPORT xylem_replicated* xylem_replicated_create(const void* source, size_t size) {
  xylem::omp::start_runtime();
  auto data = Replicated::make(source, size);
  if (!data) errno = ENOMEM;
  return handle_of(data.release());
}

XYLEM_EXPORT void xylem_replicated_destroy(xylem_replicated* data) { delete data_of(data); }

XYLEM_EXPORT const void* xylem_replicated_local(const xylem_replicated* data) {
  return data_of(data)->local();
}

XYLEM_EXPORT void* xylem_replicated_master(xylem_replicated* data) {
  return data_of(data)->master();
}

XYLEM_EXPORT int xylem_replicated_refresh(xylem_replicated* data, size_t offset, size_t size) {
  return -data_of(data)->refresh(offset, size);
}

}  // extern "C"
