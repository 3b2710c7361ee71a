// A file that is written for as long as the process lives, whatever the program does to its
// descriptors.
//
// Owns: OutputFile. Invariant: writes go to the file that open() made or nowhere: if the program
// has closed the descriptor, or put another file in its place, the file is opened again by name.
// Never changes errno; trivially destructible, nothing closes it at exit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace xylem::os {

class OutputFile {
 public:
  // Makes or empties the file. Its descriptor is high and closed by exec. 0 or a negative errno.
  int open(const char* path);
  bool is_open() const { return file_ >= 0; }

  // Looks whether the descriptor is still ours; opens the file again if not. 0 or a negative errno.
  int recover();

  // Writes all of both parts at the end. 0 or a negative errno; then part may be written.
  int append(std::span<const std::byte> first, std::span<const std::byte> second = {});

  void close();

 private:
  bool is_ours(int file) const;

  int file_ = -1;
  uint64_t device_ = 0;
  uint64_t inode_ = 0;
  char path_[1024] = {};  // absolute
};

}  // namespace xylem::os
