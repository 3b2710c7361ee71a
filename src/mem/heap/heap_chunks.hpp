// Owns: which addresses are heaps', and whose: a table by chunks of 1 MiB, read without a lock.
//
// An entry is 0 or the number of a heap. Leaves of the table are made when need be and stay.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xylem::mem {

inline constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

// The whole chunks from `start` on belong to heap `number` (not 0). False without memory, and then
// nothing was noted. The caller owns the chunks, and gives their blocks away only afterwards.
bool record_chunks(const void* start, std::size_t bytes, std::uint16_t number);
void forget_chunks(const void* start, std::size_t bytes);

// 0: no heap's. For an address inside a live block the answer stays true.
std::uint16_t heap_number_of(const void* address);

}  // namespace xylem::mem
