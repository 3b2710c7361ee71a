// Owns: the types that every entry point of LLVM's OpenMP runtime has, as Clang and Flang 19 pass
// them. What they mean is decoded here and beside each family of entry points; omp/ has none of it.
#pragma once

#include <cstdint>

#include "base/export.hpp"
#include "omp/team/team.hpp"

namespace xylem::abi::kmp {

// Where in the program a call stands; made by the compiler, constant.
struct Location {
  int32_t reserved_1;
  int32_t flags;  // location_flags
  int32_t reserved_2;
  int32_t reserved_3;  // bytes of `source`
  const char* source;  // ";file;function;line;column;;", or null
};
static_assert(sizeof(Location) == 24);

namespace location_flags {
inline constexpr int32_t atomic_reduce = 0x10;  // a reduction may be combined by atomics
inline constexpr int32_t explicit_barrier = 0x20;
inline constexpr int32_t implicit_barrier = 0x40;
inline constexpr int32_t loop = 0x200;
inline constexpr int32_t sections = 0x400;
inline constexpr int32_t distribute = 0x800;
}  // namespace location_flags

// A thread's number among all of the process. The compiled code asks for it once a function and
// hands it to every entry point; all of these find the thread by omp::current_member() instead, as
// a number would have to be looked up.
using ThreadNumber = int32_t;

// The number of the member whose thread calls.
inline ThreadNumber number_of(const omp::Member& member) { return omp::number_in_process(member); }

// What Clang makes of a region: a function of pointers to the thread's number in the process and in
// its team, and of a word for each variable that it shares or copies. Written as a function of
// nothing, as their number differs.
using Microtask = void (*)();

}  // namespace xylem::abi::kmp
