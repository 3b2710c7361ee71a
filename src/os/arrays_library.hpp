// Owns: what libxylem-arrays.so offers to the runtime that it finds itself beside: the large blocks
// that the program has allocated. Neither library is linked against the other.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xylem::os {

// A block of `least_array_bytes` or more that malloc() and its like, operator new or mmap() gave to
// the program and that it has not given back.
struct KnownArray {
  uintptr_t start = 0;
  std::size_t bytes = 0;
  uintptr_t site = 0;    // the return address of the call that allocated it
  uint32_t ordinal = 0;  // how many large blocks that call had allocated before
};

inline constexpr std::size_t least_array_bytes = std::size_t{64} << 10;

// Gives `visit` every block that lives. Any thread, at any time; a block that comes or goes
// meanwhile may be left out.
using ArrayVisitor = void (*)(const KnownArray& array, void* context);
using VisitArrays = void (*)(ArrayVisitor visit, void* context);
inline constexpr char visit_arrays_name[] = "xylem_arrays_visit_1";

// From now on `born` is called with each new block before its allocation returns, by the thread
// that allocates it. `born` may allocate blocks that are not large. Null: nobody listens.
using ArrayListener = void (*)(const KnownArray& array);
using ListenToArrays = void (*)(ArrayListener born);
inline constexpr char listen_to_arrays_name[] = "xylem_arrays_listen_1";

// The malloc() that comes behind the library's own: who asks which module allocates means that one.
using AllocatorBehind = const void* (*)();
inline constexpr char allocator_behind_name[] = "xylem_arrays_allocator_1";

}  // namespace xylem::os
