// A file of rows that processes of one user share: each process has one row, which it locks.
//
// Owns: RowFile. The file is read and written by calls, not mapped: whoever shortens it, or fills
// the disk, gives an error code and no SIGBUS. A row's lock (an open file description's) goes with
// the process, however it ends.
// Invariant: nothing is read or written but a regular file of this user, with one name, in a folder
// of this user, and both are closed to others. No call changes errno.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "os/files.hpp"

namespace xylem::os {

class RowFile {
 public:
  RowFile() = default;
  RowFile(const RowFile&) = delete;
  RowFile& operator=(const RowFile&) = delete;

  enum class Open : std::uint8_t { make_if_missing, only_if_there };
  // Opens FOLDER/NAME. 0 or a negative errno: -EPERM where the folder or the file is another
  // user's, or open to others; -EPROTO where it is no folder or no regular file.
  int open(const char* folder, const char* name, Open how);
  bool is_open() const { return file_ >= 0; }

  // Locks the first row of `rows` that nobody has, for as long as the file is open. Its index;
  // -EAGAIN if all are taken, or another negative errno.
  int take_row(std::size_t row_bytes, int rows);
  // 1 if another opener has the row's lock, 0 if not; else a negative errno.
  int is_taken_by_other(std::size_t row_bytes, int row) const;

  // Reads from this place of the file on. How many bytes there were, at most the buffer's, or a
  // negative errno.
  int read(std::span<std::byte> buffer, std::size_t from = 0) const;
  // 0 or a negative errno: -ENOSPC, -EDQUOT, -EFBIG (a limit of the process on files' lengths).
  int write_row(std::span<const std::byte> row, int index) const;

  // False once the file was removed, or the program closed our descriptor or gave its number to
  // another file.
  bool is_whole() const;

  // Gives the row back. In a child of fork() the parent's row stays the parent's. A descriptor that
  // the program has closed or uses for another file is left alone.
  void close();

 private:
  bool is_ours() const;

  int file_ = -1;
  std::uint64_t device_ = 0;  // which file that is
  std::uint64_t inode_ = 0;
};

// The folder of the user's files that live as long as a session: RUNTIME_FOLDER/xylem, or where
// that is empty /tmp/xylem-USER.
PathBuffer session_folder(const char* runtime_folder);

// Makes `name` a file's name that begins with `kind` and is the same for all processes that see the
// same processes and files since the same boot, and for no others: two containers have two. False
// where /proc does not say.
bool name_in_session(const char* kind, PathBuffer& name);

}  // namespace xylem::os
