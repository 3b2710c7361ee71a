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
  int fails = 0;  // so many copies fail from now on

  xylem::hetero::MemoryDriver driver() { return {this, allocate, release, write, read}; }

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
  static int write(void* raw, const xylem::hetero::Location& to, const void* from,
                   std::size_t bytes) {
    auto& self = *static_cast<Device*>(raw);
    ++self.writes;
    if (self.fails > 0 && self.fails-- > 0) return EIO;
    std::memcpy(self.inside(to, bytes), from, bytes);
    return 0;
  }
  static int read(void* raw, void* to, const xylem::hetero::Location& from, std::size_t bytes) {
    auto& self = *static_cast<Device*>(raw);
    ++self.reads;
    if (self.fails > 0 && self.fails-- > 0) return EIO;
    std::memcpy(to, self.inside(from, bytes), bytes);
    return 0;
  }

 private:
  char* inside(const xylem::hetero::Location& location, std::size_t bytes) {
    if (location.offset + bytes > blocks.at(location.memory)) std::abort();
    return static_cast<char*>(location.memory) + location.offset;
  }
};

}  // namespace fake
