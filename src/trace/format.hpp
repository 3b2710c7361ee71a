// Owns: the layout of a trace file (.xtr): a header, then blocks, all in little-endian words.
//
//   Header | program's name | machine as text | padding to 8 | Block [records] | Block ...
//
// The machine's text has a line for each level: kind os_index cache_depth parent first_pu pus name
// A block of records holds what one ring gave at one time, in its order. A clock block tells what
// both clocks said at a moment; the last block of a trace that ended well is an end block.
#pragma once

#include "trace/record.hpp"

namespace xylem::trace {

inline constexpr char file_magic[8] = {'X', 'Y', 'L', 'E', 'M', 'T', 'R', '\n'};
inline constexpr uint32_t file_version = 1;
inline constexpr uint32_t block_magic = 0x4b4c4258;  // "XBLK"

struct FileHeader {
  char magic[8];
  uint32_t version;
  uint32_t table;            // table_mark() of who wrote it
  uint32_t bytes;            // of the header with texts and padding: where the blocks begin
  uint32_t record_bytes;     // sizeof(Record)
  uint32_t pus;              // workers: one a PU
  uint32_t process;          // its number
  uint32_t program_bytes;    // of the program's name
  uint32_t machine_bytes;    // of the machine's text
  uint32_t processor_ticks;  // 1: ticks are the processor's own; 0: nanoseconds
  uint32_t reserved;
  uint64_t start_ticks;       // when the trace began
  int64_t start_ns;           // the same moment by the monotonic clock
  uint64_t ticks_per_second;  // as measured before the start; clock blocks know better
};
static_assert(sizeof(FileHeader) == 72);

enum class BlockType : uint16_t { records, clock, end };

struct Block {
  uint32_t magic;
  BlockType type;
  uint16_t source_kind;  // SourceKind, of records
  uint32_t source;       // number of the ring's owner, of records
  uint32_t count;        // of the records that follow
  union {
    uint64_t dropped;  // of records: how many the owner could not put so far
    uint64_t ticks;    // of clock and end: since the trace's start
  };
  int64_t ns;  // of clock and end: nanoseconds since the trace's start
};
static_assert(sizeof(Block) == 32);

}  // namespace xylem::trace
