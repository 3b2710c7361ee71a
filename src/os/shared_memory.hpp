// Memory that other processes of the same user may find and map.
//
// Owns: SharedMemory. The maker's process shows it as a descriptor (/proc/PID/fd) that reads
// "/memfd:NAME (deleted)"; it never shrinks, so who has mapped it reads without fear of SIGBUS.
// Invariant: bytes() is empty unless the last create() or attach() gave 0. No call changes errno.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace xylem::os {

class SharedMemory {
 public:
  // Makes zeroed memory of this size and keeps it open. Returns 0 or a negative errno: -ENOSYS and
  // -EPERM where the kernel or a filter has no such memory, -EFBIG where files may not be so long.
  int create(const char* name, std::size_t bytes);

  // Maps what another process has open under this descriptor. Returns 0 or a negative errno:
  // -EACCES if it belongs to another user, -EPROTO if somebody could still shrink it.
  int attach(int process, int descriptor);

  // Unmaps and closes; in a forked child this leaves the parent's as it is. A descriptor that the
  // program has closed or uses for another file is left alone.
  void release();

  std::span<std::byte> bytes() const { return bytes_; }

 private:
  int keep_mapping(int file, std::size_t bytes);
  bool is_ours(int file) const;

  std::span<std::byte> bytes_;
  int file_ = -1;             // of the maker
  std::uint64_t device_ = 0;  // which file that is
  std::uint64_t inode_ = 0;
};

}  // namespace xylem::os
