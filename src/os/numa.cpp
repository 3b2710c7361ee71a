// Owns: entering the kernel for memory policies, and reading nodes in sysfs. See numa.hpp.
#include "os/numa.hpp"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdio>
#include <vector>

#include "os/cpus.hpp"
#include "os/failures.hpp"
#include "os/files.hpp"
#include "os/raw_syscall.hpp"

namespace xylem::os {

namespace {

constexpr int word_bits = 8 * sizeof(unsigned long);

int kernel_mode(PagePolicy policy) {
  switch (policy) {
    case PagePolicy::process:
      return MPOL_DEFAULT;
    case PagePolicy::local:
      return MPOL_LOCAL;
    case PagePolicy::preferred:
      return MPOL_PREFERRED;
    case PagePolicy::bound:
      return MPOL_BIND;
    case PagePolicy::interleaved:
      return MPOL_INTERLEAVE;
  }
  return MPOL_DEFAULT;
}

bool takes_nodes(PagePolicy policy) {
  return policy != PagePolicy::process && policy != PagePolicy::local;
}

// The value behind `key` in a text of lines "key: value ..."; empty if there is none. In files of
// nodes the key stands behind "Node N ".
std::string_view value_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = next_part(text, '\n');
    const std::size_t at = line.find(key);
    if (at == std::string_view::npos || at + key.size() >= line.size()) continue;
    const bool begins = at == 0 || line[at - 1] == ' ';
    if (begins && line[at + key.size()] == ':') return trim(line.substr(at + key.size() + 1));
  }
  return {};
}

// "123 kB" as bytes; -1 if it is something else.
int64_t bytes_of(std::string_view value) {
  long long kib = 0;
  if (!parse_integer(next_part(value, ' '), kib)) return -1;
  return kib * 1024;
}

int node_set_of(std::string_view list, NodeSet& nodes) {
  CpuSet numbers;  // the same form as lists of processors
  if (!parse_cpu_list(list, numbers)) return -EINVAL;
  nodes = {};
  for (int node = 0; node < most_nodes; ++node)
    if (numbers.has(node)) nodes.add(node);
  return 0;
}

}  // namespace

void NodeSet::add(int node) {
  if (node < 0 || node >= most_nodes) return;
  words[static_cast<std::size_t>(node / word_bits)] |= 1ul << (node % word_bits);
}

bool NodeSet::has(int node) const {
  if (node < 0 || node >= most_nodes) return false;
  return (words[static_cast<std::size_t>(node / word_bits)] >> (node % word_bits) & 1) != 0;
}

int set_page_policy(void* start, std::size_t bytes, PagePolicy policy, const NodeSet& nodes,
                    Existing existing) {
  if (const int error = injected_failure()) return error;
  const bool with_nodes = takes_nodes(policy);
  const long flags = existing == Existing::move ? MPOL_MF_MOVE | MPOL_MF_STRICT : 0;
  return static_cast<int>(raw_syscall(SYS_mbind, reinterpret_cast<long>(start),
                                      static_cast<long>(bytes), kernel_mode(policy),
                                      with_nodes ? reinterpret_cast<long>(nodes.words.data()) : 0,
                                      with_nodes ? most_nodes : 0, flags));
}

long move_pages(std::size_t count, void* const* pages, const int* nodes, int* status) {
  if (const int error = injected_failure()) return error;
  return raw_syscall(SYS_move_pages, 0, static_cast<long>(count), reinterpret_cast<long>(pages),
                     reinterpret_cast<long>(nodes), reinterpret_cast<long>(status), MPOL_MF_MOVE);
}

NodeMemory node_memory(int node, const char* root) {
  PathBuffer path(root);
  char name[64];
  std::snprintf(name, sizeof name, "/sys/devices/system/node/node%d/meminfo", node);
  path.append(name);
  char text[4096];
  const int got = read_file(path.c_str(), text);
  if (got <= 0) return {};
  const std::string_view all(text, static_cast<std::size_t>(got));
  NodeMemory memory{bytes_of(value_of(all, "MemTotal")), bytes_of(value_of(all, "MemFree"))};
  const int64_t cached = bytes_of(value_of(all, "FilePages"));
  const int64_t shared = bytes_of(value_of(all, "Shmem"));
  if (memory.free >= 0 && cached > shared && shared >= 0) memory.free += cached - shared;
  return memory;
}

int nodes_with_memory(NodeSet& nodes, const char* root) {
  PathBuffer path(root);
  path.append("/sys/devices/system/node/has_memory");
  char text[4096];
  const int got = read_file(path.c_str(), text);
  if (got < 0) return got;
  return node_set_of(trim({text, static_cast<std::size_t>(got)}), nodes);
}

// /proc/self/status takes the kernel many times as long; but a sandbox may forbid the call.
static bool kernel_tells_nodes_allowed(NodeSet& nodes) {
  NodeSet told;
  if (raw_syscall(SYS_get_mempolicy, 0, reinterpret_cast<long>(told.words.data()), most_nodes, 0,
                  MPOL_F_MEMS_ALLOWED) != 0)
    return false;
  nodes = told;
  return true;
}

int nodes_allowed(NodeSet& nodes, const char* root) {
  if (*root == '\0' && kernel_tells_nodes_allowed(nodes)) return 0;
  PathBuffer path(root);
  path.append("/proc/self/status");
  std::vector<char> text;
  if (const int error = read_all(path.c_str(), text)) return error;
  const std::string_view list = value_of({text.data(), text.size()}, "Mems_allowed_list");
  return list.empty() ? -ENODATA : node_set_of(list, nodes);
}

int processor_of_thread(int tid) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
  char text[1024];
  const int got = read_file(path, text);
  if (got <= 0) return -1;
  std::string_view rest(text, static_cast<std::size_t>(got));
  rest.remove_prefix(rest.rfind(')') + 1);  // after "pid (name)"; a name may hold anything
  constexpr int fields_before = 37;         // from "state", the third, to "processor", the 39th
  rest = trim(rest);
  for (int field = 1; field < fields_before; ++field) next_part(rest, ' ');
  long long processor = -1;
  return parse_integer(next_part(rest, ' '), processor) ? static_cast<int>(processor) : -1;
}

std::size_t huge_page_size() {
  char text[4096];
  const int got = read_file("/proc/meminfo", text);
  if (got <= 0) return 0;
  const int64_t bytes = bytes_of(value_of({text, static_cast<std::size_t>(got)}, "Hugepagesize"));
  return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

int advise_huge_pages(void* start, std::size_t bytes, bool wanted) {
  if (const int error = injected_failure()) return error;
  return static_cast<int>(raw_syscall(SYS_madvise, reinterpret_cast<long>(start),
                                      static_cast<long>(bytes),
                                      wanted ? MADV_HUGEPAGE : MADV_NOHUGEPAGE));
}

// To call a part of a huge page cold makes the kernel split it, and changes nothing else but when
// the part would go to a swap area.
int split_huge_pages(void* start, std::size_t bytes) {
  if (const int error = injected_failure()) return error;
  return static_cast<int>(
      raw_syscall(SYS_madvise, reinterpret_cast<long>(start), static_cast<long>(bytes), MADV_COLD));
}

}  // namespace xylem::os
