// Owns: writing and reading kept costs. See costs_file.hpp.
#include "mem/cost/costs_file.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <span>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "os/kept_file.hpp"

namespace xylem::mem {

namespace {

constexpr std::string_view first_line = "xylem costs 2";
constexpr long long most_nodes = 1024;
constexpr long long most_threads = 1 << 20;  // of a node

// --- the key ------------------------------------------------------------------------------------

void add_tree(const topo::Machine& machine, base::Hash& hash) {
  for (const topo::Level& level : machine.full_levels()) {
    hash.add(static_cast<int64_t>(level.kind));
    hash.add(level.cache_depth);
    hash.add(level.os_index);
    hash.add(level.parent);
    hash.add(level.pu_count);
  }
  for (const topo::Pu& pu : machine.pus()) hash.add(pu.os_index);
}

void add_nodes(const topo::Machine& machine, base::Hash& hash) {
  for (int node = 0; node < machine.node_count(); ++node) {
    hash.add(machine.node(node).os_index);
    hash.add(machine.node(node).full_level);
    hash.add(static_cast<int64_t>((machine.node(node).bytes + (1 << 25)) >> 26));
    for (int to = 0; to < machine.node_count(); ++to)
      hash.add(static_cast<int64_t>(machine.distance(node, to)));
  }
}

// What stands behind "model name" in /proc/cpuinfo.
std::string_view processor_name(std::string_view info) {
  while (!info.empty()) {
    std::string_view line = os::next_part(info, '\n');
    if (line.starts_with("model name")) return line.substr(std::min(line.find(':'), line.size()));
  }
  return {};
}

// --- text ---------------------------------------------------------------------------------------

class Writer {
 public:
  void line(std::string_view text) {
    text_.insert(text_.end(), text.begin(), text.end());
    text_.push_back('\n');
  }
  void number(const char* name, long long value) {
    char text[96];
    std::snprintf(text, sizeof text, "%s %lld", name, value);
    line(text);
  }
  void times(const char* name, std::span<const double> values) {
    line(name);
    for (const double value : values) number("", os::kept_time(value));
  }
  void streams(std::span<const plan::NodeStreams> streams) {
    number("streams", static_cast<long long>(streams.size()));
    for (const plan::NodeStreams& node : streams) {
      number("threads", node.threads);
      for (const plan::ByCrowd& times : node.ns_per_byte)
        for (const double ns : times) number("", os::kept_time(ns));
    }
  }
  std::string_view text() const { return {text_.data(), text_.size()}; }

 private:
  std::vector<char> text_;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool line(std::string_view wanted) { return os::next_part(rest_, '\n') == wanted; }
  bool number(std::string_view name, long long low, long long high, long long& value) {
    std::string_view line = os::next_part(rest_, '\n');
    if (os::next_part(line, ' ') != name) return false;
    return os::parse_integer(line, value) && value >= low && value <= high;
  }
  bool time(std::string_view name, long long low, double& ns) {
    long long value = 0;
    if (!number(name, low, os::most_of_kept_time, value)) return false;
    ns = os::time_of_kept(value);
    return true;
  }
  bool times(std::string_view name, std::size_t count, std::vector<double>& values) {
    values.assign(count, 0);
    bool good = line(name);
    for (std::size_t i = 0; good && i < count; ++i) good = time("", 1, values[i]);
    return good;
  }
  // Either nobody's, or those of all nodes.
  bool streams(int nodes, std::vector<plan::NodeStreams>& streams) {
    long long count = 0;
    if (!number("streams", 0, nodes, count) || (count != 0 && count != nodes)) return false;
    streams.assign(static_cast<std::size_t>(count), {});
    for (plan::NodeStreams& node : streams) {
      long long threads = 0;
      if (!number("threads", 1, most_threads, threads)) return false;
      node.threads = static_cast<int>(threads);
      for (plan::ByCrowd& times : node.ns_per_byte)
        for (double& ns : times)
          if (!time("", 0, ns)) return false;
    }
    return true;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

void key_text(uint64_t key, char (&text)[32]) {
  std::snprintf(text, sizeof text, "key %016" PRIx64, key);
}

bool read_numbers(Reader& reader, Costs& costs) {
  long long nodes = 0, page = 0, pairs = 0, moves = 0, when = 0;
  if (!reader.number("measured", 1, INT64_MAX, when)) return false;
  if (!reader.number("nodes", 1, most_nodes, nodes)) return false;
  if (!reader.number("pairs", 1, nodes * nodes, pairs)) return false;
  if (!reader.number("page_bytes", 1, 1 << 30, page)) return false;
  if (!reader.number("moves_measured", 0, 1, moves)) return false;
  costs.nodes = static_cast<int>(nodes);
  costs.page_bytes = static_cast<std::size_t>(page);
  costs.measured = true;
  costs.moves_measured = moves == 1;
  costs.measured_pairs = static_cast<int>(pairs);
  costs.measured_at = when;
  return reader.time("move_start", 0, costs.move_start_ns) &&
         reader.time("move_page", 1, costs.move_page_ns);
}

}  // namespace

uint64_t costs_key(const topo::Machine& machine, std::string_view processor,
                   std::string_view kernel) {
  base::Hash hash;
  add_tree(machine, hash);
  add_nodes(machine, hash);
  hash.add(processor);
  hash.add(kernel);
  return hash.value();
}

uint64_t costs_key(const topo::Machine& machine) {
  char processor[4096], kernel[256];
  const int of_processor = os::read_file("/proc/cpuinfo", processor);
  const int of_kernel = os::read_file("/proc/sys/kernel/osrelease", kernel);
  const auto text = [](const char* from, int size) {
    return std::string_view(from, size > 0 ? static_cast<std::size_t>(size) : 0);
  };
  return costs_key(machine, processor_name(text(processor, of_processor)), text(kernel, of_kernel));
}

os::PathBuffer costs_path(const char* file, const char* cache_folder, uint64_t key) {
  if (*file != 0) return os::PathBuffer(file);
  return os::kept_path(cache_folder, "costs", key);
}

bool parse_costs(std::string_view text, uint64_t key, Costs& costs) {
  Costs found;
  Reader reader(text);
  char key_line[32];
  key_text(key, key_line);
  if (!reader.line(first_line) || !reader.line(key_line)) return false;
  if (!read_numbers(reader, found)) return false;
  const auto pairs = static_cast<std::size_t>(found.nodes) * static_cast<std::size_t>(found.nodes);
  if (pairs > text.size()) return false;  // before room is made for what cannot be there
  if (!reader.times("read_latency", pairs, found.read_latency_ns) ||
      !reader.times("write_latency", pairs, found.write_latency_ns) ||
      !reader.times("read_byte", pairs, found.read_ns_per_byte) ||
      !reader.times("write_byte", pairs, found.write_ns_per_byte) ||
      !reader.streams(found.nodes, found.streams))
    return false;
  if (!reader.line("end") || !reader.at_end()) return false;
  costs = std::move(found);
  return true;
}

bool read_costs(const char* path, uint64_t key, Costs& costs) {
  std::vector<char> text;
  if (os::read_all(path, text) != 0) return false;
  return parse_costs({text.data(), text.size()}, key, costs);
}

void round_as_kept(Costs& costs) {
  costs.move_start_ns = os::as_kept(costs.move_start_ns);
  costs.move_page_ns = os::as_kept(costs.move_page_ns);
  for (auto* times : {&costs.read_latency_ns, &costs.write_latency_ns, &costs.read_ns_per_byte,
                      &costs.write_ns_per_byte})
    for (double& ns : *times) ns = os::as_kept(ns);
  for (plan::NodeStreams& node : costs.streams)
    for (plan::ByCrowd& times : node.ns_per_byte)
      for (double& ns : times) ns = os::as_kept(ns);
}

int write_costs(const char* path, uint64_t key, const Costs& costs) {
  Writer writer;
  char key_line[32];
  key_text(key, key_line);
  writer.line(first_line);
  writer.line(key_line);
  writer.number("measured", costs.measured_at);
  writer.number("nodes", costs.nodes);
  writer.number("pairs", costs.measured_pairs);
  writer.number("page_bytes", static_cast<long long>(costs.page_bytes));
  writer.number("moves_measured", costs.moves_measured ? 1 : 0);
  writer.number("move_start", os::kept_time(costs.move_start_ns));
  writer.number("move_page", os::kept_time(costs.move_page_ns));
  writer.times("read_latency", costs.read_latency_ns);
  writer.times("write_latency", costs.write_latency_ns);
  writer.times("read_byte", costs.read_ns_per_byte);
  writer.times("write_byte", costs.write_ns_per_byte);
  writer.streams(costs.streams);
  writer.line("end");
  return os::write_kept_file(path, writer.text());
}

}  // namespace xylem::mem
