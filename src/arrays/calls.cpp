// Owns: the calls that libxylem-arrays.so defines in the place of libc's and libstdc++'s. Each
// hands the call on to whoever comes next and records what is large.
//
// Invariant: the result, errno and all effects are those of the next definition. What is asked for
// while that is looked up, which happens once, comes from a small arena and is never given back.
#include <dlfcn.h>

#include <atomic>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "arrays/arrays.hpp"
#include "base/export.hpp"
#include "os/mapping_names.hpp"

namespace xylem::arrays {

namespace {

using New = void* (*)(std::size_t);
using NewNothrow = void* (*)(std::size_t, const void*);
using NewAligned = void* (*)(std::size_t, std::size_t);

struct Next {
  void* (*malloc)(std::size_t);
  void* (*calloc)(std::size_t, std::size_t);
  void* (*realloc)(void*, std::size_t);
  void (*free)(void*);
  void* (*memalign)(std::size_t, std::size_t);
  void* (*aligned_alloc)(std::size_t, std::size_t);
  int (*posix_memalign)(void**, std::size_t, std::size_t);
  void* (*mmap)(void*, std::size_t, int, int, int, off_t);
  int (*munmap)(void*, std::size_t);
  int (*madvise)(void*, std::size_t, int);
  void* (*mremap)(void*, std::size_t, std::size_t, int, ...);
  New one, many;
  NewNothrow one_nothrow, many_nothrow;
  NewAligned one_aligned, many_aligned;
};

constinit Next next_calls{};
enum class Known : uint8_t { nothing, coming, all };
constinit std::atomic<Known> known{Known::nothing};

alignas(16) constinit char arena[std::size_t{64} << 10];
constinit std::atomic<std::size_t> arena_used{0};

bool is_of_arena(const void* start) {
  const auto at = reinterpret_cast<uintptr_t>(start), low = reinterpret_cast<uintptr_t>(arena);
  return at >= low && at < low + sizeof arena;
}

void* from_arena(std::size_t bytes) {
  const std::size_t whole = (bytes + 15) / 16 * 16;
  const std::size_t at = arena_used.fetch_add(whole, std::memory_order_relaxed);
  return bytes > sizeof arena || at + whole > sizeof arena ? nullptr : arena + at;
}

template <typename Function>
void find(Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

void find_all() {
  Next& next = next_calls;
  find(next.malloc, "malloc");
  find(next.calloc, "calloc");
  find(next.realloc, "realloc");
  find(next.free, "free");
  find(next.memalign, "memalign");
  find(next.aligned_alloc, "aligned_alloc");
  find(next.posix_memalign, "posix_memalign");
  find(next.mmap, "mmap");
  find(next.munmap, "munmap");
  find(next.madvise, "madvise");
  find(next.mremap, "mremap");
  find(next.one, "_Znwm");  // null in a program without C++, which calls none of them
  find(next.many, "_Znam");
  find(next.one_nothrow, "_ZnwmRKSt9nothrow_t");
  find(next.many_nothrow, "_ZnamRKSt9nothrow_t");
  find(next.one_aligned, "_ZnwmSt11align_val_t");
  find(next.many_aligned, "_ZnamSt11align_val_t");
}

// Null while the calls are being looked up, by this thread or another one.
const Next* find_next() {
  Known is = Known::nothing;
  // pairs with the release below
  if (!known.compare_exchange_strong(is, Known::coming, std::memory_order_acquire))
    return is == Known::all ? &next_calls : nullptr;
  find_all();
  known.store(Known::all, std::memory_order_release);  // pairs with the acquire in next()
  return &next_calls;
}

inline const Next* next() {
  // pairs with the release in find_next()
  if (known.load(std::memory_order_acquire) == Known::all) [[likely]]
    return &next_calls;
  return find_next();
}

// libstdc++ may have come by dlopen() since.
template <typename Function>
Function late(Function& function, const char* name) {
  if (function == nullptr) find(function, name);
  return function;
}

uintptr_t address(const void* site) { return reinterpret_cast<uintptr_t>(site); }

void* recorded(void* start, std::size_t bytes, const void* site) {
  if (is_large(bytes)) [[unlikely]]
    record(start, bytes, address(site));
  return start;
}

void* reallocate(void* before, std::size_t bytes, const void* site) {
  const Next* calls = next();
  if (calls == nullptr || is_of_arena(before)) {
    void* fresh = calls == nullptr ? from_arena(bytes) : calls->malloc(bytes);
    if (fresh == nullptr || before == nullptr) return fresh;
    const auto room = static_cast<std::size_t>(arena + sizeof arena - static_cast<char*>(before));
    return std::memcpy(fresh, before, bytes < room ? bytes : room);
  }
  forget(before);
  return recorded(calls->realloc(before, bytes), bytes, site);
}

bool is_array(int protection, int flags) {
  constexpr int read_write = PROT_READ | PROT_WRITE;
  constexpr int other = MAP_SHARED | MAP_STACK | MAP_GROWSDOWN | MAP_FIXED | MAP_HUGETLB;
  return protection == read_write && (flags & MAP_ANONYMOUS) != 0 && (flags & other) == 0;
}

void* map_fixed(const Next& calls, void* at, std::size_t bytes, int protection, int flags, int file,
                off_t offset) {
  const Change change;
  forget_range(at, bytes);
  return calls.mmap(at, bytes, protection, flags, file, offset);
}

void* map(void* at, std::size_t bytes, int protection, int flags, int file, off_t offset,
          const void* site) {
  const Next* calls = next();
  if (calls == nullptr) return MAP_FAILED;
  if ((flags & MAP_FIXED) != 0)
    return map_fixed(*calls, at, bytes, protection, flags, file, offset);
  void* start = calls->mmap(at, bytes, protection, flags, file, offset);
  if (start != MAP_FAILED && is_array(protection, flags)) recorded(start, bytes, site);
  return start;
}

void* remap(const Next& calls, void* start, std::size_t bytes, std::size_t wanted, int flags,
            void* to) {
  const Change change;
  forget_range(start, bytes);
  if ((flags & MREMAP_FIXED) != 0) forget_range(to, wanted);
  return calls.mremap(start, bytes, wanted, flags, to);
}

}  // namespace

}  // namespace xylem::arrays

using namespace xylem::arrays;  // this file is the only one that defines these calls

#define SITE __builtin_return_address(0)

extern "C" {

// os::AllocatorBehind
XYLEM_EXPORT const void* xylem_arrays_allocator_1() {
  const Next* calls = next();
  return calls == nullptr ? nullptr : reinterpret_cast<const void*>(calls->malloc);
}

XYLEM_EXPORT void* malloc(std::size_t bytes) {
  const Next* calls = next();
  return calls == nullptr ? from_arena(bytes) : recorded(calls->malloc(bytes), bytes, SITE);
}

XYLEM_EXPORT void* calloc(std::size_t count, std::size_t bytes) {
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) all = SIZE_MAX;
  const Next* calls = next();
  return calls == nullptr ? from_arena(all) : recorded(calls->calloc(count, bytes), all, SITE);
}

XYLEM_EXPORT void* realloc(void* before, std::size_t bytes) {
  return reallocate(before, bytes, SITE);
}

XYLEM_EXPORT void* reallocarray(void* before, std::size_t count, std::size_t bytes) {
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) all = SIZE_MAX;  // which sets errno
  return reallocate(before, all, SITE);
}

XYLEM_EXPORT void free(void* start) {
  if (start == nullptr || is_of_arena(start)) return;
  forget(start);
  if (const Next* calls = next()) calls->free(start);
}

XYLEM_EXPORT void* memalign(std::size_t alignment, std::size_t bytes) {
  const Next* calls = next();
  return calls == nullptr ? nullptr : recorded(calls->memalign(alignment, bytes), bytes, SITE);
}

XYLEM_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  const Next* calls = next();
  return calls == nullptr ? nullptr : recorded(calls->aligned_alloc(alignment, bytes), bytes, SITE);
}

XYLEM_EXPORT int posix_memalign(void** start, std::size_t alignment, std::size_t bytes) {
  const Next* calls = next();
  if (calls == nullptr) return 12;  // ENOMEM
  const int error = calls->posix_memalign(start, alignment, bytes);
  if (error == 0) recorded(*start, bytes, SITE);
  return error;
}

XYLEM_EXPORT void* mmap(void* at, std::size_t bytes, int protection, int flags, int file,
                        off_t offset) noexcept {
  return map(at, bytes, protection, flags, file, offset, SITE);
}

XYLEM_EXPORT void* mmap64(void* at, std::size_t bytes, int protection, int flags, int file,
                          off_t offset) noexcept {
  return map(at, bytes, protection, flags, file, offset, SITE);
}

XYLEM_EXPORT int munmap(void* start, std::size_t bytes) noexcept {
  const Next* calls = next();
  const Change change;
  forget_range(start, bytes);
  return calls == nullptr ? -1 : calls->munmap(start, bytes);
}

// Contents that are given up are no block's end: a page that was taken away meanwhile would come
// back with what it held.
XYLEM_EXPORT int madvise(void* start, std::size_t bytes, int advice) noexcept {
  const Next* calls = next();
  const Change change;
  return calls == nullptr ? -1 : calls->madvise(start, bytes, advice);
}

XYLEM_EXPORT void* mremap(void* start, std::size_t bytes, std::size_t wanted, int flags,
                          ...) noexcept {
  va_list rest;
  va_start(rest, flags);
  void* to = (flags & MREMAP_FIXED) != 0 ? va_arg(rest, void*) : nullptr;
  va_end(rest);
  const Next* calls = next();
  if (calls == nullptr) return MAP_FAILED;
  void* moved = remap(*calls, start, bytes, wanted, flags, to);
  if (moved != MAP_FAILED) recorded(moved, wanted, SITE);
  return moved;
}

// operator new and new[]: plain, nothrow, aligned. They have the names that C++ gives them.
XYLEM_EXPORT void* new_one(std::size_t bytes) __asm__("_Znwm");
XYLEM_EXPORT void* new_many(std::size_t bytes) __asm__("_Znam");
XYLEM_EXPORT void* new_one_nothrow(std::size_t bytes,
                                   const void* tag) __asm__("_ZnwmRKSt9nothrow_t");
XYLEM_EXPORT void* new_many_nothrow(std::size_t bytes,
                                    const void* tag) __asm__("_ZnamRKSt9nothrow_t");
XYLEM_EXPORT void* new_one_aligned(std::size_t bytes,
                                   std::size_t alignment) __asm__("_ZnwmSt11align_val_t");
XYLEM_EXPORT void* new_many_aligned(std::size_t bytes,
                                    std::size_t alignment) __asm__("_ZnamSt11align_val_t");

void* new_one(std::size_t bytes) {
  return recorded(late(next_calls.one, "_Znwm")(bytes), bytes, SITE);
}
void* new_many(std::size_t bytes) {
  return recorded(late(next_calls.many, "_Znam")(bytes), bytes, SITE);
}
void* new_one_nothrow(std::size_t bytes, const void* tag) {
  return recorded(late(next_calls.one_nothrow, "_ZnwmRKSt9nothrow_t")(bytes, tag), bytes, SITE);
}
void* new_many_nothrow(std::size_t bytes, const void* tag) {
  return recorded(late(next_calls.many_nothrow, "_ZnamRKSt9nothrow_t")(bytes, tag), bytes, SITE);
}
void* new_one_aligned(std::size_t bytes, std::size_t alignment) {
  return recorded(late(next_calls.one_aligned, "_ZnwmSt11align_val_t")(bytes, alignment), bytes,
                  SITE);
}
void* new_many_aligned(std::size_t bytes, std::size_t alignment) {
  return recorded(late(next_calls.many_aligned, "_ZnamSt11align_val_t")(bytes, alignment), bytes,
                  SITE);
}

}  // extern "C"
