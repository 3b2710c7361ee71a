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

// Holds the blocks where they are: who frees, moves or unmaps memory, or gives up its contents,
// waits until they are let go. False: no block of `bytes` or more is known to begin at `start` any
// more, or somebody is in the midst of such a change; nothing is held then. By one thread at a
// time, for some microseconds; the holder waits for no lock and frees nothing.
using HoldArray = bool (*)(uintptr_t start, std::size_t bytes);
using LetGoOfArray = void (*)();
inline constexpr char hold_array_name[] = "xylem_arrays_hold_1";
inline constexpr char let_go_of_array_name[] = "xylem_arrays_let_go_1";

// The malloc() that comes behind the library's own: who asks which module allocates means that one.
using AllocatorBehind = const void* (*)();
inline constexpr char allocator_behind_name[] = "xylem_arrays_allocator_1";

}  // namespace xylem::os
