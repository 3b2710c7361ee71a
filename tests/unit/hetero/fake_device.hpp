// Owns: a device memory in main memory, for tests: what it holds can be reached by its driver's
// functions alone, which tests count.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>

#include "hetero/data/memory_node.hpp"

namespace fake {

struct Device {
  std::map<void*, std::size_t> blocks;  // that are allocated
  std::size_t held = 0;
  std::size_t most_held = 0;
  std::size_t refuses_beyond = SIZE_MAX;  // what the device really has
  int writes = 0;
  int reads = 0;
  int copies = 0;  // to it from another device
  int fails = 0;   // so many copies fail from now on
  bool is_gone = false;

  xylem::hetero::MemoryDriver driver() {
    return {this, allocate, release, write, read, copy, gone};
  }

  static void* allocate(void* raw, std::size_t bytes) {
    auto& self = *static_cast<Device*>(raw);
    if (self.held + bytes > self.refuses_beyond) return nullptr;
    void* memory = std::malloc(bytes);
    std::memset(memory, 0xee, bytes);  // what was never copied shows
    self.blocks[memory] = bytes;
    self.held += bytes;
    self.most_held = std::max(self.most_held, self.held);
    return memory;
  }
  static void release(void* raw, void* memory) {
    auto& self = *static_cast<Device*>(raw);
    self.held -= self.blocks.at(memory);
    self.blocks.erase(memory);
    std::free(memory);
  }
  static int write(void* raw, const xylem::hetero::Span& span) {
    auto& self = *static_cast<Device*>(raw);
    ++self.writes;
    return self.move(span);
  }
  static int read(void* raw, const xylem::hetero::Span& span) {
    auto& self = *static_cast<Device*>(raw);
    ++self.reads;
    return self.move(span);
  }
  static int copy(void*, void* to, const xylem::hetero::Span& span) {
    auto& self = *static_cast<Device*>(to);
    ++self.copies;
    return self.move(span);
  }
  static bool gone(void* raw) { return static_cast<Device*>(raw)->is_gone; }

 private:
  // One of the two sides is a block of the device's; its last byte is inside.
  int move(const xylem::hetero::Span& span) {
    if (is_gone) return ENODEV;
    if (fails > 0 && fails-- > 0) return EIO;
    for (size_t plane = 0; plane < span.planes; ++plane)
      for (size_t row = 0; row < span.rows; ++row)
        std::memcpy(at(span.to, row, plane, span.bytes), at(span.from, row, plane, span.bytes),
                    span.bytes);
    return 0;
  }
  char* at(const xylem::hetero::Side& side, size_t row, size_t plane, size_t bytes) {
    const size_t offset = side.at.offset + row * side.row_step + plane * side.plane_step;
    const auto block = blocks.find(side.at.memory);
    if (block != blocks.end() && offset + bytes > block->second) std::abort();
    return static_cast<char*>(side.at.memory) + offset;
  }
};

}  // namespace fake
