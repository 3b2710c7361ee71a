// The view as text: see top_show.hpp.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "tool/command/common.hpp"
#include "tool/top/top_sharing.hpp"
#include "tool/top/top_show.hpp"
#include "tool/top/top_tree.hpp"
#include "topo/machine.hpp"

namespace xylem::tool {

namespace {

using sched::LiveBubble;
using Lines = std::vector<std::string>;

std::string cut(std::string line, int columns) {
  if (columns > 0 && line.size() > static_cast<size_t>(columns))
    line.resize(static_cast<size_t>(columns));
  line.resize(line.find_last_not_of(' ') + 1);
  return line;
}

// "950", "1.2k", "34M".
std::string short_number(double value) {
  constexpr const char* kUnits[] = {"", "k", "M", "G", "T"};
  size_t unit = 0;
  while (value >= 999.5 && unit + 1 < std::size(kUnits)) {
    value /= 1000;
    ++unit;
  }
  const bool small = value > 0.05 && value < 9.95;
  return small ? fmt::format("{:.1f}{}", value, kUnits[unit])
               : fmt::format("{:.0f}{}", value, kUnits[unit]);
}

std::string waiting_text(int64_t waiting) {
  return waiting >= sched::live_most_waiting ? fmt::format("{}+", sched::live_most_waiting)
                                             : fmt::format("{}", waiting);
}

std::string time_text(int64_t ns) {
  const int64_t seconds = ns / 1'000'000'000;
  if (seconds < 60) return fmt::format("{:.1f} s", static_cast<double>(ns) / 1e9);
  if (seconds < 3600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {} min", seconds / 3600, seconds / 60 % 60);
}

std::string listed(const std::vector<std::pair<std::string, double>>& rates) {
  std::string out;
  for (const auto& [name, rate] : rates)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, short_number(rate));
  return out;
}

std::string states_text(const TopRow& row) {
  if (row.pus.size() == 1)
    return row.states.begin()->first + (row.lent_to == 0 ? "" : fmt::format(" to {}", row.lent_to));
  std::string out;
  for (const auto& [state, count] : row.states)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, state);
  return out;
}

std::string bubbles_text(const TopRow& row) {
  const std::set<uint64_t> ids(row.bubbles.begin(), row.bubbles.end());
  std::string out;
  for (const uint64_t id : ids) out += fmt::format("{}{}", out.empty() ? "" : ",", id);
  return out.size() > 8 ? fmt::format("{} of them", ids.size()) : out;
}

Lines header(const Measure& measure) {
  const LiveSnapshot& last = measure.last;
  std::set<int64_t> nodes;
  for (const sched::LivePu& pu : last.pus) nodes.insert(pu.node);
  const std::string machine =
      last.machine.empty() ? "this machine" : fmt::format("machine \"{}\"", last.machine);
  Lines lines;
  lines.push_back(fmt::format("process {}: {}", measure.process, measure.command));
  lines.push_back(fmt::format("up {}, {}; policy {}; {}: {}, {}", time_text(measure.up_ns),
                              counted(measure.threads, "kernel thread"), last.policy, machine,
                              counted(static_cast<long long>(last.pus.size()), "PU"),
                              counted(static_cast<long long>(nodes.size()), "memory node")));
  const std::string open = measure.activity == Activity::running
                               ? counted(last.totals.open_regions, "region") + " open"
                               : activity_name(measure.activity);
  lines.push_back(fmt::format("{}; {} regions/s, {} waiting, {} turns/s, {} steals/s", open,
                              short_number(measure.regions), waiting_text(measure.waiting()),
                              short_number(measure.turns()), short_number(measure.steals())));
  lines.emplace_back();
  return lines;
}

std::string table_line(std::string_view level, std::string_view state, std::string_view awake,
                       std::string_view waiting, std::string_view extra, std::string_view runs,
                       std::string_view turns, std::string_view steals, std::string_view from) {
  return fmt::format("{:<12} {:<22} {:>5} {:>7} {:>5} {:>8} {:>7} {:>8}  {}", level, state, awake,
                     waiting, extra, runs, turns, steals, from);
}

Lines table(const std::vector<TopRow>& rows) {
  Lines lines{table_line("level", "state", "awake", "waiting", "extra", "bubble", "turns/s",
                         "steals/s", "from")};
  for (const TopRow& row : rows)
    lines.push_back(table_line(row.group ? row.name : "  " + row.name, states_text(row),
                               fmt::format("{:.0f}%", 100 * row.awake), waiting_text(row.waiting),
                               fmt::format("{}", row.extras), bubbles_text(row),
                               short_number(row.turns), short_number(row.steals),
                               listed(row.steals_from)));
  return lines;
}

Lines devices(const Measure& measure) {
  const std::vector<sched::LiveDevice>& rows = measure.last.devices;
  Lines lines;
  if (!rows.empty())
    lines = {"", fmt::format("{:<30} {:>6} {:>22} {:>10} {:>9} {:>9}", "Devices", "load", "memory",
                             "kernels/s", "in B/s", "out B/s")};
  for (size_t at = 0; at < rows.size(); ++at) {
    const DeviceRates rates = at < measure.devices.size() ? measure.devices[at] : DeviceRates{};
    const std::string name = cut(fmt::format("  {} {}", at + 1, device_name(rows[at])), 30);
    const std::string memory =
        fmt::format("{} of {} B", short_number(static_cast<double>(rows[at].used)),
                    short_number(static_cast<double>(rows[at].capacity)));
    lines.push_back(fmt::format(
        "{:<30} {:>6} {:>22} {:>10} {:>9} {:>9}", name,
        rows[at].gone != 0 ? "gone" : fmt::format("{:.0f}%", 100 * rates.load), memory,
        short_number(rates.kernels), short_number(rates.bytes_in), short_number(rates.bytes_out)));
  }
  return lines;
}

Lines engines(const Measure& measure) {
  const sched::LiveEngines& all = measure.last.totals.engines;
  const std::string source = source_name(all);
  if (source.empty()) return {};
  Lines lines{"",
              fmt::format("Engines, by the source {}: {} pages moved, {} threads placed, {} given "
                          "other iterations, {} of {} choices taken back",
                          source, all.pages, all.threads, all.dealt, all.undone, all.choices)};
  if (all.choices > 0)
    lines.push_back(fmt::format(
        "  the last one: local accesses {:.1f}% before, {:.1f}% expected; {:.3f} ms less an "
        "iteration",
        static_cast<double>(all.local_before) / 10, static_cast<double>(all.local_after) / 10,
        static_cast<double>(all.gain_ns) / 1e6));
  return lines;
}

Lines queues(const Measure& measure) {
  if (!measure.alive()) return {};
  const std::vector<std::string> names = level_names(measure.last);
  Lines lines;
  for (size_t level = 0; level < names.size(); ++level) {
    const sched::LiveLevel& it = measure.last.levels[level];
    if (it.waiting == 0 || it.pu_count == 1) continue;
    if (lines.empty()) lines = {"", "Queues above the PUs:"};
    lines.push_back(fmt::format("  {:<12} {:>7} waiting", names[level], waiting_text(it.waiting)));
  }
  return lines;
}

std::string bubble_line(const LiveBubble& bubble, size_t depth,
                        const std::vector<std::string>& names) {
  const std::string name = std::string(2 * (depth + 1), ' ') + fmt::format("{}", bubble.id);
  const std::string burst = bubble.burst_kind < 0
                                ? "-"
                                : topo::kind_name(static_cast<topo::LevelKind>(bubble.burst_kind));
  const std::string level = bubble.level == -2 ? "held back"
                            : bubble.level < 0 ? "-"
                                               : names[static_cast<size_t>(bubble.level)];
  const std::string time = time_text(bubble.cpu_ns);
  const std::string used = bubble.misses < 0 ? time : fmt::format("{:<14} {}", time, bubble.misses);
  return fmt::format("{:<16} {:>7} {:>7} {:>8} {:>8} {:>8} {:<10} {}", name, bubble.threads,
                     bubble.running < 0 ? "-" : fmt::format("{}", bubble.running), bubble.load,
                     bubble.priority, burst, level, used);
}

Lines bubbles(const Measure& measure) {
  const LiveSnapshot& last = measure.last;
  if (!measure.alive() || last.bubbles.empty()) return {};
  const std::vector<std::string> names = level_names(last);
  const bool counted = last.bubbles.front().misses >= 0;
  Lines lines{"", fmt::format("{:<16} {:>7} {:>7} {:>8} {:>8} {:>8} {:<10} {}", "Bubbles",
                              "threads", "running", "load", "priority", "burst", "lies on",
                              counted ? "processor time misses" : "processor time")};
  // A parent stands before its children; who has none above is a root. Depth first, each once.
  std::map<uint64_t, size_t> row_of;
  std::vector<std::vector<size_t>> children(last.bubbles.size());
  std::vector<std::pair<size_t, size_t>> open;  // row, depth; the next one last
  std::vector<size_t> roots;
  for (size_t row = 0; row < last.bubbles.size(); ++row) {
    const auto parent = row_of.find(last.bubbles[row].parent);
    (parent == row_of.end() ? roots : children[parent->second]).push_back(row);
    row_of.emplace(last.bubbles[row].id, row);
  }
  for (auto root = roots.rbegin(); root != roots.rend(); ++root) open.emplace_back(*root, 0);
  while (!open.empty()) {
    const auto [row, depth] = open.back();
    open.pop_back();
    lines.push_back(bubble_line(last.bubbles[row], std::min<size_t>(depth, 20), names));
    for (auto child = children[row].rbegin(); child != children[row].rend(); ++child)
      open.emplace_back(*child, depth + 1);
  }
  if (last.totals.bubbles_left_out > 0)
    lines.push_back(fmt::format("  and {} more", last.totals.bubbles_left_out));
  return lines;
}

// The table with as many rows as fit: every PU, or what stands for several, or nodes alone.
Lines fitting_table(const Measure& measure, size_t room, bool all) {
  const size_t nodes = top_rows(measure, -1).size();
  const int most = most_folds(measure.last);
  for (int fold = 0; fold <= most; ++fold) {
    const std::vector<TopRow> rows = top_rows(measure, fold);
    const bool says_more = fold == 0 || rows.size() > 2 * nodes;  // than the nodes' rows
    if (!says_more) break;
    if (all || room == 0 || rows.size() + 1 <= room) return table(rows);
  }
  return table(top_rows(measure, -1));
}

}  // namespace

std::string top_text(const Measure& measure, int rows, int columns, bool all) {
  Lines lines = header(measure);
  Lines below = devices(measure);
  for (const Lines& more :
       {engines(measure), queues(measure), sharing_lines(measure), bubbles(measure)})
    below.insert(below.end(), more.begin(), more.end());
  const auto most = static_cast<size_t>(rows);
  // The table comes first, but for a few lines of what is below it.
  const size_t taken = lines.size() + std::min<size_t>(below.size(), most / 3);
  const size_t room = rows == 0 ? 0 : most > taken + 2 ? most - taken : 2;
  const Lines middle = fitting_table(measure, room, all);
  lines.insert(lines.end(), middle.begin(), middle.end());
  lines.insert(lines.end(), below.begin(), below.end());
  if (rows > 0 && lines.size() > most) {
    const size_t left_out = lines.size() - most + 1;
    lines.resize(most - 1);
    lines.push_back(fmt::format("... and {} more lines; enlarge the terminal", left_out));
  }
  std::string out;
  for (const std::string& line : lines) out += cut(line, columns) + "\n";
  return out;
}

}  // namespace xylem::tool
