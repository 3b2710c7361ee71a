// The program's operator new, which counts; see the header.
#include "counted_new.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
// Written by every allocation, read by tests; relaxed: a count, it publishes nothing.
std::atomic<std::size_t> allocations{0};
}  // namespace

std::size_t allocations_so_far() { return allocations.load(std::memory_order_relaxed); }

void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
