// Owns: a process's access to the table of processes that share the machine (rows.hpp): finding it,
// having a row in it, reading who counts.
#pragma once

#include <cstdint>
#include <span>

#include "os/clock.hpp"
#include "os/row_file.hpp"
#include "sched/share/rows.hpp"

namespace xylem::sched {

// A process that counts, and its row's index, by which all order them.
struct Sharer {
  int index = 0;
  ProcessRow row;
};

class ProcessTable {
 public:
  using Clock = int64_t (*)();  // by which all rows are told, in nanoseconds
  explicit ProcessTable(Clock clock = os::now_ns) : clock_(clock) {}

  // Opens the table of this user and of what the process sees of the machine. `runtime_folder`:
  // $XDG_RUNTIME_DIR, or "". 0 or a negative errno, as RowFile::open(); -ENOENT also where /proc
  // does not say which table it is.
  int open(const char* runtime_folder, os::RowFile::Open how);
  bool is_open() const { return file_.is_open(); }
  // Leaves the table.
  void close();

  // Takes a row: 0, or a negative errno (-EAGAIN: all are taken).
  int join();
  int own_index() const { return index_; }  // -1: none
  // False if the row is lost: the file was removed, or our descriptor closed.
  bool is_whole() const { return file_.is_whole(); }
  // Writes the own row: 0 or a negative errno. Precondition: join() gave 0.
  int tell(const ProcessRow& row) { return file_.write_row(write_row(row), index_); }

  // Writes the others that count now into `out`, in the order of their rows: how many. Of one that
  // died, was stopped, or rests there is nothing.
  int read(std::span<Sharer> out);

 private:
  int read_some(int first, std::span<const std::byte> bytes, std::span<Sharer> out);

  const Clock clock_;
  os::RowFile file_;
  int index_ = -1;
};

}  // namespace xylem::sched
