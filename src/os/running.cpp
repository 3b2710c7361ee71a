// Owns: getcpu. See running.hpp.
#include "os/running.hpp"

#include <sys/syscall.h>

#include <cstdio>
#include <span>
#include <string_view>

#include "os/cpus.hpp"
#include "os/files.hpp"
#include "os/raw_syscall.hpp"

namespace xylem::os {

// Raw: sched_getcpu() reads the thread's rseq area, which is its fiber's and may tell of the past.
RunningOn running_on() {
  unsigned cpu = 0;
  unsigned node = 0;
  const long answer =
      raw_syscall(SYS_getcpu, reinterpret_cast<long>(&cpu), reinterpret_cast<long>(&node));
  if (answer != 0) return {};
  return {static_cast<int>(cpu), static_cast<int>(node)};
}

namespace {

// The text of a file in a node's folder, or nothing.
std::string_view node_file(int node, const char* name, std::span<char> text) {
  char path[96];
  std::snprintf(path, sizeof path, "/sys/devices/system/node/node%d/%s", node, name);
  const int got = read_file(path, text);
  return got > 0 ? trim({text.data(), static_cast<size_t>(got)}) : std::string_view{};
}

// Nodes with memory or without. Numbers of nodes have the form of those of processors.
CpuSet nodes_online() {
  CpuSet online;
  char text[4096];
  const int got = read_file("/sys/devices/system/node/online", text);
  if (got > 0) parse_cpu_list(trim({text, static_cast<size_t>(got)}), online);
  return online;
}

// The node whose processor it is; -1.
int node_of_cpu(int cpu, const CpuSet& online) {
  char text[4096];
  CpuSet cpus;
  for (int node = online.next(-1); node >= 0; node = online.next(node))
    if (parse_cpu_list(node_file(node, "cpulist", text), cpus) && cpus.has(cpu)) return node;
  return -1;
}

}  // namespace

// The row has a number for each node that is online.
int distance_to_node(int cpu, int node) {
  const CpuSet online = nodes_online();
  const int from = node_of_cpu(cpu, online);
  if (from < 0) return -1;
  char text[4096];
  std::string_view row = node_file(from, "distance", text);
  for (int at = online.next(-1); at >= 0 && !row.empty(); at = online.next(at)) {
    long long distance = -1;
    const bool is_number = parse_integer(next_part(row, ' '), distance);
    if (at == node) return is_number ? static_cast<int>(distance) : -1;
  }
  return -1;
}

}  // namespace xylem::os
