// A whole file seen as read-only memory.
//
// Owns: MappedFile. Invariant: bytes() is valid while the object lives and is empty if the file
// could not be opened, is no regular file, or has no bytes.
#pragma once

#include <cstddef>
#include <span>

namespace xylem::os {

class MappedFile {
 public:
  explicit MappedFile(const char* path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // 0, or the negative errno of opening it.
  int error() const { return error_; }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
  int error_ = 0;
};

}  // namespace xylem::os
