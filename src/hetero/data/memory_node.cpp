// Owns: memory nodes and copies between them. See memory_node.hpp.
#include "hetero/data/memory_node.hpp"

#include <cerrno>
#include <cstring>

#include "base/check.hpp"

namespace xylem::hetero {

namespace {

void* address(const Location& location) {
  return static_cast<std::byte*>(location.memory) + location.offset;
}

}  // namespace

int Memories::add(const MemoryDriver& driver, size_t capacity, const Links::Link& link) {
  const int number = count();
  if (number == most_nodes) return -1;
  Links more(number + 1);
  for (int from = 0; from < number; ++from)
    for (int to = 0; to < number; ++to) more.at(from, to) = links_.at(from, to);
  more.at(main_memory, number) = more.at(number, main_memory) = link;
  more.at(main_memory, number).direct = more.at(number, main_memory).direct = true;
  links_ = more;
  node(number).driver = driver;
  node(number).capacity = capacity;
  return number;
}

int Memories::copy(const Shape& shape, int from, const Layout& source, int to,
                   const Layout& target) {
  XYLEM_ASSERT(from == main_memory || to == main_memory, "a copy without a link");
  int error = 0;
  each_span(shape, source, target, [&](const Span& span) {
    if (error != 0) return;
    if (from == to) {
      std::memcpy(address(span.to), address(span.from), span.bytes);
    } else if (from == main_memory) {
      const MemoryDriver& driver = node(to).driver;
      error = driver.write(driver.device, span.to, address(span.from), span.bytes);
    } else {
      const MemoryDriver& driver = node(from).driver;
      error = driver.read(driver.device, address(span.to), span.from, span.bytes);
    }
  });
  return error;
}

}  // namespace xylem::hetero
