// Owns: the bits of the flags that GCC passes to GOMP_task and GOMP_taskloop.
#pragma once

namespace xylem::abi::task_flags {

inline constexpr unsigned untied = 1u << 0;
inline constexpr unsigned final = 1u << 1;
inline constexpr unsigned mergeable = 1u << 2;
inline constexpr unsigned depend = 1u << 3;
inline constexpr unsigned priority = 1u << 4;
inline constexpr unsigned up = 1u << 8;
inline constexpr unsigned grainsize = 1u << 9;
inline constexpr unsigned if_clause = 1u << 10;
inline constexpr unsigned nogroup = 1u << 11;
inline constexpr unsigned reduction = 1u << 12;
inline constexpr unsigned detach = 1u << 13;
inline constexpr unsigned strict = 1u << 14;

}  // namespace xylem::abi::task_flags
