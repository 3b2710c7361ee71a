// Reading the table of processes: see sharers.hpp.
#include "tool/command/sharers.hpp"

#include <algorithm>
#include <array>

#include "os/clock.hpp"
#include "os/files.hpp"
#include "os/process.hpp"
#include "sched/share/division.hpp"
#include "sched/share/process_table.hpp"
#include "tool/top/top_watch.hpp"

namespace xylem::tool {

namespace {

using sched::Claim;
using sched::CpuMask;

os::CpuSet as_set(const CpuMask& mask) {
  os::CpuSet set;
  mask.each([&set](int cpu) { set.add(cpu); });
  return set;
}

void divide_among(const std::vector<sched::Sharer>& rows, int64_t now_ns,
                  std::vector<Sharer>& sharers) {
  const auto turn = static_cast<uint64_t>(now_ns / sched::turn_ns);
  std::vector<Claim> now, even;
  for (const sched::Sharer& it : rows) {
    now.push_back({it.row.cpus, it.row.needs});
    even.push_back({it.row.cpus, it.row.cpus.count()});
  }
  std::vector<CpuMask> has(rows.size()), would_have(rows.size());
  sched::divide(now, turn, has);
  sched::divide(even, turn, would_have);
  for (size_t i = 0; i < rows.size(); ++i) {
    const sched::ProcessRow& row = rows[i].row;
    sharers.push_back({row.process, command_line_of(row.process), row.needs, as_set(row.cpus),
                       as_set(has[i]), as_set(would_have[i])});
  }
}

int take_part(sched::ProcessTable& table, int64_t now_ns) {
  if (const int error = table.join(); error != 0) return error;
  return table.tell({os::process_id(), now_ns, 0, {}});
}

}  // namespace

std::string cpu_list(const os::CpuSet& cpus) {
  std::array<char, 512> buffer;
  os::format_cpu_list(cpus, buffer.data(), buffer.size());
  return buffer.data();
}

std::string runtime_folder_of(int process) {
  std::vector<char> bytes;
  const std::string path = "/proc/" + std::to_string(process) + "/environ";
  if (os::read_all(path.c_str(), bytes) != 0) return {};
  std::string_view rest(bytes.data(), bytes.size());
  constexpr std::string_view name = "XDG_RUNTIME_DIR=";
  while (!rest.empty()) {
    const std::string_view variable = os::next_part(rest, '\0');
    if (variable.starts_with(name)) return std::string(variable.substr(name.size()));
  }
  return {};
}

SharingSeen read_sharing(const std::string& runtime_folder, bool try_a_row) {
  SharingSeen seen;
  // As the runtime: a name that is not absolute is none (omp/env/settings_folders.cpp).
  const std::string folder = runtime_folder.starts_with("/") ? runtime_folder : "";
  seen.folder = os::session_folder(folder.c_str()).view();
  sched::ProcessTable table;
  const int64_t now_ns = os::now_ns();
  seen.error = table.open(folder.c_str(), try_a_row ? os::RowFile::Open::make_if_missing
                                                    : os::RowFile::Open::only_if_there);
  if (seen.error != 0) return seen;
  if (try_a_row) seen.error = take_part(table, now_ns);
  std::vector<sched::Sharer> rows(sched::most_rows);
  rows.resize(static_cast<size_t>(table.read(rows)));
  table.close();
  divide_among(rows, now_ns, seen.sharers);
  return seen;
}

}  // namespace xylem::tool
