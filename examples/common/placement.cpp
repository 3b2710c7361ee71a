// Owns: asking the kernel, by system calls and sysfs alone. See placement.hpp.
#include "placement.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <new>
#include <string>

#define XYLEM_WEAK
#include <xylem/bubble.h>
#include <xylem/memory.h>

namespace common {

namespace {

int kernel_node_count() {
  int count = 0;
  while (std::filesystem::exists("/sys/devices/system/node/node" + std::to_string(count))) ++count;
  return count > 0 ? count : 1;
}

// More nodes than the kernel has: they are drawn.
bool is_drawn() {
  static const bool drawn = xylem_node_count != nullptr &&
                            std::getenv("XYLEM_MACHINE") != nullptr &&
                            xylem_node_count() != kernel_node_count();
  return drawn;
}

std::vector<int> ask_kernel(const char* start, std::size_t count) {
  std::vector<void*> pages(count);
  for (std::size_t i = 0; i < count; ++i) pages[i] = const_cast<char*>(start) + i * page_bytes();
  std::vector<int> nodes(count, -1);
  // Containers may forbid the question: then all pages of the only node are there.
  if (syscall(SYS_move_pages, 0, count, pages.data(), nullptr, nodes.data(), 0) != 0)
    nodes.assign(count, 0);
  return nodes;
}

}  // namespace

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

int node_count() { return is_drawn() ? xylem_node_count() : kernel_node_count(); }

Place current_place() {
  const int pu = xylem_current_pu != nullptr ? xylem_current_pu() : -1;
  if (is_drawn()) return {pu, xylem_current_node(), pu};
  unsigned processor = 0, node = 0;
  if (getcpu(&processor, &node) != 0) return {0, 0, pu};
  return {static_cast<int>(processor), static_cast<int>(node), pu};
}

std::vector<int> nodes_of_pages(const void* start, std::size_t bytes) {
  const std::size_t count = (bytes + page_bytes() - 1) / page_bytes();
  if (!is_drawn()) return ask_kernel(static_cast<const char*>(start), count);
  std::vector<int> nodes(count);
  xylem_memory_locate(start, bytes, nodes.data());
  return nodes;
}

void* untouched(std::size_t bytes) {
  void* const start =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
  return start;
}

void free_untouched(void* start, std::size_t bytes) { munmap(start, bytes); }

}  // namespace common
