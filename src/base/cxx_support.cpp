// Stands in for libstdc++ inside libxylem.so: operator new and delete over malloc, and the
// functions the headers of vector, span, optional and string_view call when a precondition is
// broken.
//
// Invariant: nothing here is exported (the version script keeps all of it local), so the process's
// own operator new is never touched. Only the shared library contains this file; what links the
// runtime statically has the real libstdc++.
#include <cstddef>
#include <cstdlib>
#include <new>

#include "base/report.hpp"

namespace {

void* allocate(std::size_t size) { return std::malloc(size != 0 ? size : 1); }

void* allocate_aligned(std::size_t size, std::align_val_t alignment) {
  const auto unit = static_cast<std::size_t>(alignment);
  const std::size_t whole = (size + unit - 1) / unit * unit;  // aligned_alloc wants a multiple
  return std::aligned_alloc(unit, whole != 0 ? whole : unit);
}

void* or_die(void* block) {
  if (block == nullptr) xylem::base::fatal("out of memory");
  return block;
}

}  // namespace

const std::nothrow_t std::nothrow{};

void* operator new(std::size_t size) { return or_die(allocate(size)); }
void* operator new[](std::size_t size) { return or_die(allocate(size)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new(std::size_t size, std::align_val_t unit) {
  return or_die(allocate_aligned(size, unit));
}
void* operator new[](std::size_t size, std::align_val_t unit) {
  return or_die(allocate_aligned(size, unit));
}
void* operator new(std::size_t size, std::align_val_t unit, const std::nothrow_t&) noexcept {
  return allocate_aligned(size, unit);
}
void* operator new[](std::size_t size, std::align_val_t unit, const std::nothrow_t&) noexcept {
  return allocate_aligned(size, unit);
}

void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { std::free(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { std::free(block); }

namespace std {

[[noreturn]] void __throw_bad_alloc() { xylem::base::fatal("out of memory"); }
[[noreturn]] void __throw_bad_array_new_length() { xylem::base::fatal("array too long"); }
[[noreturn]] void __throw_length_error(const char* what) { xylem::base::fatal("%s", what); }
[[noreturn]] void __throw_logic_error(const char* what) { xylem::base::fatal("%s", what); }
[[noreturn]] void __throw_invalid_argument(const char* what) { xylem::base::fatal("%s", what); }
[[noreturn]] void __throw_out_of_range(const char* what) { xylem::base::fatal("%s", what); }
[[noreturn]] void __throw_out_of_range_fmt(const char* what, ...) {
  xylem::base::fatal("out of range: %s", what);
}

}  // namespace std

// The slot of a pure virtual function in a vtable; only a bug calls it.
extern "C" [[noreturn]] void __cxa_pure_virtual() {
  xylem::base::fatal("a pure virtual function was called");
}
