// Owns: finding and reading the table. See process_table.hpp.
#include "sched/share/process_table.hpp"

#include <errno.h>

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

// What the file holds beyond the last row is nobody's.
int ProcessTable::read(int64_t now_ns, std::span<Sharer> out) {
  const int bytes = file_.read(buffer_);
  size_t found = 0;
  for (int index = 0; (index + 1) * static_cast<int>(row_bytes) <= bytes; ++index) {
    if (index == index_ || found == out.size()) continue;
    const auto at = std::span(buffer_).subspan(static_cast<size_t>(index) * row_bytes, row_bytes);
    const auto row = read_row(at);
    if (!row || row->needs == 0 || !is_fresh(*row, now_ns)) continue;
    if (file_.is_taken_by_other(row_bytes, index) == 1) out[found++] = {index, *row};
  }
  return static_cast<int>(found);
}

}  // namespace xylem::sched
