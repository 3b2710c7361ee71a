// Reading small files whole: see files.hpp.
#include "os/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

namespace xylem::os {

namespace {

constexpr std::size_t kLargestFile = std::size_t{64} << 20;

int open_to_read(const char* path) {
  int file = -1;
  do {
    file = ::open(path, O_RDONLY | O_CLOEXEC);
  } while (file < 0 && errno == EINTR);
  return file < 0 ? -errno : file;
}

// Fills the buffer as far as the file goes; bytes read or a negative errno.
ssize_t read_until_full(int file, char* buffer, std::size_t room) {
  std::size_t done = 0;
  while (done < room) {
    const ssize_t got = ::read(file, buffer + done, room - done);
    if (got == 0) break;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -errno;
    done += static_cast<std::size_t>(got);
  }
  return static_cast<ssize_t>(done);
}

}  // namespace

PathBuffer& PathBuffer::append(std::string_view part) {
  if (part.empty()) return *this;
  if (!ok_ || part.size() >= text_.size() - size_) {
    ok_ = false;
    return *this;
  }
  std::memcpy(text_.data() + size_, part.data(), part.size());
  size_ += part.size();
  text_[size_] = '\0';
  return *this;
}

void PathBuffer::truncate(std::size_t length) {
  if (length >= size_) return;
  size_ = length;
  text_[size_] = '\0';
}

int read_file(const char* path, std::span<char> buffer) {
  const int file = open_to_read(path);
  if (file < 0) return file;
  const ssize_t got = read_until_full(file, buffer.data(), buffer.size() - 1);
  ::close(file);
  if (got >= 0) buffer[static_cast<std::size_t>(got)] = '\0';
  return static_cast<int>(got);
}

int read_all(const char* path, std::vector<char>& out) {
  out.clear();
  const int file = open_to_read(path);
  if (file < 0) return file;
  std::size_t filled = 0;
  ssize_t got = 0;
  do {
    out.resize(filled + (filled < 4096 ? 4096 : filled));
    got = read_until_full(file, out.data() + filled, out.size() - filled);
    if (got > 0) filled += static_cast<std::size_t>(got);
  } while (got > 0 && filled == out.size() && filled < kLargestFile);
  ::close(file);
  out.resize(got < 0 ? 0 : filled);
  if (got < 0) return static_cast<int>(got);
  return filled >= kLargestFile ? -EFBIG : 0;
}

bool exists(const char* path) {
  struct stat status;
  return ::stat(path, &status) == 0;
}

bool is_folder(const char* path) {
  struct stat status;
  return ::stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

bool parse_integer(std::string_view text, long long& out) {
  text = trim(text);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, out);
  return error == std::errc{} && stop == end && !text.empty();
}

std::string_view next_part(std::string_view& rest, char separator) {
  const std::size_t cut = rest.find(separator);
  const std::string_view part = rest.substr(0, cut);
  rest = cut == std::string_view::npos ? std::string_view{} : rest.substr(cut + 1);
  return part;
}

}  // namespace xylem::os
