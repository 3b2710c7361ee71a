// Owns: the lines. See lines.hpp.
#include "count/table/lines.hpp"

#include <charconv>
#include <cstddef>

namespace xylem::count {

namespace {

// The whole of `text` is a number without a sign and without zeros before it.
bool parse_number(std::string_view text, uint64_t& value) {
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

void LineWriter::line(std::string_view text) {
  text_.insert(text_.end(), text.begin(), text.end());
  text_.push_back('\n');
}

void LineWriter::text(std::string_view name, std::string_view text) {
  text_.insert(text_.end(), name.begin(), name.end());
  text_.push_back(' ');
  line(text);
}

void LineWriter::digits(uint64_t value) {
  char text[24];
  const auto made = std::to_chars(text, text + sizeof text, value);
  text_.insert(text_.end(), text, made.ptr);
}

void LineWriter::number(std::string_view name, uint64_t value) {
  text_.insert(text_.end(), name.begin(), name.end());
  text_.push_back(' ');
  digits(value);
  text_.push_back('\n');
}

void LineWriter::numbers(std::span<const uint64_t> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text_.push_back(' ');
    digits(values[i]);
  }
  text_.push_back('\n');
}

// A last line without its end is none: the file was cut off.
bool LineReader::next(std::string_view& line) {
  const std::size_t end = rest_.find('\n');
  if (end == std::string_view::npos) return false;
  line = rest_.substr(0, end);
  rest_.remove_prefix(end + 1);
  return true;
}

bool LineReader::line(std::string_view wanted) {
  std::string_view line;
  return next(line) && line == wanted;
}

bool LineReader::text(std::string_view name, std::string_view& text) {
  std::string_view line;
  if (!next(line) || !line.starts_with(name)) return false;
  line.remove_prefix(name.size());
  if (!line.starts_with(' ')) return false;
  text = line.substr(1);
  return true;
}

bool LineReader::number(std::string_view name, uint64_t low, uint64_t high, uint64_t& value) {
  std::string_view digits;
  return text(name, digits) && parse_number(digits, value) && value >= low && value <= high;
}

bool LineReader::numbers(std::span<uint64_t> values, uint64_t most) {
  std::string_view line;
  if (!next(line)) return false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool is_last = i + 1 == values.size();
    const std::size_t end = is_last ? line.size() : line.find(' ');
    if (end == std::string_view::npos) return false;
    if (!parse_number(line.substr(0, end), values[i]) || values[i] > most) return false;
    line.remove_prefix(is_last ? end : end + 1);
  }
  return line.empty();
}

}  // namespace xylem::count
