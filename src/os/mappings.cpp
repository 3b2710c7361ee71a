// Owns: reading /proc/self/maps line by line, without memory of its own. See user_faults.hpp.
#include <fcntl.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "os/failures.hpp"
#include "os/files.hpp"
#include "os/raw_syscall.hpp"
#include "os/user_faults.hpp"

namespace xylem::os {

namespace {

// Lines of a file one after the other; of one longer than `room` the rest is skipped.
class Lines {
 public:
  explicit Lines(int file) : file_(file) {}
  bool next(std::string_view& line) {
    while (true) {
      const std::string_view ready(text_.data() + first_, last_ - first_);
      const size_t end = ready.find('\n');
      if (end != std::string_view::npos) {
        first_ += end + 1;
        const bool whole = !skipping_;
        skipping_ = false;
        line = ready.substr(0, end);
        if (whole) return true;
      } else if (first_ == 0 && last_ == text_.size()) {
        last_ = 0;
        line = ready;
        if (!skipping_) return skipping_ = true;
      } else if (!fill()) {
        return false;
      }
    }
  }

 private:
  bool fill() {
    std::char_traits<char>::move(text_.data(), text_.data() + first_, last_ - first_);
    last_ -= first_;
    first_ = 0;
    const long got = raw_syscall(SYS_read, file_, reinterpret_cast<long>(text_.data() + last_),
                                 static_cast<long>(text_.size() - last_));
    if (got > 0) last_ += static_cast<size_t>(got);
    return got > 0;
  }

  int file_;
  std::array<char, 2048> text_;
  size_t first_ = 0;  // what is not handed out yet: [first_, last_)
  size_t last_ = 0;
  bool skipping_ = false;
};

bool read_hex(std::string_view text, uintptr_t& value) {
  value = 0;
  for (const char c : text) {
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) return false;
    value = value * 16 + static_cast<uintptr_t>(digit);
  }
  return !text.empty();
}

// "start-end rwxp offset device inode   name"
bool read_mapping(std::string_view line, Mapping& mapping) {
  if (!read_hex(next_part(line, '-'), mapping.start)) return false;
  if (!read_hex(next_part(line, ' '), mapping.end)) return false;
  const std::string_view access = next_part(line, ' ');
  next_part(line, ' ');
  next_part(line, ' ');
  const std::string_view inode = next_part(line, ' ');
  const std::string_view name = trim(line);
  mapping.markable = access.size() == 4 && access[3] == 'p' && inode == "0" &&
                     (name.empty() || name == "[heap]" || name.starts_with("[anon:"));
  return true;
}

int visit_lines(int file, uintptr_t start, uintptr_t end, bool (*visit)(const Mapping&, void*),
                void* context) {
  Lines lines(file);
  std::string_view line;
  while (lines.next(line)) {
    Mapping mapping;
    if (!read_mapping(line, mapping)) return -EPROTO;
    if (mapping.end <= start) continue;
    if (mapping.start >= end) break;
    if (mapping.start < start) mapping.start = start;  // also of what grew while we read
    if (mapping.end > end) mapping.end = end;
    start = mapping.end;
    if (!visit(mapping, context)) break;
  }
  return 0;
}

}  // namespace

int visit_mappings(uintptr_t start, uintptr_t end, bool (*visit)(const Mapping&, void*),
                   void* context) {
  if (const int error = injected_failure()) return error;
  const long file = raw_syscall(SYS_openat, AT_FDCWD, reinterpret_cast<long>("/proc/self/maps"),
                                O_RDONLY | O_CLOEXEC);
  if (file < 0) return static_cast<int>(file);
  const int answer = visit_lines(static_cast<int>(file), start, end, visit, context);
  close_descriptor(static_cast<int>(file));
  return answer;
}

}  // namespace xylem::os
