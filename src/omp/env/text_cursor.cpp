// Reading words and numbers from the text of a setting.
#include "omp/env/text_cursor.hpp"

#include <charconv>

namespace xylem::omp {
namespace {

// The C locale's, whatever locale the program has set.
bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_letter(char c) { return (lower(c) >= 'a' && lower(c) <= 'z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (lower(a[i]) != lower(b[i])) return false;
  return true;
}

void TextCursor::skip_blanks() {
  while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
}

bool TextCursor::at_end() {
  skip_blanks();
  return rest_.empty();
}

bool TextCursor::take(char wanted) {
  skip_blanks();
  if (rest_.empty() || rest_.front() != wanted) return false;
  rest_.remove_prefix(1);
  return true;
}

bool TextCursor::take_adjacent(char wanted) {
  return !rest_.empty() && rest_.front() == wanted && take(wanted);
}

bool TextCursor::next_is_letter() {
  skip_blanks();
  return !rest_.empty() && is_letter(rest_.front());
}

bool TextCursor::take_word(std::string_view wanted) {
  skip_blanks();
  std::size_t length = 0;
  while (length < rest_.size() && is_letter(rest_[length])) ++length;
  if (!equal_ignoring_case(rest_.substr(0, length), wanted)) return false;
  rest_.remove_prefix(length);
  return true;
}

bool TextCursor::take_prefix(std::string_view wanted) {
  skip_blanks();
  if (!equal_ignoring_case(rest_.substr(0, wanted.size()), wanted)) return false;
  rest_.remove_prefix(wanted.size());
  return true;
}

template <typename Number>
bool TextCursor::take_number(Number& value) {
  skip_blanks();
  std::string_view text = rest_;
  if (text.size() > 1 && text.front() == '+' && is_digit(text[1])) text.remove_prefix(1);
  Number parsed = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error != std::errc{}) return false;
  value = parsed;
  rest_ = text.substr(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool TextCursor::take_integer(std::int64_t& value) { return take_number(value); }
bool TextCursor::take_unsigned(std::uint64_t& value) { return take_number(value); }

bool TextCursor::take_integer_between(std::int64_t low, std::int64_t high, int& value) {
  std::string_view before = rest_;
  std::int64_t parsed = 0;
  if (take_integer(parsed) && parsed >= low && parsed <= high) {
    value = static_cast<int>(parsed);
    return true;
  }
  rest_ = before;
  return false;
}

}  // namespace xylem::omp
