// Owns: memory nodes and copies between them. See memory_node.hpp.
#include "hetero/data/memory_node.hpp"

#include <cerrno>
#include <cstring>

#include "base/check.hpp"
#include "base/report.hpp"
#include "hetero/tracing.hpp"

namespace xylem::hetero {

namespace {

std::byte* row_of(const Side& side, size_t row, size_t plane) {
  return static_cast<std::byte*>(side.at.memory) + side.at.offset + row * side.row_step +
         plane * side.plane_step;
}

void copy_in_main_memory(const Span& span) {
  for (size_t plane = 0; plane < span.planes; ++plane)
    for (size_t row = 0; row < span.rows; ++row)
      std::memcpy(row_of(span.to, row, plane), row_of(span.from, row, plane), span.bytes);
}

}  // namespace

int Memories::add(const MemoryDriver& driver, size_t capacity, const Links::Link& link,
                  const char* name) {
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
  node(number).name = name;
  return number;
}

void Memories::connect(int one, int other, const Links::Link& link) {
  links_.at(one, other) = links_.at(other, one) = link;
  links_.at(one, other).direct = links_.at(other, one).direct = true;
}

void Memories::record_gone(int number, bool quietly) {
  // relaxed: see MemoryNode::gone
  if (node(number).gone.exchange(true, std::memory_order_relaxed) || quietly) return;
  base::warn("device %d (%s) is gone: tasks run elsewhere", number, node(number).name);
}

void Memories::look_after(int number) {
  const MemoryDriver& driver = node(number).driver;
  if (driver.gone && driver.gone(driver.device)) record_gone(number);
}

int Memories::copy(int from, int to, const Span& span) {
  const MemoryDriver& source = node(from).driver;
  const MemoryDriver& target = node(to).driver;
  if (from == main_memory && to == main_memory) return copy_in_main_memory(span), 0;
  if (from == main_memory) return target.write(target.device, span);
  if (to == main_memory) return source.read(source.device, span);
  return source.copy(source.device, target.device, span);
}

int Memories::copy(const Shape& shape, int from, const Layout& source, int to,
                   const Layout& target) {
  XYLEM_ASSERT(from == to || links_.direct(from, to), "a copy without a link");
  for (const Span& span : spans_of(shape, source, target)) {
    trace::emit<traced::copy_begin>(from, to, span.all_bytes());
    const int error = copy(from, to, span);
    trace::emit<traced::copy_end>(from, to);
    if (error == ENODEV) {
      look_after(from);
      look_after(to);
    }
    if (error != 0) return error;
    // relaxed: see MemoryNode::Sums
    node(from).sums.bytes_out.fetch_add(span.all_bytes(), std::memory_order_relaxed);
    node(to).sums.bytes_in.fetch_add(span.all_bytes(), std::memory_order_relaxed);
  }
  return 0;
}

}  // namespace xylem::hetero
