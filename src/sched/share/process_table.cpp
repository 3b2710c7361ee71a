// Owns: finding and reading the table. See process_table.hpp.
#include "sched/share/process_table.hpp"

#include <errno.h>

#include <array>

namespace xylem::sched {

int ProcessTable::open(const char* runtime_folder, os::RowFile::Open how) {
  os::PathBuffer name;
  if (!os::name_in_session(table_kind, name)) return -ENOENT;
  return file_.open(os::session_folder(runtime_folder).c_str(), name.c_str(), how);
}

void ProcessTable::close() {
  file_.close();
  index_ = -1;
}

int ProcessTable::join() {
  const int index = file_.take_row(row_bytes, most_rows);
  if (index < 0) return index;
  index_ = index;
  return 0;
}

namespace {
constexpr int rows_at_once = 16;
}

// What the file holds beyond the last row is nobody's.
int ProcessTable::read(std::span<Sharer> out) {
  std::array<std::byte, rows_at_once * row_bytes> buffer;
  int found = 0;
  for (int first = 0; first < most_rows; first += rows_at_once) {
    const int bytes = file_.read(buffer, static_cast<size_t>(first) * row_bytes);
    if (bytes <= 0) break;
    found += read_some(first, std::span(buffer).first(static_cast<size_t>(bytes)),
                       out.subspan(static_cast<size_t>(found)));
  }
  return found;
}

int ProcessTable::read_some(int first, std::span<const std::byte> bytes, std::span<Sharer> out) {
  // After the rows were read: by a time from before, what was told meanwhile is of the future, and
  // whoever waited for a processor in between would see nobody.
  const int64_t now_ns = clock_();
  size_t found = 0;
  for (int index = first; bytes.size() >= row_bytes; ++index, bytes = bytes.subspan(row_bytes)) {
    if (index == index_ || found == out.size()) continue;
    const auto row = read_row(bytes.first(row_bytes));
    if (!row || row->needs == 0 || !is_fresh(*row, now_ns)) continue;
    if (file_.is_taken_by_other(row_bytes, index) == 1) out[found++] = {index, *row};
  }
  return static_cast<int>(found);
}

}  // namespace xylem::sched
