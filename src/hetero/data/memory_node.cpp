// Owns: memory nodes and copies between them. See memory_node.hpp.
#include "hetero/data/memory_node.hpp"

#include <algorithm>
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

int traced_number(const MemoryNode& node, int number) {
  return node.numa == unknown_node ? number : first_traced_near_node + node.numa;
}

// Of copies that processors near the target make. Main memory may lie anywhere: it counts as near.
Links::Link link_between(const NearAccess& access, int from, int to) {
  constexpr size_t bytes = 1u << 20;
  const int by = to == unknown_node ? from : to;
  return {true, 0, access.copy_ns(by, from, bytes, false) / bytes};
}

void copy_by_processor(const Span& span) {
  for (size_t plane = 0; plane < span.planes; ++plane)
    for (size_t row = 0; row < span.rows; ++row)
      std::memcpy(row_of(span.to, row, plane), row_of(span.from, row, plane), span.bytes);
}

}  // namespace

int Memories::add(const MemoryDriver& driver, size_t capacity, const Links::Link& link,
                  const char* name) {
  const int number = count();
  if (number > most_devices) return -1;
  add_node(driver, capacity, name);
  connect(main_memory, number, link);
  return number;
}

int Memories::add_node(const MemoryDriver& driver, size_t capacity, const char* name) {
  const int number = count();
  links_.add_node();
  node(number).driver = driver;
  node(number).capacity = capacity;
  node(number).name = name;
  return number;
}

int Memories::add_near(const MemoryDriver& driver, int numa, size_t capacity,
                       const NearAccess& access) {
  const int number = count();
  if (number == most_nodes) return -1;
  first_near_ = std::min(first_near_, number);
  near_access_ = access;
  add_node(driver, capacity, "");
  node(number).numa = numa;
  for (int other = 0; other < number; ++other) {
    const bool device = !addressable(other);
    set_link(other, number,
             device ? links_.at(other, main_memory) : link_between(access, node(other).numa, numa));
    set_link(number, other,
             device ? links_.at(main_memory, other) : link_between(access, numa, node(other).numa));
  }
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
  if (addressable(from) && addressable(to)) return copy_by_processor(span), 0;
  if (addressable(from)) return target.write(target.device, span);
  if (addressable(to)) return source.read(source.device, span);
  return source.copy(source.device, target.device, span);
}

int Memories::copy(const Shape& shape, int from, const Layout& source, int to,
                   const Layout& target) {
  XYLEM_ASSERT(from == to || links_.direct(from, to), "a copy without a link");
  for (const Span& span : spans_of(shape, source, target)) {
    trace::emit<traced::copy_begin>(traced_number(node(from), from), traced_number(node(to), to),
                                    span.all_bytes());
    const int error = copy(from, to, span);
    trace::emit<traced::copy_end>(traced_number(node(from), from), traced_number(node(to), to));
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
