// Reading small files whole, below an optional root folder.
//
// Owns: PathBuffer, read_file, read_all and the number parsers the other files of os/ share.
// Invariant: nothing here throws or keeps a descriptor open; every failure is a negative errno.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace xylem::os {

// A path put together without allocating. Once a part did not fit, ok() stays false and c_str() is
// a path that names nothing.
class PathBuffer {
 public:
  PathBuffer() { text_[0] = '\0'; }
  explicit PathBuffer(std::string_view text) : PathBuffer() { append(text); }

  PathBuffer& append(std::string_view part);
  // Cuts the path back to `length` characters; no-op if it is shorter.
  void truncate(std::size_t length);
  bool ok() const { return ok_; }
  std::size_t size() const { return size_; }
  const char* c_str() const { return ok_ ? text_.data() : "/dev/null/too-long"; }
  std::string_view view() const { return {text_.data(), size_}; }

 private:
  std::array<char, 4096> text_;
  std::size_t size_ = 0;
  bool ok_ = true;
};

// Reads up to buffer.size() - 1 bytes from the start of the file and ends them with a zero.
// Returns how many were read, or a negative errno. Precondition: buffer is not empty.
int read_file(const char* path, std::span<char> buffer);

// Reads the file to its end into `out` (replaced; no zero at the end). Returns 0 or a negative
// errno, -EFBIG past 64 MiB.
int read_all(const char* path, std::vector<char>& out);

// True if the path names something.
bool exists(const char* path);

// True if the path names an existing folder.
bool is_folder(const char* path);

// The text without blanks and newlines at its ends.
std::string_view trim(std::string_view text);

// A decimal integer that is the whole of `text` (blanks at the ends allowed); false if it is not.
bool parse_integer(std::string_view text, long long& out);

// Takes the part up to `separator` (or all) off the front of `rest` and returns it.
std::string_view next_part(std::string_view& rest, char separator);

}  // namespace xylem::os
